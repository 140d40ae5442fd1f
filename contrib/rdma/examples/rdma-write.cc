/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One RDMA write between two hosts.
 *
 *   host 0 ---- 100 Gb/s, 1 us ---- switch ---- 100 Gb/s, 1 us ---- host 1
 *
 * Expected, with --bytes=1000000 (245 packets of at most 4096 bytes, 82 bytes around each, 16 more
 * in the first): 1,020,106 bytes of wire on the first link, the longest packet (4194) once more on
 * the second, 1,024,300 bytes = 81.944 us; two cables 2 us, the switch 0.5 us: the last byte
 * arrives at 84.444 us. The acknowledgement (86 bytes of wire) takes 2 x 6.88 ns + 2 us + 0.5 us:
 *
 *   1 completion at +86.9578us
 *
 * The program exits 1 when anything else comes out.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <iostream>

using namespace ns3;
using namespace ns3::rdma;

int
main(int argc, char* argv[])
{
    uint64_t bytes = 1'000'000;
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "Length of the message, at most 2^31", bytes);
    cmd.Parse(argc, argv);
    Time::SetResolution(Time::PS);

    FabricHelper fabric;
    NodeContainer hosts(2);
    Ptr<Node> sw = CreateObject<Node>();
    fabric.InstallSwitch(sw);
    fabric.Connect(hosts.Get(0), sw, 100'000'000'000, 1'000'000); // 100 Gb/s, 1 us = 1,000,000 ps
    fabric.Connect(hosts.Get(1), sw, 100'000'000'000, 1'000'000);
    fabric.ComputeRoutes();
    auto nics = RdmaHelper().Install(fabric.GetEndpoints());
    RdmaConnectedPair pair = RdmaHelper::Connect(nics[0], nics[1]);

    RdmaSendWr write;
    write.length = bytes;
    write.lkey = pair.a.memory.lkey;
    write.rkey = pair.b.memory.rkey;
    pair.a.queuePair->PostSend(write);
    Time done;
    pair.a.cq->SetNotify(Callback<void, Ptr<RdmaCompletionQueue>>(
        [&done](Ptr<RdmaCompletionQueue>) { done = Simulator::Now(); }));
    pair.a.cq->RequestNotify();
    Simulator::Run();

    const auto completions = pair.a.cq->Poll(1);
    std::cout << completions.size() << " completion at " << done.As(Time::US) << std::endl;
    const bool success = completions.size() == 1 && completions[0].status == RdmaWcStatus::SUCCESS;
    const bool expected = bytes != 1'000'000 || done == PicoSeconds(86'957'760);
    Simulator::Destroy();
    return success && expected ? 0 : 1;
}

/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-experiment-workload.h"

#include "rdma-experiment-congestion.h"
#include "rdma-experiment-topology.h"

#include "ns3/fabric-cdf.h"
#include "ns3/fabric-connection-matrix.h"
#include "ns3/fabric-flow-file.h"
#include "ns3/fabric-types.h"
#include "ns3/fabric-units.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-traffic.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ns3::rdma::runner
{

namespace
{

/** Largest message in bytes, the limit of InfiniBand: 2^31. */
constexpr uint64_t MOST_BYTES = 1ULL << 31;

/** Most flows of one entry, so that a slip of the pen does not take all memory. */
constexpr uint64_t MOST_FLOWS = 10'000'000;

/** Random streams of one entry; the first belongs to the first entry. */
constexpr int64_t FIRST_STREAM = 1'000'000;
constexpr int64_t STREAMS_PER_ENTRY = 16;

/** Reads one entry after the other. */
class WorkloadReader
{
  public:
    explicit WorkloadReader(Experiment& experiment)
        : m_experiment(experiment)
    {
    }

    /** Reads an entry and appends its flows. \param entry the map that describes it */
    void Read(ExperimentReader& entry);

  private:
    void ReadCommon(ExperimentReader& reader, FlowSpec& flow);
    void ReadStart(ExperimentReader& reader, FlowSpec& flow);
    void ReadPriority(ExperimentReader& reader, FlowSpec& flow);
    void ReadOwnCongestion(ExperimentReader& reader, FlowSpec& flow);
    void ReadParticipants(ExperimentReader& entry, std::vector<uint32_t>& hosts);
    void ReadList(ExperimentReader& entry, FlowSpec flow);
    void ReadIncast(ExperimentReader& entry, FlowSpec flow);
    void ReadPattern(ExperimentReader& entry, const std::string& type, FlowSpec flow);
    void ReadPoisson(ExperimentReader& entry, FlowSpec flow);
    void ReadFile(ExperimentReader& entry, FlowSpec flow);
    void CheckCount(const ExperimentReader& entry, double flows) const;
    uint64_t HostRate(const std::vector<uint32_t>& hosts) const;

    /**
     * \param flows flows between places in \p hosts, or between ranks when it is empty
     * \param common what they share
     * \param hosts the ranks of the places
     */
    void Append(const std::vector<RdmaFlow>& flows,
                const FlowSpec& common,
                const std::vector<uint32_t>& hosts);

    /** \return a generator that draws from the random streams of this entry */
    RdmaTraffic Generator(std::size_t hosts) const;

    Experiment& m_experiment;
};

void
WorkloadReader::ReadCommon(ExperimentReader& reader, FlowSpec& flow)
{
    reader.ReadBytes("size", flow.bytes, 1, MOST_BYTES);
    reader.ReadInteger("messages", flow.messages, 1, 1'000'000);
    ReadStart(reader, flow);
    ReadOwnCongestion(reader, flow);
}

void
WorkloadReader::ReadStart(ExperimentReader& reader, FlowSpec& flow)
{
    reader.ReadTime("start", flow.startPs, 0, FabricUnits::MAX_TIME_PS / 2);
    ReadPriority(reader, flow);
}

void
WorkloadReader::ReadPriority(ExperimentReader& reader, FlowSpec& flow)
{
    const bool infiniBand = IsOnInfiniBand(m_experiment);
    reader.ReadInteger("priority", flow.priority, 0, infiniBand ? 15 : FABRIC_PRIORITIES - 1);
}

void
WorkloadReader::ReadOwnCongestion(ExperimentReader& reader, FlowSpec& flow)
{
    if (reader.Has("congestion-control"))
    {
        AlgorithmSpec congestion;
        ReadCongestion(reader, "congestion-control", congestion);
        flow.congestion = static_cast<uint32_t>(m_experiment.congestions.size());
        m_experiment.congestions.push_back(std::move(congestion));
    }
}

void
WorkloadReader::ReadParticipants(ExperimentReader& entry, std::vector<uint32_t>& hosts)
{
    hosts.resize(m_experiment.topology.GetHosts().size());
    std::iota(hosts.begin(), hosts.end(), 0);
    ReadHosts(entry, "hosts", m_experiment.topology, hosts);
    if (hosts.size() < 2)
    {
        entry.RefuseValue("hosts",
                          "leaves " + std::to_string(hosts.size()) + " host",
                          "at least two hosts");
    }
}

void
WorkloadReader::CheckCount(const ExperimentReader& entry, double flows) const
{
    if (flows > MOST_FLOWS)
    {
        entry.RefuseMap("key '" + entry.FullKey("type") + "': this makes about " +
                        std::to_string(static_cast<uint64_t>(flows)) + " flows; allowed: at most " +
                        std::to_string(MOST_FLOWS));
    }
}

uint64_t
WorkloadReader::HostRate(const std::vector<uint32_t>& hosts) const
{
    std::vector<uint64_t> rates(m_experiment.topology.GetNodes().size(), 0);
    for (const auto& link : m_experiment.topology.GetLinks())
    {
        rates[link.a] += link.bitsPerSecond;
        rates[link.b] += link.bitsPerSecond;
    }
    uint64_t slowest = std::numeric_limits<uint64_t>::max();
    for (const uint32_t rank : hosts)
    {
        slowest = std::min(slowest, rates[m_experiment.topology.GetHosts()[rank]]);
    }
    return slowest;
}

RdmaTraffic
WorkloadReader::Generator(std::size_t hosts) const
{
    RdmaTraffic traffic(static_cast<uint32_t>(hosts));
    const auto entry = static_cast<int64_t>(m_experiment.groups.size());
    traffic.AssignStreams(FIRST_STREAM + entry * STREAMS_PER_ENTRY);
    return traffic;
}

void
WorkloadReader::Append(const std::vector<RdmaFlow>& flows,
                       const FlowSpec& common,
                       const std::vector<uint32_t>& hosts)
{
    for (const RdmaFlow& flow : flows)
    {
        FlowSpec spec = common;
        spec.source = hosts.empty() ? flow.source : hosts[flow.source];
        spec.destination = hosts.empty() ? flow.destination : hosts[flow.destination];
        spec.bytes = flow.bytes;
        spec.startPs = flow.startPs;
        spec.priority = flow.priority;
        m_experiment.flows.push_back(spec);
    }
}

void
WorkloadReader::ReadList(ExperimentReader& entry, FlowSpec flow)
{
    ReadCommon(entry, flow);
    entry.Require({"list"});
    entry.ReadMaps("list", [&](ExperimentReader& item) {
        item.Require({"from", "to"});
        FlowSpec spec = flow;
        ReadCommon(item, spec);
        if (spec.bytes == 0)
        {
            item.Require({"size"});
        }
        ReadHost(item, "from", m_experiment.topology, spec.source);
        ReadHost(item, "to", m_experiment.topology, spec.destination);
        if (spec.source == spec.destination)
        {
            item.RefuseValue("to", "sends from a host to itself", "another host");
        }
        m_experiment.flows.push_back(spec);
    });
}

void
WorkloadReader::ReadIncast(ExperimentReader& entry, FlowSpec flow)
{
    entry.Require({"to", "size"});
    ReadCommon(entry, flow);
    std::vector<uint32_t> hosts;
    ReadParticipants(entry, hosts);
    ReadHost(entry, "to", m_experiment.topology, flow.destination);
    hosts.erase(std::remove(hosts.begin(), hosts.end(), flow.destination), hosts.end());
    if (entry.Has("senders"))
    {
        uint32_t senders = 0;
        entry.ReadInteger("senders", senders, 1, static_cast<int64_t>(hosts.size()));
        hosts.resize(senders);
    }
    RdmaFlow model;
    model.destination = flow.destination;
    model.bytes = flow.bytes;
    model.startPs = flow.startPs;
    model.priority = static_cast<uint8_t>(flow.priority);
    Append(Generator(m_experiment.topology.GetHosts().size()).Incast(hosts, model), flow, {});
}

void
WorkloadReader::ReadPattern(ExperimentReader& entry, const std::string& type, FlowSpec flow)
{
    entry.Require({"size"});
    ReadCommon(entry, flow);
    std::vector<uint32_t> hosts;
    ReadParticipants(entry, hosts);
    RdmaFlow model;
    model.bytes = flow.bytes;
    model.startPs = flow.startPs;
    model.priority = static_cast<uint8_t>(flow.priority);
    RdmaTraffic traffic = Generator(hosts.size());
    if (type == "permutation")
    {
        Append(traffic.Permutation(model), flow, hosts);
        return;
    }
    CheckCount(entry, static_cast<double>(hosts.size()) * static_cast<double>(hosts.size() - 1));
    Append(traffic.AllToAll(model), flow, hosts);
}

void
WorkloadReader::ReadPoisson(ExperimentReader& entry, FlowSpec flow)
{
    entry.Require({"cdf", "load", "duration"});
    ReadStart(entry, flow);
    ReadOwnCongestion(entry, flow);
    std::vector<uint32_t> hosts;
    ReadParticipants(entry, hosts);

    RdmaTraffic::PoissonSpec spec;
    spec.hostBitsPerSecond = HostRate(hosts);
    spec.startPs = flow.startPs;
    spec.priority = static_cast<uint8_t>(flow.priority);
    entry.ReadNumber("load", spec.load, 0.0001, 1);
    entry.ReadTime("duration", spec.durationPs, 1, FabricUnits::MAX_TIME_PS / 2);
    std::string file;
    entry.ReadText("cdf", file);
    const FabricCdf sizes = FabricCdf::Read(ResolvePath(entry.File(), file));
    CheckCount(entry,
               spec.load * static_cast<double>(spec.hostBitsPerSecond) / (8 * sizes.GetMean()) *
                   static_cast<double>(spec.durationPs) * 1e-12 *
                   static_cast<double>(hosts.size()));
    Append(Generator(hosts.size()).Poisson(sizes, spec), flow, hosts);
}

void
WorkloadReader::ReadFile(ExperimentReader& entry, FlowSpec flow)
{
    entry.Require({"file", "format"});
    std::string format;
    std::string file;
    entry.ReadWord("format", format, {"hpcc", "hpcc-packets", "htsim"});
    entry.ReadText("file", file);
    file = ResolvePath(entry.File(), file);
    ReadOwnCongestion(entry, flow);
    if (format == "htsim")
    {
        ReadPriority(entry, flow);
        const auto hosts = static_cast<uint32_t>(m_experiment.topology.GetHosts().size());
        auto flows = FabricConnectionMatrix::Read(file, hosts);
        for (RdmaFlow& read : flows)
        {
            read.priority = static_cast<uint8_t>(flow.priority);
        }
        Append(flows, flow, {});
        return;
    }
    FabricFlowFile::Options options;
    if (format == "hpcc-packets")
    {
        options.form = FabricFlowFile::Form::PACKETS;
        entry.ReadInteger("packet-bytes", options.packetBytes, 1, 9'000);
    }
    Append(FabricFlowFile::Read(file, m_experiment.topology, options, &m_experiment.notes),
           flow,
           {});
}

void
WorkloadReader::Read(ExperimentReader& entry)
{
    entry.Require({"type"});
    std::string type;
    entry.ReadWord("type",
                   type,
                   {"flows", "incast", "permutation", "all-to-all", "poisson", "file"});
    std::string name = type;
    entry.ReadText("name", name);
    auto& groups = m_experiment.groups;
    if (std::find(groups.begin(), groups.end(), name) != groups.end())
    {
        entry.RefuseValue("name",
                          "names an entry '" + name + "' twice",
                          "a 'name' of its own for every entry");
    }
    FlowSpec flow;
    flow.priority = IsOnInfiniBand(m_experiment) ? 0 : flow.priority;
    flow.group = static_cast<uint32_t>(groups.size());
    const std::size_t before = m_experiment.flows.size();
    if (type == "flows")
    {
        ReadList(entry, flow);
    }
    else if (type == "incast")
    {
        ReadIncast(entry, flow);
    }
    else if (type == "poisson")
    {
        ReadPoisson(entry, flow);
    }
    else if (type == "file")
    {
        ReadFile(entry, flow);
    }
    else
    {
        ReadPattern(entry, type, flow);
    }
    if (m_experiment.flows.size() == before)
    {
        m_experiment.notes.push_back("workload '" + name + "' has no flow");
    }
    groups.push_back(std::move(name));
}

} // namespace

void
ReadWorkload(ExperimentReader& root, Experiment& experiment)
{
    RngSeedManager::SetSeed(experiment.seed);
    WorkloadReader workload(experiment);
    root.ReadMaps("workload", [&](ExperimentReader& entry) { workload.Read(entry); });
    if (experiment.groups.empty())
    {
        root.RefuseValue("workload", "is an empty list", "at least one entry");
    }
}

} // namespace ns3::rdma::runner

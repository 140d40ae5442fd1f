/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-experiment-topology.h"

#include "ns3/fabric-input-error.h"
#include "ns3/fabric-topology-file.h"
#include "ns3/fabric-units.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

namespace ns3::rdma::runner
{

namespace
{

/** Most hosts of a network, so that a slip of the pen does not take all memory. */
constexpr uint64_t MOST_HOSTS = 131072;

/** Most links of a network. */
constexpr uint64_t MOST_LINKS = 4'000'000;

/** Most parallel nodes of one kind. */
constexpr int64_t MOST_NODES = 65536;

void
ReadLink(ExperimentReader& reader, FabricLinkSpec& link)
{
    reader.ReadRate("rate", link.bitsPerSecond);
    reader.ReadTime("delay", link.delayPs, 1, 1'000'000'000'000);
    reader.ReadNumber("error-rate", link.errorRate, 0, 1);
}

void
CheckSize(const ExperimentReader& reader, uint64_t hosts, uint64_t links)
{
    if (hosts > MOST_HOSTS || links > MOST_LINKS)
    {
        reader.RefuseMap("key 'topology': the network has " + std::to_string(hosts) +
                         " hosts and " + std::to_string(links) + " links; allowed: at most " +
                         std::to_string(MOST_HOSTS) + " hosts and " + std::to_string(MOST_LINKS) +
                         " links");
    }
}

FabricTopology
ReadLeafSpine(ExperimentReader& reader, const FabricLinkSpec& host, const FabricLinkSpec& fabric)
{
    reader.Require({"leaves", "spines", "hosts-per-leaf"});
    FabricTopology::LeafSpineSize size{1, 1, 1};
    reader.ReadInteger("leaves", size.leaves, 1, MOST_NODES);
    reader.ReadInteger("spines", size.spines, size.leaves > 1, MOST_NODES);
    reader.ReadInteger("hosts-per-leaf", size.hostsPerLeaf, 1, MOST_NODES);
    reader.ReadInteger("parallel-links", size.parallel, 1, 1024);
    const uint64_t hosts = uint64_t{size.leaves} * size.hostsPerLeaf;
    CheckSize(reader, hosts, hosts + uint64_t{size.leaves} * size.spines * size.parallel);
    return FabricTopology::LeafSpine(size, host, fabric);
}

FabricTopology
ReadFatTree(ExperimentReader& reader, const FabricLinkSpec& host, const FabricLinkSpec& fabric)
{
    reader.Require({"k"});
    uint32_t k = 4;
    reader.ReadInteger("k", k, 2, 64);
    if (k % 2 != 0)
    {
        reader.RefuseValue("k", "is odd", "even numbers from 2 to 64");
    }
    return FabricTopology::FatTree(k, host, fabric);
}

FabricTopology
ReadTorus(ExperimentReader& reader,
          const std::string& type,
          const FabricLinkSpec& host,
          const FabricLinkSpec& fabric)
{
    const bool ring = type == "ring";
    reader.Require({ring ? "switches" : "dimensions", "hosts-per-switch"});
    uint32_t hosts = 1;
    reader.ReadInteger("hosts-per-switch", hosts, 1, 1'000);
    if (ring)
    {
        uint32_t switches = 3;
        reader.ReadInteger("switches", switches, 3, 10'000);
        return FabricTopology::Ring(switches, hosts, host, fabric);
    }
    std::vector<uint32_t> dimensions;
    reader.ReadIntegers("dimensions", dimensions, 2, 1'000);
    uint64_t switches = 1;
    for (const uint32_t size : dimensions)
    {
        switches = std::min<uint64_t>(switches * size, MOST_NODES + 1);
    }
    if (dimensions.empty() || dimensions.size() > 8 || switches * hosts > MOST_NODES)
    {
        reader.RefuseValue("dimensions",
                           "makes no torus, or too many hosts",
                           "1 to 8 sizes from 2 to 1000, with at most " +
                               std::to_string(MOST_NODES) + " hosts in all");
    }
    return FabricTopology::Torus(dimensions, hosts, host, fabric);
}

FabricTopology
ReadDragonfly(ExperimentReader& reader, const FabricLinkSpec& host, const FabricLinkSpec& local)
{
    reader.Require({"routers", "hosts-per-router", "globals"});
    FabricTopology::DragonflySize size{1, 1, 1};
    reader.ReadInteger("routers", size.routers, 1, 128);
    reader.ReadInteger("hosts-per-router", size.hosts, 1, 128);
    reader.ReadInteger("globals", size.globals, 1, 128);
    FabricLinkSpec global = local;
    reader.ReadMap("global-link", [&](ExperimentReader& link) { ReadLink(link, global); });
    const uint64_t groups = uint64_t{size.routers} * size.globals + 1;
    if (groups * size.routers > 65'535 || groups * size.routers * size.hosts > MOST_NODES)
    {
        reader.RefuseMap("key 'topology': a dragonfly of " + std::to_string(groups) +
                         " groups is too large; allowed: 65535 switches and " +
                         std::to_string(MOST_NODES) + " hosts");
    }
    return FabricTopology::Dragonfly(size, host, local, global);
}

/** \return the place of the node with that name, or nothing */
std::optional<uint32_t>
FindNode(const FabricTopology& topology, const std::string& name)
{
    const auto& nodes = topology.GetNodes();
    const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const auto& node) {
        return node.name == name;
    });
    return found == nodes.end()
               ? std::nullopt
               : std::optional<uint32_t>(static_cast<uint32_t>(found - nodes.begin()));
}

/** \return the rank that the text names: a number, or the name of a host */
std::optional<uint32_t>
FindHost(const FabricTopology& topology, const std::string& text)
{
    const bool number = !text.empty() && text.size() < 10 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    if (number)
    {
        const unsigned long rank = std::stoul(text);
        return rank < topology.GetHosts().size()
                   ? std::optional<uint32_t>(static_cast<uint32_t>(rank))
                   : std::nullopt;
    }
    const auto node = FindNode(topology, text);
    if (!node || topology.GetNodes()[*node].kind != FabricNodeKind::HOST)
    {
        return std::nullopt;
    }
    return topology.GetNodes()[*node].rank;
}

/** \return which hosts there are, for messages */
std::string
KnownHosts(const FabricTopology& topology)
{
    const auto& hosts = topology.GetHosts();
    return "0 to " + std::to_string(hosts.size() - 1) + ", or names from " +
           topology.GetNodes()[hosts.front()].name + " to " +
           topology.GetNodes()[hosts.back()].name;
}

/** \return the scalars of a list, or the one scalar given instead */
std::vector<const ExperimentNode*>
ItemsOf(const ExperimentReader& reader, const std::string& key, const ExperimentNode& node)
{
    std::vector<const ExperimentNode*> items;
    if (node.kind == ExperimentNode::Kind::SCALAR)
    {
        items.push_back(&node);
    }
    for (const ExperimentNode& item : node.children)
    {
        items.push_back(&item);
    }
    const bool plain = std::all_of(items.begin(), items.end(), [](const ExperimentNode* item) {
        return item->kind == ExperimentNode::Kind::SCALAR;
    });
    if (items.empty() || !plain || node.kind == ExperimentNode::Kind::MAP)
    {
        throw FabricInputError(reader.File(),
                               node.line,
                               "key '" + reader.FullKey(key) + "' must hold a list like [0, 1]");
    }
    return items;
}

} // namespace

std::string
ResolvePath(const std::string& experimentFile, const std::string& file)
{
    const std::filesystem::path path(file);
    if (path.is_absolute())
    {
        return file;
    }
    return (std::filesystem::path(experimentFile).parent_path() / path).string();
}

FabricTopology
ReadTopology(ExperimentReader& reader, std::vector<std::string>& notes)
{
    reader.Require({"type"});
    std::string type;
    reader.ReadWord("type",
                    type,
                    {"star",
                     "dumbbell",
                     "back-to-back",
                     "leaf-spine",
                     "fat-tree",
                     "ring",
                     "torus",
                     "dragonfly",
                     "hpcc-file"});

    FabricTopology topology;
    if (type == "hpcc-file")
    {
        reader.Require({"file"});
        std::string file;
        reader.ReadText("file", file);
        topology = FabricTopologyFile::Read(ResolvePath(reader.File(), file), &notes);
    }
    else
    {
        FabricLinkSpec host;
        reader.ReadMap("link", [&](ExperimentReader& link) { ReadLink(link, host); });
        FabricLinkSpec fabric = host;
        if (type != "star" && type != "back-to-back")
        {
            reader.ReadMap("fabric-link", [&](ExperimentReader& link) { ReadLink(link, fabric); });
        }
        if (type == "star")
        {
            reader.Require({"hosts"});
            uint32_t hosts = 1;
            reader.ReadInteger("hosts", hosts, 1, MOST_NODES);
            topology = FabricTopology::Star(hosts, host);
        }
        else if (type == "dumbbell")
        {
            reader.Require({"left", "right"});
            uint32_t left = 1;
            uint32_t right = 1;
            reader.ReadInteger("left", left, 1, MOST_NODES);
            reader.ReadInteger("right", right, 1, MOST_NODES);
            topology = FabricTopology::Dumbbell(left, right, host, fabric);
        }
        else if (type == "leaf-spine")
        {
            topology = ReadLeafSpine(reader, host, fabric);
        }
        else if (type == "fat-tree")
        {
            topology = ReadFatTree(reader, host, fabric);
        }
        else if (type == "ring" || type == "torus")
        {
            topology = ReadTorus(reader, type, host, fabric);
        }
        else if (type == "dragonfly")
        {
            topology = ReadDragonfly(reader, host, fabric);
        }
        else
        {
            topology = FabricTopology::BackToBack(host);
        }
    }
    const auto problems = topology.Validate();
    if (!problems.empty())
    {
        reader.RefuseMap("key 'topology': " + problems.front());
    }
    return topology;
}

void
ReadHost(ExperimentReader& reader,
         const std::string& key,
         const FabricTopology& topology,
         uint32_t& rank)
{
    std::string text;
    reader.ReadText(key, text);
    if (text.empty())
    {
        return;
    }
    const auto found = FindHost(topology, text);
    if (!found)
    {
        reader.RefuseValue(key, "is not a host", KnownHosts(topology));
    }
    rank = *found;
}

void
ReadHosts(ExperimentReader& reader,
          const std::string& key,
          const FabricTopology& topology,
          std::vector<uint32_t>& ranks)
{
    const ExperimentNode* node = reader.Find(key);
    if (node == nullptr)
    {
        return;
    }
    std::vector<uint32_t> found;
    std::set<uint32_t> seen;
    for (const ExperimentNode* item : ItemsOf(reader, key, *node))
    {
        const auto refuse = [&](const std::string& reason) {
            throw FabricInputError(reader.File(),
                                   item->line,
                                   "key '" + reader.FullKey(key) + "': item " +
                                       FabricInputError::Quote(item->text) + " " + reason +
                                       "; allowed: " + KnownHosts(topology));
        };
        const std::size_t dash = item->text.find('-');
        auto first = FindHost(topology, item->text);
        auto last = first;
        if (!first && dash != std::string::npos)
        {
            first = FindHost(topology, item->text.substr(0, dash));
            last = FindHost(topology, item->text.substr(dash + 1));
        }
        if (!first || !last || *first > *last)
        {
            refuse("is neither a host nor a range of hosts");
        }
        for (uint32_t rank = *first; rank <= *last; ++rank)
        {
            if (!seen.insert(rank).second)
            {
                refuse("repeats host " + std::to_string(rank));
            }
            found.push_back(rank);
        }
    }
    ranks = std::move(found);
}

void
ReadNodes(ExperimentReader& reader,
          const std::string& key,
          const FabricTopology& topology,
          std::vector<uint32_t>& nodes)
{
    const ExperimentNode* node = reader.Find(key);
    if (node == nullptr)
    {
        return;
    }
    std::vector<uint32_t> found;
    for (const ExperimentNode* item : ItemsOf(reader, key, *node))
    {
        const auto place = FindNode(topology, item->text);
        if (!place)
        {
            throw FabricInputError(
                reader.File(),
                item->line,
                "key '" + reader.FullKey(key) + "': item " + FabricInputError::Quote(item->text) +
                    " is not a node; allowed: names such as " + topology.GetNodes().front().name +
                    " and " + topology.GetNodes().back().name);
        }
        found.push_back(*place);
    }
    nodes = std::move(found);
}

LinkEventSpec
ReadLinkEvent(ExperimentReader& event, const FabricTopology& topology)
{
    event.Require({"time", "link", "state"});
    LinkEventSpec spec;
    event.ReadTime("time", spec.timePs, 0, FabricUnits::MAX_TIME_PS);
    std::string state;
    event.ReadWord("state", state, {"up", "down"});
    spec.up = state == "up";

    std::vector<uint32_t> ends;
    ReadNodes(event, "link", topology, ends);
    if (ends.size() != 2)
    {
        event.RefuseValue("link", "must be a list of two nodes", "e.g. [leaf0, spine1]");
    }
    uint32_t skip = 0;
    event.ReadInteger("parallel", skip, 0, 1023);
    const auto& links = topology.GetLinks();
    for (std::size_t i = 0; i < links.size(); ++i)
    {
        const bool between = (links[i].a == ends[0] && links[i].b == ends[1]) ||
                             (links[i].a == ends[1] && links[i].b == ends[0]);
        if (between && skip-- == 0)
        {
            spec.link = static_cast<uint32_t>(i);
            return spec;
        }
    }
    event.RefuseValue("link", "names two nodes without such a link between them", "");
}

} // namespace ns3::rdma::runner

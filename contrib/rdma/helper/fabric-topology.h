/* SPDX-License-Identifier: GPL-2.0-only */
/* The plan of a network: hosts, switches and the links between them. */

#ifndef FABRIC_TOPOLOGY_H
#define FABRIC_TOPOLOGY_H

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ns3
{

/// \ingroup rdma
/// What a node of a topology is.
enum class FabricNodeKind : uint8_t
{
    HOST,  //!< sends and receives, never forwards
    SWITCH //!< forwards
};

/**
 * \ingroup rdma
 * What a link is like, the same in both directions.
 */
struct FabricLinkSpec
{
    uint64_t bitsPerSecond{100'000'000'000}; //!< rate in bit/s, greater than 0
    int64_t delayPs{1'000'000};              //!< propagation delay in ps, greater than 0
    double errorRate{0};                     //!< probability that a frame is lost, 0 to 1
};

/**
 * \ingroup rdma
 * The plan of a network. It is a description only: a FabricTopologyHelper builds live nodes,
 * devices and channels from it.
 *
 * Nodes are numbered in the order in which they are added. Hosts also have a rank, their number
 * among the hosts: traffic, collectives and result files speak of ranks only. The ports of a node
 * are numbered from 0 in the order of its links. A host may have several links (several NICs), two
 * nodes may have several links between them, and a host may have none; Validate() tells the
 * mistakes that keep a plan from being built.
 */
class FabricTopology
{
  public:
    /// What GetRank() says of a switch.
    static constexpr uint32_t NO_RANK = std::numeric_limits<uint32_t>::max();

    /// A host or a switch.
    struct Node
    {
        std::string name;    //!< unique name for messages and result files
        FabricNodeKind kind; //!< host or switch
        uint8_t tier;        //!< 0 for hosts; 1 for switches of hosts, and so on upwards
        uint32_t rank;       //!< number among the hosts, or NO_RANK
        uint32_t degree;     //!< how many links end here
        /// Where a switch stands in a regular network, as the builder says; else empty.
        std::vector<uint32_t> coordinates;
    };

    /// A link between two nodes.
    struct Link : FabricLinkSpec
    {
        uint32_t a; //!< the node at one end
        uint32_t b; //!< the node at the other end
    };

    /**
     * \param link The link between them.
     * \return Two hosts, h0 and h1, without a switch.
     */
    static FabricTopology BackToBack(const FabricLinkSpec& link);

    /**
     * \param hosts How many hosts, at least 1.
     * \param link The link from each host to the switch.
     * \return Hosts h0, h1, ... around the switch s0.
     */
    static FabricTopology Star(uint32_t hosts, const FabricLinkSpec& link);

    /**
     * \param left How many hosts on the left, at least 1.
     * \param right How many hosts on the right, at least 1.
     * \param host The link from each host to its switch.
     * \param bottleneck The link between the switches.
     * \return Hosts h0 to h(left - 1) at switch s0, the others at s1.
     */
    static FabricTopology Dumbbell(uint32_t left,
                                   uint32_t right,
                                   const FabricLinkSpec& host,
                                   const FabricLinkSpec& bottleneck);

    /// The size of a leaf-spine network.
    struct LeafSpineSize
    {
        uint32_t leaves;       //!< leaf switches, at least 1
        uint32_t spines;       //!< spine switches, at least 1 when there are several leaves
        uint32_t hostsPerLeaf; //!< hosts at each leaf, at least 1
        uint32_t parallel{1};  //!< links between each leaf and each spine, at least 1
    };

    /**
     * \param size How many of what.
     * \param host The link from each host to its leaf.
     * \param fabric Each link between a leaf and a spine.
     * \return Hosts h0, h1, ... leaf by leaf, leaves leaf0, ..., spines spine0, ...
     */
    static FabricTopology LeafSpine(const LeafSpineSize& size,
                                    const FabricLinkSpec& host,
                                    const FabricLinkSpec& fabric);

    /**
     * The k-ary fat-tree of Al-Fares et al. (SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation
     * switches, (k/2)^2 core switches, k^3/4 hosts, all switches with k ports. Aggregation switch i
     * of every pod is linked to the core switches i k/2 to (i + 1) k/2 - 1.
     * \param k Ports of a switch: even, 2 to 128.
     * \param host The link from each host to its edge switch.
     * \param fabric Each link between switches.
     * \return Hosts h0, h1, ... edge by edge, switches edge0, ..., agg0, ..., core0, ...
     */
    static FabricTopology FatTree(uint32_t k,
                                  const FabricLinkSpec& host,
                                  const FabricLinkSpec& fabric);

    /**
     * A ring of switches; the coordinate of a switch is its number.
     * \param switches How many switches, at least 3.
     * \param hostsPerSwitch Hosts at each switch, at least 1.
     * \param host The link from each host to its switch.
     * \param fabric Each link between switches.
     * \return Hosts h0, h1, ... switch by switch, switches s0, s1, ...
     */
    static FabricTopology Ring(uint32_t switches,
                               uint32_t hostsPerSwitch,
                               const FabricLinkSpec& host,
                               const FabricLinkSpec& fabric);

    /**
     * A torus: switches that differ by one in one coordinate are linked, and so are the first and
     * the last of each row. Two switches in a row have one link. The coordinates of a switch are
     * its place in each dimension; the first one counts fastest.
     * \param dimensions Switches in each dimension, at least 2 each; 1 to 8 dimensions.
     * \param hostsPerSwitch Hosts at each switch, at least 1.
     * \param host The link from each host to its switch.
     * \param fabric Each link between switches.
     * \return Hosts h0, h1, ... switch by switch; a switch is called s and its coordinates, for
     *         example s2-0. Links between switches are dimension by dimension.
     */
    static FabricTopology Torus(const std::vector<uint32_t>& dimensions,
                                uint32_t hostsPerSwitch,
                                const FabricLinkSpec& host,
                                const FabricLinkSpec& fabric);

    /// The size of a dragonfly network.
    struct DragonflySize
    {
        uint32_t routers; //!< switches of a group (a), at least 1
        uint32_t hosts;   //!< hosts at each switch (p), at least 1
        uint32_t globals; //!< links of each switch to other groups (h), at least 1
    };

    /**
     * The largest dragonfly of Kim et al. (ISCA 2008) of a size: a h + 1 groups, the switches of a
     * group all linked to each other, and every two groups by one link. Link j of a group (link
     * j mod h of its switch j / h) leads to group j, or to group j + 1 when the own group is not
     * above j. The coordinates of a switch are its group and its place in the group.
     * \param size How many of what; at most 65,535 switches.
     * \param host The link from each host to its switch.
     * \param local Each link inside a group.
     * \param global Each link between groups.
     * \return Hosts h0, h1, ... switch by switch; a switch is called r, its group and its place,
     *         for example r8-3.
     */
    static FabricTopology Dragonfly(const DragonflySize& size,
                                    const FabricLinkSpec& host,
                                    const FabricLinkSpec& local,
                                    const FabricLinkSpec& global);

    /// The size of a rail-optimized network.
    struct RailSize
    {
        uint32_t units;   //!< scalable units, at least 1
        uint32_t servers; //!< servers of a unit, at least 1
        uint32_t rails;   //!< cards of a server, and leaf switches of a unit, at least 1
        uint32_t spines;  //!< spine switches, at least 1 when there are several leaves
    };

    /**
     * A rail-optimized network, for servers with a network card per accelerator: card i of all
     * servers of a unit is linked to leaf switch i of the unit, and every leaf to every spine.
     * \param size How many of what.
     * \param host The link from each card to its leaf.
     * \param fabric Each link between a leaf and a spine.
     * \return Hosts h0, h1, ... unit by unit, with a link for each rail in the order of the rails;
     *         leaves leaf0-0 (unit, rail), ..., spines spine0, ...
     */
    static FabricTopology RailOptimized(const RailSize& size,
                                        const FabricLinkSpec& host,
                                        const FabricLinkSpec& fabric);

    /**
     * \param name The name of the host; empty for h and its rank.
     * \return The number of the new node.
     */
    uint32_t AddHost(const std::string& name = "");

    /**
     * \param name The name of the switch; empty for s and its number among the switches.
     * \param tier Its tier, 1 next to the hosts.
     * \return The number of the new node.
     */
    uint32_t AddSwitch(const std::string& name = "", uint8_t tier = 1);

    /**
     * Says where a switch stands, for routing engines that go by coordinates.
     * \param node The number of a switch.
     * \param coordinates Its place in each dimension.
     */
    void SetCoordinates(uint32_t node, std::vector<uint32_t> coordinates);

    /**
     * Adds a link. It is checked by Validate(), not here.
     * \param a The node at one end.
     * \param b The node at the other end.
     * \param spec What the link is like.
     * \return The number of the new link.
     */
    uint32_t AddLink(uint32_t a, uint32_t b, const FabricLinkSpec& spec);

    /// \return All nodes, by number.
    const std::vector<Node>& GetNodes() const;

    /// \return All links, by number.
    const std::vector<Link>& GetLinks() const;

    /// \return The nodes that are hosts, by rank.
    const std::vector<uint32_t>& GetHosts() const;

    /// \return The nodes that are switches, in the order in which they were added.
    const std::vector<uint32_t>& GetSwitches() const;

    /**
     * Checks the plan: every link has two different ends that exist, a rate and a delay greater
     * than 0 and an error rate from 0 to 1; names are unique; there is a host; every host has a
     * link; and every two hosts have a path that leads through no third host.
     * \return One sentence for each mistake, at most 10; nothing when the plan can be built.
     */
    std::vector<std::string> Validate() const;

  private:
    /**
     * \param kind Host or switch.
     * \param name Its name, or empty.
     * \param tier Its tier.
     * \return The number of the new node.
     */
    uint32_t AddNode(FabricNodeKind kind, const std::string& name, uint8_t tier);

    /**
     * \param problems Sentences about links and names are added here.
     */
    void CheckParts(std::vector<std::string>& problems) const;

    /**
     * \param problems Sentences about hosts without link or path are added here.
     */
    void CheckPaths(std::vector<std::string>& problems) const;

    std::vector<Node> m_nodes;        //!< by number
    std::vector<Link> m_links;        //!< by number
    std::vector<uint32_t> m_hosts;    //!< nodes by rank
    std::vector<uint32_t> m_switches; //!< nodes that are switches
};

} // namespace ns3

#endif /* FABRIC_TOPOLOGY_H */

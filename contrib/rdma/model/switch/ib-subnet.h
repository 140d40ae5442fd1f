/* SPDX-License-Identifier: GPL-2.0-only */
/* The switches, cables and hosts of an InfiniBand subnet, as a routing engine sees them. */

#ifndef IB_SUBNET_H
#define IB_SUBNET_H

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * What a subnet manager finds when it explores the fabric: switches, the cables between their
 * ports, and hosts at their ports; numbers, and names for messages. Cables that do not work are not
 * in it.
 *
 * Hosts do not forward. A host with several cards is several hosts here: what counts are endpoints.
 */
class IbSubnet
{
  public:
    /// What stands for the switch of a host that is not attached.
    static constexpr uint32_t NO_SWITCH = std::numeric_limits<uint32_t>::max();
    /// Distance of a switch that cannot be reached.
    static constexpr uint32_t UNREACHED = std::numeric_limits<uint32_t>::max();

    /// What is at the other end of a port.
    enum class Far : uint8_t
    {
        NOTHING, //!< no cable, or one that does not work
        SWITCH,  //!< another switch
        HOST     //!< a host
    };

    /// A port of a switch.
    struct Port
    {
        uint32_t peer{0};       //!< number of the switch, or of the endpoint
        uint16_t peerPort{0};   //!< port of the other switch
        Far kind{Far::NOTHING}; //!< what is at the other end
    };

    /**
     * \param name Its name.
     * \param coordinates Its place in a regular network; empty when it has none.
     * \return The number of the new switch, from 0.
     */
    uint32_t AddSwitch(std::string name, std::vector<uint32_t> coordinates = {});
    /**
     * Adds a cable; two switches may have several.
     * \param a The switch and the port at one end.
     * \param b The switch and the port at the other end.
     */
    void AddCable(std::pair<uint32_t, uint16_t> a, std::pair<uint32_t, uint16_t> b);
    /**
     * \param name Its name.
     * \return The endpoint number of the new host, from 0. It is not attached yet.
     */
    uint32_t AddHost(std::string name);
    /**
     * Plugs a host in.
     * \param endpoint The host.
     * \param at The switch and the port.
     */
    void Attach(uint32_t endpoint, std::pair<uint32_t, uint16_t> at);
    /**
     * Notes a cable from host to host.
     * \param a The one.
     * \param b The other.
     */
    void ConnectHosts(uint32_t a, uint32_t b);

    /// \return How many switches there are.
    uint32_t GetNSwitches() const;
    /// \return How many hosts there are.
    uint32_t GetNHosts() const;
    /**
     * \param at A switch.
     * \return Its name.
     */
    const std::string& GetName(uint32_t at) const;
    /**
     * \param endpoint A host.
     * \return Its name.
     */
    const std::string& GetHostName(uint32_t endpoint) const;
    /**
     * \param at A switch.
     * \return Its coordinates, empty when it has none.
     */
    const std::vector<uint32_t>& GetCoordinates(uint32_t at) const;
    /**
     * \param at A switch.
     * \return Its ports by number, up to the last one with a cable.
     */
    const std::vector<Port>& GetPorts(uint32_t at) const;
    /**
     * \param at A switch.
     * \return The hosts at its ports, by port.
     */
    std::vector<uint32_t> GetHosts(uint32_t at) const;
    /// \return The switches with hosts, in ascending order.
    std::vector<uint32_t> GetLeaves() const;
    /**
     * \param endpoint A host.
     * \return The switch that it is plugged into, or NO_SWITCH.
     */
    uint32_t GetSwitchOf(uint32_t endpoint) const;
    /**
     * \param endpoint A host that is attached.
     * \return The port of its switch.
     */
    uint16_t GetPortOf(uint32_t endpoint) const;
    /**
     * \param a A host.
     * \param b Another.
     * \return Whether there is a cable from the one to the other.
     */
    bool AreConnected(uint32_t a, uint32_t b) const;
    /**
     * Breadth-first search.
     * \param roots Where to begin.
     * \return For each switch the hops to the nearest root, or UNREACHED.
     */
    std::vector<uint32_t> GetDistances(const std::vector<uint32_t>& roots) const;

  private:
    /// A switch.
    struct Switch
    {
        std::string name;                  //!< for messages
        std::vector<uint32_t> coordinates; //!< its place
        std::vector<Port> ports;           //!< by number
    };

    /// A host.
    struct Host
    {
        std::string name;           //!< for messages
        uint32_t at{NO_SWITCH};     //!< its switch
        uint32_t direct{NO_SWITCH}; //!< the host at the other end of its cable, if any
        uint16_t port{0};           //!< the port of the switch
    };

    /**
     * \param at A switch and a port of it, which must be free.
     * \return The port.
     */
    Port& MakePort(std::pair<uint32_t, uint16_t> at);

    std::vector<Switch> m_switches; //!< by number
    std::vector<Host> m_hosts;      //!< by endpoint
};

} // namespace rdma
} // namespace ns3

#endif /* IB_SUBNET_H */

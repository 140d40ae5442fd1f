/* SPDX-License-Identifier: GPL-2.0-only */
/* The local identifiers (LIDs) of the hosts of an InfiniBand subnet. */

#ifndef IB_LIDS_H
#define IB_LIDS_H

#include <cstdint>
#include <string>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Gives each host port of a subnet its LIDs: 2^LMC in a row, the first one (the base LID) a
 * multiple of 2^LMC, so that the low LMC bits choose among the paths to the port. Endpoint e has
 * the base LID (e + 1) 2^LMC, so a new sweep changes no LID. Switches get none: their management
 * ports are not modelled.
 *
 * Unicast LIDs are 0x0001 to 0xBFFF (InfiniBand Architecture Specification, volume 1, 4.1.3).
 */
class IbLids
{
  public:
    /// The highest unicast LID.
    static constexpr uint16_t LAST_UNICAST = 0xBFFF;
    /// The largest LMC.
    static constexpr uint8_t MAX_LMC = 7;

    /**
     * \param endpoints How many host ports there are.
     * \param lmc LID mask control.
     * \return Empty, or a sentence that says why there are not enough LIDs.
     */
    static std::string Check(uint32_t endpoints, uint32_t lmc);

    /**
     * Aborts when Check() has something to say.
     * \param endpoints How many host ports there are.
     * \param lmc LID mask control, 0 to 7.
     */
    IbLids(uint32_t endpoints, uint8_t lmc);

    /// \return The LID mask control.
    uint8_t GetLmc() const;
    /// \return How many LIDs each host port has.
    uint32_t GetPerPort() const;
    /// \return How many host ports there are.
    uint32_t GetNEndpoints() const;
    /**
     * \param endpoint A host port.
     * \return Its first LID.
     */
    uint16_t GetBase(uint32_t endpoint) const;
    /// \return The highest LID in use, 0 when there is none.
    uint16_t GetTop() const;
    /**
     * \param lid A LID.
     * \return The host port that it belongs to, GetNEndpoints() when it belongs to none.
     */
    uint32_t FindEndpoint(uint16_t lid) const;

  private:
    uint32_t m_endpoints; //!< how many host ports
    uint8_t m_lmc;        //!< LID mask control
};

} // namespace rdma
} // namespace ns3

#endif /* IB_LIDS_H */

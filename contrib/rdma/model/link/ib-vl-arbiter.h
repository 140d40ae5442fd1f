/* SPDX-License-Identifier: GPL-2.0-only */
/* Virtual lane arbitration of an InfiniBand port. */

#ifndef IB_VL_ARBITER_H
#define IB_VL_ARBITER_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Which virtual lane of a port sends next (IBA volume 1, section 7.6.9): two tables of lanes and
 * weights, the high one before the low one, but for an opportunity of the low one after so many
 * bytes of the high one.
 *
 * A table is gone through in a circle. An entry keeps its turn until it has sent its weight, in
 * units of 64 bytes; the last packet may overdraw it. An entry whose lane cannot send loses its
 * turn. Every entry that is passed starts with its whole weight next time, so no lane waits for
 * longer than the weights of the others allow.
 */
class IbVlArbiter
{
  public:
    /// Value of the limit that never lets the low table go before the high one.
    static constexpr uint8_t NO_LIMIT = 255;

    /**
     * \param high The high priority table: lane:weight pairs with commas between, as OpenSM writes
     *        them. Lanes 0 to 14, weights 0 to 255 in units of 64 bytes, at most 64 entries.
     * \param low The low priority table.
     * \param limit Bytes of high priority, in units of 4096, before the low table gets an
     *        opportunity; 0: one packet; 255: as many as there are.
     * \param lanes How many data lanes are in use; each must have a weight somewhere. Entries of
     *        other lanes are left out.
     * \return Empty, or a sentence that says what is wrong.
     */
    std::string Configure(const std::string& high,
                          const std::string& low,
                          uint8_t limit,
                          uint32_t lanes);

    /**
     * \param eligible Mask of the data lanes that have a packet that may be sent; not 0.
     * \return The lane whose turn it is. If it cannot send after all, ask again without it.
     */
    uint32_t Select(uint32_t eligible);

    /**
     * Takes note that the lane that was selected last sends.
     * \param bytes Length of the packet.
     */
    void Charge(uint32_t bytes);

  private:
    /// An entry of a table.
    struct Entry
    {
        uint8_t lane;    //!< virtual lane
        uint32_t weight; //!< bytes it may send in its turn
    };

    /// A table, and whose turn it is.
    struct Table
    {
        std::vector<Entry> entries; //!< those with a weight
        uint32_t mask{0};           //!< lanes that occur
        uint32_t turn{0};           //!< entry whose turn it is
        uint32_t used{0};           //!< bytes that it has sent in this turn
    };

    /**
     * \param text A table as text.
     * \param lanes How many data lanes are in use.
     * \param [out] table The table.
     * \return Empty, or what is wrong.
     */
    static std::string Parse(const std::string& text, uint32_t lanes, Table& table);
    /**
     * \param table A table.
     * \param eligible Mask of lanes, at least one of which is in the table.
     * \return The lane whose turn it is.
     */
    static uint32_t Next(Table& table, uint32_t eligible);

    Table m_high;               //!< high priority table
    Table m_low;                //!< low priority table
    Table* m_selected{nullptr}; //!< the table that the last lane was selected from
    uint64_t m_limit{0};        //!< bytes of high priority before an opportunity of the low one
    uint64_t m_highBytes{0};    //!< bytes of high priority since the last of low priority
    bool m_unlimited{false};    //!< the low table waits for as long as the high one sends
};

} // namespace rdma
} // namespace ns3

#endif /* IB_VL_ARBITER_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* The congestion control table of an InfiniBand channel adapter. */

#ifndef RDMA_IB_CCT_H
#define RDMA_IB_CCT_H

#include "ns3/attribute-helper.h"

#include <cstdint>
#include <istream>
#include <ostream>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The congestion control table (IBA volume 1, annex A10): how much slower a flow sends for each
 * value of its index, the CCTI. An entry is a multiplier of 14 bits and a shift of 2 bits. After
 * each packet the flow waits for the packet's time x multiplier / 2^shift, so it sends at the rate
 * of the link / (1 + multiplier / 2^shift).
 *
 * As text: "linear" or "llnl", which are tables of 128 entries, or all entries from index 0 on with
 * blanks between, each as shift:multiplier.
 */
class RdmaIbCct
{
  public:
    /// An entry.
    struct Entry
    {
        uint8_t shift;       //!< 0 to 3
        uint16_t multiplier; //!< 0 to 16383
    };

    static constexpr uint8_t MAX_SHIFT = 3;            //!< of 2 bits
    static constexpr uint16_t MAX_MULTIPLIER = 16383;  //!< of 14 bits
    static constexpr uint32_t PRESET_ENTRIES = 128;    //!< of the tables with a name
    static constexpr uint32_t MAX_ENTRIES = 64 * 1024; //!< an index has 16 bits

    /// The table "linear".
    RdmaIbCct();
    /// \param entries The entries, 1 to MAX_ENTRIES.
    explicit RdmaIbCct(std::vector<Entry> entries);

    /// \return Entry i is 0:i, so that a flow sends at 1 / (1 + i) of the rate of the link.
    static RdmaIbCct Linear();
    /**
     * \return Entry i is 3:floor(7 i^2 / 106^2 / 0.408): slow at first, then steeper. The formula
     *         of the congestion control optimizer of Lawrence Livermore National Laboratory.
     */
    static RdmaIbCct Llnl();

    /// \return Number of entries, at least 1.
    uint32_t GetSize() const;
    /// \param index A CCTI below the size. \return Its entry.
    const Entry& GetEntry(uint32_t index) const;
    /**
     * \param index A CCTI below the size.
     * \param bitsPerSecond Rate of the link.
     * \return Rate of a flow with that index, in bit/s, rounded down.
     */
    uint64_t GetRate(uint32_t index, uint64_t bitsPerSecond) const;

    /// \param other Another table. \return Whether all entries are the same.
    bool operator==(const RdmaIbCct& other) const;

  private:
    std::vector<Entry> m_entries; //!< by index
};

/**
 * \param os A stream.
 * \param table A table.
 * \return The stream, with all entries.
 */
std::ostream& operator<<(std::ostream& os, const RdmaIbCct& table);
/**
 * \param is A stream with a table as text and nothing else; it fails when the text is none.
 * \param table The table.
 * \return The stream.
 */
std::istream& operator>>(std::istream& is, RdmaIbCct& table);

ATTRIBUTE_HELPER_HEADER(RdmaIbCct);

} // namespace rdma
} // namespace ns3

#endif /* RDMA_IB_CCT_H */

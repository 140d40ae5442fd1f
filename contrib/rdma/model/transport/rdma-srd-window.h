/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_WINDOW_H
#define RDMA_SRD_WINDOW_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * A set of packet sequence numbers: all below a base, and some above it, one bit each. Numbers have
 * 64 bits; packets carry the lower 32.
 */
class RdmaSrdWindow
{
  public:
    /// The first sequence number of each peer: numbers on the wire wrap round early, always.
    static constexpr uint64_t FIRST = 0xffffff00;

    /// \return The lowest number that is not in the set.
    uint64_t GetBase() const
    {
        return m_base;
    }

    /**
     * \param sequence A number.
     * \return Whether it is in the set.
     */
    bool Contains(uint64_t sequence) const
    {
        return sequence < m_base || (sequence - m_base < GetRoom() &&
                                     (m_words[WordOf(sequence)] >> (sequence & 63) & 1));
    }

    /**
     * Adds a number.
     * \param sequence A number that is not in the set.
     */
    void Insert(uint64_t sequence);

    /**
     * \param sequence A number.
     * \return Bit i: whether \p sequence - 64 + i is in the set.
     */
    uint64_t GetBefore(uint64_t sequence) const;

    /**
     * \param wire The lower 32 bits of a number within 2^31 of the base.
     * \return The number; it may be below the first one, 0 at worst.
     */
    uint64_t Widen(uint32_t wire) const
    {
        return m_base + static_cast<uint64_t>(static_cast<int64_t>(
                            static_cast<int32_t>(wire - static_cast<uint32_t>(m_base))));
    }

  private:
    /// \return How many numbers from the base on there is room for.
    uint64_t GetRoom() const
    {
        return 64 * m_words.size();
    }

    /// \param sequence A number. \return The word with its bit.
    uint64_t WordOf(uint64_t sequence) const
    {
        return (sequence >> 6) & (m_words.size() - 1);
    }

    /// Makes twice the room.
    void Grow();

    uint64_t m_base{FIRST};        //!< all below are in the set
    std::vector<uint64_t> m_words; //!< ring of bits; a power of two of words
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_WINDOW_H */

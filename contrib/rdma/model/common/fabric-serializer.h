/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_SERIALIZER_H
#define FABRIC_SERIALIZER_H

#include <cstdint>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The time that bytes take on a wire, without rounding error.
 *
 * A byte at 800 Gb/s takes 10 ps, at 54.55 Gb/s (InfiniBand FDR) 146.65 ps: the fraction of a
 * picosecond that a frame leaves is carried into the next one that follows without a gap, so the
 * end of the n-th back-to-back frame is the closed form, n x bits / rate, rounded up once.
 */
class FabricSerializer
{
  public:
    /// \param bitsPerSecond The rate of the wire, greater than 0.
    void SetRate(uint64_t bitsPerSecond)
    {
        m_rate = bitsPerSecond;
        m_psPerByte = PS_PER_BYTE_AT_1BPS % bitsPerSecond ? 0 : PS_PER_BYTE_AT_1BPS / bitsPerSecond;
        m_fraction = 0;
    }

    /// \return The rate of the wire in bit/s.
    uint64_t GetRate() const
    {
        return m_rate;
    }

    /// \return When the wire is free again, in picoseconds.
    int64_t GetFree() const
    {
        return m_free;
    }

    /**
     * Puts bytes on the wire as soon as it is free.
     * \param now When the bytes are ready, in picoseconds.
     * \param bytes Bytes including preamble and gap; at most 2^20.
     * \return When the last bit has left, in picoseconds, rounded up.
     */
    int64_t Send(int64_t now, uint32_t bytes)
    {
        if (now > m_free)
        {
            m_free = now;
            m_fraction = 0;
        }
        if (m_psPerByte)
        {
            m_free += static_cast<int64_t>(bytes * m_psPerByte);
            return m_free;
        }
        const uint64_t scaled = bytes * PS_PER_BYTE_AT_1BPS + m_fraction;
        m_free += static_cast<int64_t>(scaled / m_rate);
        m_fraction = scaled % m_rate;
        return m_free + (m_fraction != 0);
    }

    /**
     * \param bitsPerSecond A rate.
     * \param bytes Bytes on the wire; at most 2^20.
     * \return How long they take from idle, in picoseconds, rounded up.
     */
    static int64_t Duration(uint64_t bitsPerSecond, uint32_t bytes)
    {
        return static_cast<int64_t>((bytes * PS_PER_BYTE_AT_1BPS + bitsPerSecond - 1) /
                                    bitsPerSecond);
    }

  private:
    /// Picoseconds that one byte takes at 1 bit/s.
    static constexpr uint64_t PS_PER_BYTE_AT_1BPS = 8'000'000'000'000;

    int64_t m_free{0};       //!< when the wire is free, whole picoseconds
    uint64_t m_fraction{0};  //!< what is left over, in 1 / m_rate picoseconds
    uint64_t m_psPerByte{0}; //!< exact time of a byte, or 0 when it is not a whole number
    uint64_t m_rate{1};      //!< bit/s
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_SERIALIZER_H */

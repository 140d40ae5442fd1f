/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_HEADROOM_H
#define FABRIC_HEADROOM_H

#include <cstdint>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * How many bytes can still arrive on a lossless lane after the switch has decided to stop it.
 *
 * The terms are those of the published headroom calculation of SONiC for Mellanox switches: the
 * frame that is under way on the pausing side before the pause can leave, the bytes on the cable
 * in both directions, the delays of MAC and PHY, what the peer sends until it obeys (IEEE 802.3,
 * annex 31B.3.7), and one lossless frame that the peer has just begun.
 */
struct FabricHeadroom
{
    uint64_t bitsPerSecond{0}; //!< rate of the link
    uint64_t cableBytes{0};    //!< bytes on the cable, both directions together
    uint64_t portMtu{0};       //!< longest frame in the direction of the pause, bytes
    uint64_t losslessMtu{0};   //!< longest frame of the lossless lane, bytes
    uint64_t delayBytes{0};    //!< MAC, PHY, gearbox and pipeline delays, bytes at the rate
    uint64_t responseBytes{0}; //!< what the peer sends until it obeys

    /// \return The headroom in bytes, not rounded.
    uint64_t Get() const
    {
        return losslessMtu + portMtu + cableBytes + delayBytes + responseBytes;
    }

    /**
     * \param bytes A number of bytes.
     * \return The next multiple of 1 KiB.
     */
    static uint64_t RoundUpToKib(uint64_t bytes)
    {
        return (bytes + 1023) / 1024 * 1024;
    }

    /**
     * \param bitsPerSecond Rate of the link.
     * \return Quanta of 512 bit times that a peer may take to obey (IEEE 802.3, annex 31B.3.7, as
     *         listed in SONiC's headroom script).
     */
    static uint32_t StandardResponseQuanta(uint64_t bitsPerSecond);

    /**
     * \param ps A time in picoseconds.
     * \param bitsPerSecond A rate.
     * \return Bytes that pass in that time, rounded up.
     */
    static uint64_t BytesIn(int64_t ps, uint64_t bitsPerSecond);
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_HEADROOM_H */

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_AETH_H
#define RDMA_AETH_H

#include "ns3/rdma-byte-io.h"

#include <cstdint>
#include <optional>

namespace ns3
{
namespace rdma
{

/// What an AETH says: the upper three bits of its syndrome (IBA volume 1, section 9.3).
enum class RdmaAethKind : uint8_t
{
    ACK = 0x00,      //!< acknowledge; the detail is an end-to-end credit code
    RNR_NAK = 0x20,  //!< receiver not ready; the detail is a timer code
    RESERVED = 0x40, //!< not used
    NAK = 0x60,      //!< negative acknowledge; the detail is an RdmaNakCode
};

/// Detail of a NAK (IBA volume 1, section 9.7.5.2.8).
enum class RdmaNakCode : uint8_t
{
    PSN_SEQUENCE_ERROR = 0,       //!< a packet is missing: send again from this PSN
    INVALID_REQUEST = 1,          //!< the responder does not support or expect it
    REMOTE_ACCESS_ERROR = 2,      //!< bad R_Key, bounds or rights
    REMOTE_OPERATIONAL_ERROR = 3, //!< the responder failed
    INVALID_RD_REQUEST = 4,       //!< reliable datagram only
};

/// Credit code of an ACK that does not limit the requester.
inline constexpr uint8_t AETH_CREDITS_UNLIMITED = 31;

/// \param creditCode See RdmaAckCredits. \return Syndrome of an ACK.
constexpr uint8_t
RdmaAckSyndrome(uint8_t creditCode = AETH_CREDITS_UNLIMITED)
{
    return static_cast<uint8_t>(RdmaAethKind::ACK) | (creditCode & 31);
}

/// \param timerCode See RdmaRnrTimerPs. \return Syndrome of an RNR NAK.
constexpr uint8_t
RdmaRnrNakSyndrome(uint8_t timerCode)
{
    return static_cast<uint8_t>(RdmaAethKind::RNR_NAK) | (timerCode & 31);
}

/// \param code Why. \return Syndrome of a NAK.
constexpr uint8_t
RdmaNakSyndrome(RdmaNakCode code)
{
    return static_cast<uint8_t>(RdmaAethKind::NAK) | static_cast<uint8_t>(code);
}

/**
 * \param syndrome Syndrome of an AETH.
 * \return What it says. The top bit is reserved and ignored.
 */
constexpr RdmaAethKind
RdmaSyndromeKind(uint8_t syndrome)
{
    return static_cast<RdmaAethKind>(syndrome & 0x60);
}

/// \param syndrome Syndrome of an AETH. \return Its detail: credit, timer or NAK code.
constexpr uint8_t
RdmaSyndromeDetail(uint8_t syndrome)
{
    return syndrome & 31;
}

/**
 * \param timerCode Five-bit code of the RNR NAK timer (IBA volume 1, section 9.7.5.2.8); higher
 * bits are ignored. \return How long the requester must wait, in picoseconds: 10 us to 655.36 ms.
 */
int64_t RdmaRnrTimerPs(uint8_t timerCode);

/**
 * \param waitPs A time in picoseconds.
 * \return Code of the shortest RNR NAK timer that is at least as long; 0 (655.36 ms, the longest)
 * if none is.
 */
uint8_t RdmaRnrTimerCode(int64_t waitPs);

/**
 * \param creditCode Five-bit code of an ACK (IBA volume 1, section 9.7.7.2.4).
 * \return Receive work requests that the responder offers, or nothing for
 *         AETH_CREDITS_UNLIMITED.
 */
std::optional<uint32_t> RdmaAckCredits(uint8_t creditCode);

/**
 * \param credits Receive work requests posted at the responder.
 * \return The code of the largest count that does not exceed it.
 */
uint8_t RdmaAckCreditCode(uint32_t credits);

/**
 * \ingroup rdma
 * ACK extended transport header (IBA volume 1, section 9.3).
 */
struct RdmaAeth
{
    uint8_t syndrome{0}; //!< ACK, RNR NAK or NAK, with five bits of detail
    uint32_t msn{0};     //!< messages that the responder has completed, 24 bit

    /// \param writer Takes the 4 bytes of the header.
    void Write(ByteWriter& writer) const;

    /**
     * \param reader Stands at the header; steps over it when it is complete.
     * \return The header, or nothing when bytes are missing.
     */
    static std::optional<RdmaAeth> Read(ByteReader& reader);
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_AETH_H */

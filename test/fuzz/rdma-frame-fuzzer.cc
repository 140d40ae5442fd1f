/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/ib-crc.h"
#include "ns3/rdma-byte-io.h"
#include "ns3/rdma-header-sizes.h"
#include "ns3/rdma-icrc.h"
#include "ns3/rdma-infiniband-frame.h"
#include "ns3/rdma-pause-frame.h"
#include "ns3/rdma-roce-v1-frame.h"
#include "ns3/rdma-roce-v2-frame.h"

#include <cstdlib>

/**
 * \file
 * A libFuzzer target: no bytes crash a decoder of frames, and what a decoder takes comes back the
 * same when it is encoded and decoded again.
 *
 * The first byte of an input selects the link layer, and whether the CRCs are made right first:
 * without that, no mutation gets behind them.
 */

using namespace ns3::rdma;

namespace
{

/// What the first byte selects.
enum Layer
{
    ROCE_V2_IPV4,
    ROCE_V2_IPV6,
    ROCE_V1,
    INFINIBAND,
    INFINIBAND_GRH,
    PAUSE,
    COUNT
};

/**
 * \param layer A link layer.
 * \param [in,out] bytes A packet; gets right CRCs at its end if it is long enough.
 */
void
Seal(Layer layer, std::vector<uint8_t>& bytes)
{
    const bool infiniBand = layer == INFINIBAND || layer == INFINIBAND_GRH;
    if (infiniBand && bytes.size() == FLOW_CONTROL_PACKET_BYTES)
    {
        bytes.resize(FLOW_CONTROL_PACKET_BYTES - VCRC_BYTES);
        ByteWriter(bytes).WriteU16LittleEndian(IbCrc16(bytes.data(), bytes.size()));
        return;
    }
    const std::size_t trailer = ICRC_BYTES + (infiniBand ? VCRC_BYTES : 0);
    const std::size_t start = infiniBand ? 0 : ETHERNET_HEADER_BYTES;
    if (layer == PAUSE || bytes.size() < start + trailer)
    {
        return;
    }
    bytes.resize(bytes.size() - trailer);
    const uint8_t* packet = bytes.data() + start;
    const std::size_t size = bytes.size() - start;
    const auto icrc = infiniBand         ? IbIcrc(packet, size)
                      : layer == ROCE_V1 ? RoceV1Icrc(packet, size)
                                         : RoceV2Icrc(packet, size);
    ByteWriter writer(bytes);
    writer.WriteU32LittleEndian(icrc.value_or(0));
    if (infiniBand)
    {
        writer.WriteU16LittleEndian(IbCrc16(bytes.data(), bytes.size()));
    }
}

/// See RdmaFrameCodec::Decode.
std::optional<RdmaFrameExtras>
Decode(Layer layer, const std::vector<uint8_t>& bytes, FabricFrame& frame)
{
    switch (layer)
    {
    case ROCE_V2_IPV4:
    case ROCE_V2_IPV6:
        return DecodeRoceV2Frame(bytes.data(), bytes.size(), layer == ROCE_V2_IPV6, frame);
    case ROCE_V1:
        return DecodeRoceV1Frame(bytes.data(), bytes.size(), frame);
    case INFINIBAND:
    case INFINIBAND_GRH:
        return DecodeInfiniBandFrame(bytes.data(), bytes.size(), layer == INFINIBAND_GRH, frame);
    default:
        return DecodePauseFrame(bytes.data(), bytes.size(), frame);
    }
}

/// See RdmaFrameCodec::Encode.
std::vector<uint8_t>
Encode(Layer layer, const FabricFrame& frame, const RdmaFrameExtras& extras)
{
    switch (layer)
    {
    case ROCE_V2_IPV4:
    case ROCE_V2_IPV6:
        return EncodeRoceV2Frame(frame, extras, layer == ROCE_V2_IPV6);
    case ROCE_V1:
        return EncodeRoceV1Frame(frame, extras);
    case INFINIBAND:
    case INFINIBAND_GRH:
        return frame.kind == FabricFrameKind::CREDIT
                   ? EncodeCreditFrame(frame)
                   : EncodeInfiniBandFrame(frame, extras, layer == INFINIBAND_GRH);
    default:
        return EncodePauseFrame(frame, extras.sourceMac);
    }
}

} // namespace

/**
 * What libFuzzer calls.
 * \param data Input.
 * \param size Its bytes.
 * \return 0
 */
extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    if (size == 0)
    {
        return 0;
    }
    const auto layer = static_cast<Layer>(data[0] % COUNT);
    std::vector<uint8_t> bytes(data + 1, data + size);
    if (data[0] & 0x80)
    {
        Seal(layer, bytes);
    }
    FabricFrame frame{};
    const auto extras = Decode(layer, bytes, frame);
    if (!extras)
    {
        return 0;
    }
    const std::vector<uint8_t> again = Encode(layer, frame, *extras);
    FabricFrame second{};
    const auto rest = Decode(layer, again, second);
    if (!rest || Encode(layer, second, *rest) != again || second.bytes != frame.bytes ||
        second.payload != frame.payload)
    {
        std::abort();
    }
    return 0;
}

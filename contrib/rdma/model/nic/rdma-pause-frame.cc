/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-pause-frame.h"

#include "ns3/assert.h"
#include "ns3/fabric-pause-header.h"
#include "ns3/fabric-pfc-header.h"
#include "ns3/rdma-ethernet-header.h"
#include "ns3/rdma-header-sizes.h"

#include <algorithm>

namespace ns3
{
namespace rdma
{

std::vector<uint8_t>
EncodePauseFrame(const FabricFrame& frame, Mac48Address source)
{
    if (frame.kind == FabricFrameKind::PFC)
    {
        FabricPfcHeader pfc;
        pfc.classEnable = frame.pause.classes;
        std::copy_n(frame.pause.quanta, FABRIC_PRIORITIES, pfc.quanta.begin());
        return pfc.MakeFrame(source);
    }
    NS_ASSERT_MSG(frame.kind == FabricFrameKind::PAUSE, "not a pause frame");
    FabricPauseHeader pause;
    pause.quanta = frame.pause.quanta[0];
    return pause.MakeFrame(source);
}

std::optional<RdmaFrameExtras>
DecodePauseFrame(const uint8_t* data, std::size_t size, FabricFrame& frame)
{
    ByteReader reader(data, size);
    const std::optional<RdmaEthernetHeader> ethernet = RdmaEthernetHeader::Read(reader);
    if (!ethernet || ethernet->etherType != ETHERTYPE_MAC_CONTROL)
    {
        return std::nullopt;
    }
    ByteReader body = reader;
    if (const std::optional<FabricPfcHeader> pfc = FabricPfcHeader::Read(body))
    {
        frame.kind = FabricFrameKind::PFC;
        frame.pause = FabricFrame::PauseFields{};
        frame.pause.classes = pfc->classEnable;
        std::copy(pfc->quanta.begin(), pfc->quanta.end(), frame.pause.quanta);
    }
    else if (const std::optional<FabricPauseHeader> pause = FabricPauseHeader::Read(reader))
    {
        frame.kind = FabricFrameKind::PAUSE;
        frame.pause = FabricFrame::PauseFields{};
        frame.pause.quanta[0] = pause->quanta;
    }
    else
    {
        return std::nullopt;
    }
    frame.bytes = PAUSE_FRAME_BYTES;
    RdmaFrameExtras extras;
    extras.sourceMac = ethernet->source;
    extras.destinationMac = ethernet->destination;
    return extras;
}

} // namespace rdma
} // namespace ns3

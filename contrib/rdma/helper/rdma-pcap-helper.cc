/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-pcap-helper.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-network.h"
#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/rdma-byte-io.h"
#include "ns3/rdma-frame-codec.h"
#include "ns3/rdma-header-sizes.h"
#include "ns3/simulator.h"

namespace ns3
{

using namespace rdma;

NS_LOG_COMPONENT_DEFINE("RdmaPcapHelper");

namespace
{

/// Link type of the Extensible Record Format in capture files.
constexpr uint32_t LINKTYPE_ERF = 197;

/// Bytes of the header of an ERF record.
constexpr uint32_t ERF_HEADER_BYTES = 16;

/// Type of a record with an InfiniBand packet.
constexpr uint8_t ERF_TYPE_INFINIBAND = 21;

/// Type of a record with an InfiniBand link packet (flow control).
constexpr uint8_t ERF_TYPE_INFINIBAND_LINK = 25;

/// Flag of a record: its length may differ from that of other records.
constexpr uint8_t ERF_FLAG_VARYING_LENGTH = 4;

/**
 * \param file A file.
 * \param packet An Ethernet frame to write.
 */
void
WriteEthernet(Ptr<PcapFileWrapper> file, Ptr<const Packet> packet)
{
    file->Write(Simulator::Now(), packet);
}

/**
 * \param file A file.
 * \param flowControlPackets Whether it gets flow control packets.
 * \param packet An InfiniBand packet to write.
 */
void
WriteInfiniBand(Ptr<PcapFileWrapper> file, bool flowControlPackets, Ptr<const Packet> packet)
{
    const uint32_t size = packet->GetSize();
    const bool isLinkPacket = size == FLOW_CONTROL_PACKET_BYTES;
    if (isLinkPacket && !flowControlPackets)
    {
        return;
    }
    const Time now = Simulator::Now();
    const uint64_t ps = static_cast<uint64_t>(now.GetPicoSeconds());
    constexpr uint64_t second = 1000000000000;
    const uint64_t seconds = ps / second;
    // Fractions of a second are units of 2^-32 s; 10^12 = 2^12 * 5^12 keeps the product in 64 bits.
    const uint64_t fraction = ((ps % second) << 20) / (second >> 12);

    std::vector<uint8_t> record;
    ByteWriter writer(record);
    writer.WriteU32LittleEndian(static_cast<uint32_t>(fraction));
    writer.WriteU32LittleEndian(static_cast<uint32_t>(seconds));
    writer.WriteU8(isLinkPacket ? ERF_TYPE_INFINIBAND_LINK : ERF_TYPE_INFINIBAND);
    writer.WriteU8(ERF_FLAG_VARYING_LENGTH);
    writer.WriteU16(static_cast<uint16_t>(ERF_HEADER_BYTES + size)); // of the record
    writer.WriteU16(0);                                              // lost records
    writer.WriteU16(static_cast<uint16_t>(size));                    // on the wire
    record.resize(ERF_HEADER_BYTES + size);
    packet->CopyData(record.data() + ERF_HEADER_BYTES, size);
    file->Write(now, record.data(), static_cast<uint32_t>(record.size()));
}

} // namespace

void
RdmaPcapHelper::SetFlowControlPackets(bool enable)
{
    m_flowControlPackets = enable;
}

void
RdmaPcapHelper::EnablePcapInternal(std::string prefix,
                                   Ptr<NetDevice> device,
                                   bool promiscuous,
                                   bool explicitFilename)
{
    const auto fabricDevice = DynamicCast<FabricNetDevice>(device);
    if (!fabricDevice)
    {
        NS_LOG_INFO("device " << device << " is no FabricNetDevice");
        return;
    }
    const Ptr<FabricNetwork> network = fabricDevice->GetNetwork();
    if (!network->GetCodec())
    {
        network->SetCodec(Create<RdmaFrameCodec>(*network));
    }
    const bool infiniBand = IsInfiniBand(network->GetEncapsulation());

    const std::string name =
        explicitFilename ? prefix : PcapHelper().GetFilenameFromDevice(prefix, device);
    const auto file =
        CreateObjectWithAttributes<PcapFileWrapper>("NanosecMode", BooleanValue(true));
    file->Open(name, std::ios::out);
    NS_ABORT_MSG_IF(file->Fail(), "The capture file " << name << " cannot be written");
    file->Init(infiniBand ? LINKTYPE_ERF : static_cast<uint32_t>(PcapHelper::DLT_EN10MB));
    fabricDevice->TraceConnectWithoutContext(
        promiscuous ? "PromiscSniffer" : "Sniffer",
        infiniBand ? MakeBoundCallback(&WriteInfiniBand, file, m_flowControlPackets)
                   : MakeBoundCallback(&WriteEthernet, file));
}

} // namespace ns3

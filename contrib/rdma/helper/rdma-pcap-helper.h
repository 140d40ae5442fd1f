/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PCAP_HELPER_H
#define RDMA_PCAP_HELPER_H

#include "ns3/trace-helper.h"

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Captures of the devices of a fabric, NICs and ports of switches alike, that Wireshark reads.
 *
 * EnablePcap takes a device, a name, nodes or all, as in other modules. A file has both directions,
 * with nanoseconds. On Ethernet it begins with the MAC header and has no FCS (DLT_EN10MB). On
 * InfiniBand it has records of the Extensible Record Format (LINKTYPE_ERF), whose clock ticks 2^32
 * times a second, from LRH to VCRC. Devices of other kinds are passed over.
 *
 * Whatever else is set (encapsulation, NICs), is set before.
 */
class RdmaPcapHelper : public PcapHelperForDevice
{
  public:
    /**
     * \param enable Whether captures of InfiniBand have flow control packets; they have not unless
     *        set. There is about one for each packet.
     */
    void SetFlowControlPackets(bool enable);

  private:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;

    bool m_flowControlPackets{false}; //!< whether they are captured
};

} // namespace ns3

#endif /* RDMA_PCAP_HELPER_H */

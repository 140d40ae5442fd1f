/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_NETWORK_H
#define FABRIC_NETWORK_H

#include "ns3/fabric-digest.h"
#include "ns3/fabric-frame-pool.h"
#include "ns3/fabric-path-records.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/mac48-address.h"
#include "ns3/object.h"
#include "ns3/rdma-wire-sizes.h"

#include <map>
#include <vector>

namespace ns3
{
namespace rdma
{

class FabricNetDevice;

/**
 * \ingroup rdma
 * Makes the ns3::Packet that a frame stands for, byte by byte. Called only when somebody looks.
 */
class FabricFrameCodec : public SimpleRefCount<FabricFrameCodec>
{
  public:
    virtual ~FabricFrameCodec() = default;
    /**
     * \param frame A frame of any kind but PACKET.
     * \return The packet from MAC header to the last byte before the FCS, or the InfiniBand packet
     *         with its CRC.
     */
    virtual Ptr<Packet> ToPacket(const FabricFrame& frame) const = 0;
};

/**
 * \ingroup rdma
 * What the devices of one fabric share: the pool of frames, and who is reachable by which number.
 *
 * Hosts are numbered 0, 1, 2, ... (endpoints); switches forward by that number. The network knows
 * which MAC and IPv4 address belongs to which endpoint, as a controller of a data centre does.
 */
class FabricNetwork : public Object
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    FabricNetwork();
    ~FabricNetwork() override;

    /// \return The pool that all frames of this network come from.
    FabricFramePool& GetPool()
    {
        return m_pool;
    }

    /// \return The digest of everything that happens in this network.
    FabricDigest& GetDigest()
    {
        return m_digest;
    }

    /**
     * \param device A device to be part of the network.
     * \return Its number.
     */
    uint32_t AddDevice(FabricNetDevice* device);
    /**
     * Makes a device reachable: gives it an endpoint number and an IPv4 address.
     * \param device A device of a host.
     * \return Its endpoint number.
     */
    uint32_t AddEndpoint(FabricNetDevice* device);

    /// \return All devices in the order in which they were added.
    const std::vector<FabricNetDevice*>& GetDevices() const;
    /// \return The devices of hosts; the index is the endpoint number.
    const std::vector<FabricNetDevice*>& GetEndpoints() const;

    /**
     * \param device A device whose address changed.
     * \param address The new address.
     */
    void SetMac(const FabricNetDevice* device, Mac48Address address);
    /**
     * \param address A MAC address.
     * \return The endpoint that has it; FABRIC_BROADCAST for group addresses; FABRIC_NO_ENDPOINT
     *         when nobody has it.
     */
    uint32_t FindMac(Mac48Address address) const;
    /**
     * Puts an endpoint into another subnet than 0. Addresses tell the subnet. Packets of RoCEv1 are
     * not routed between subnets.
     * \param endpoint An endpoint number.
     * \param subnet A number; the address that it makes must fit, see SubnetPrefixLength.
     */
    void SetSubnet(uint32_t endpoint, uint16_t subnet);
    /// \param endpoint An endpoint number. \return Its subnet, 0 unless set.
    uint16_t GetSubnet(uint32_t endpoint) const;
    /**
     * \param endpoint An endpoint number.
     * \return The IPv4 address that RDMA packets of the endpoint carry: 10.0.0.1 onwards in subnet
     *         0, and with the subnet in the bits that end with the prefix.
     */
    Ipv4Address GetAddress(uint32_t endpoint) const;
    /**
     * \param endpoint An endpoint number.
     * \return The identifier that RDMA packets with IPv6 header or GRH carry: GidPrefix, with the
     *         subnet in its last 16 bits, and the MAC address as EUI-64.
     */
    Ipv6Address GetGid(uint32_t endpoint) const;

    /**
     * \param endpoint An endpoint number.
     * \param lid Its local identifier on InfiniBand, the first of 2^lmc.
     * \param lmc LID mask control, 0 to 7.
     */
    void SetLid(uint32_t endpoint, uint16_t lid, uint8_t lmc);

    /**
     * \param endpoint An endpoint number.
     * \return Its first local identifier; 0: it has none.
     */
    uint16_t GetLid(uint32_t endpoint) const
    {
        return endpoint < m_lids.size() ? m_lids[endpoint] : 0;
    }

    /**
     * \param endpoint An endpoint number.
     * \return The LID mask control: it has 2^LMC local identifiers.
     */
    uint8_t GetLmc(uint32_t endpoint) const;

    /// \param records The paths of an InfiniBand subnet, set anew after each sweep.
    void SetPathRecords(Ptr<const FabricPathRecords> records);
    /// \return The paths of an InfiniBand subnet; nullptr elsewhere, and before the first sweep.
    const Ptr<const FabricPathRecords>& GetPathRecords() const;

    /// \param encapsulation What RDMA packets are wrapped in; set before NICs are made.
    void SetEncapsulation(RdmaEncapsulation encapsulation);
    /// \return What RDMA packets are wrapped in; RoCEv2 over IPv4 unless set.
    RdmaEncapsulation GetEncapsulation() const;

    /// \param codec Makes packets of RDMA frames for those who look.
    void SetCodec(Ptr<FabricFrameCodec> codec);
    /// \return The codec, or nullptr.
    Ptr<FabricFrameCodec> GetCodec() const;

  private:
    void DoDispose() override;

    FabricFramePool m_pool;                    //!< frames
    FabricDigest m_digest;                     //!< digest of events
    std::vector<FabricNetDevice*> m_devices;   //!< all devices
    std::vector<FabricNetDevice*> m_endpoints; //!< devices of hosts
    std::map<Mac48Address, uint32_t> m_byMac;  //!< endpoint of an address
    std::vector<uint16_t> m_lids;              //!< first local identifier of each endpoint
    std::vector<uint8_t> m_lmcs;               //!< LID mask control of each endpoint
    Ptr<const FabricPathRecords> m_records;    //!< paths of an InfiniBand subnet
    Ptr<FabricFrameCodec> m_codec;             //!< frames to packets
    RdmaEncapsulation m_encapsulation;         //!< of RDMA packets
    Ipv4Address m_base;                        //!< address before the first endpoint's
    uint8_t m_prefixLength;                    //!< of a subnet of IPv4, in bits
    Ipv6Address m_gidPrefix;                   //!< upper 64 bits of GIDs
    std::vector<uint16_t> m_subnets;           //!< by endpoint; 0 for those beyond the end
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_NETWORK_H */

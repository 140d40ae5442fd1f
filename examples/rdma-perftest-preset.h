/* SPDX-License-Identifier: GPL-2.0-only */
/* Generations of fabrics and hosts that rdma-perftest knows. */

#ifndef RDMA_PERFTEST_PRESET_H
#define RDMA_PERFTEST_PRESET_H

#include "ns3/object-factory.h"

#include <cstdint>
#include <string>

namespace ns3::rdma::perftest
{

/// A fabric and its hosts.
struct Preset
{
    const char* name;        //!< name on the command line
    bool infiniband;         //!< InfiniBand, else RoCEv2
    uint64_t rate;           //!< of the links, bit/s
    int64_t switchLatencyPs; //!< of each switch, ps
    uint64_t busRate;        //!< of the bus of a host for payload, bit/s
};

/**
 * The delays of a host. All presets have those of hdr, which are fitted to published latencies of
 * HDR adapters; only the bus differs.
 */
struct HostDelays
{
    int64_t doorbellPs;      //!< from post to NIC, ps
    int64_t readPs;          //!< round trip of a DMA read, ps
    int64_t writePs;         //!< DMA write, ps
    int64_t pollPs;          //!< until the program has seen it, ps
    int64_t transmitPs;      //!< NIC, ps
    int64_t receivePs;       //!< NIC, ps
    uint64_t packetReadRate; //!< at which memory gives a packet, bit/s
};

/// \return The delays of a host.
HostDelays GetHostDelays();

/// Propagation delay of each cable: 2 m at 5 ns/m.
constexpr int64_t CABLE_PS = 10'000;

/// \param name A name. \return The preset, or nullptr.
const Preset* FindPreset(const std::string& name);
/// \return The names of all presets, with blanks between.
std::string GetPresetNames();
/// \param preset A preset. \return A factory of its host interfaces.
ObjectFactory MakeHostInterface(const Preset& preset);

} // namespace ns3::rdma::perftest

#endif // RDMA_PERFTEST_PRESET_H

/* SPDX-License-Identifier: GPL-2.0-only */
/* Generations of fabrics and hosts that rdma-perftest knows. */

#include "rdma-perftest-preset.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <iterator>

namespace ns3::rdma::perftest
{

namespace
{

constexpr uint64_t GIGA = 1'000'000'000;

// Switch latencies: 90 ns and 130 ns are the usual figures of EDR and HDR switches; NDR switches
// are given as 150 ns and as 330 ns; Ethernet switches as 300 to 800 ns. All are to be swept.
// Buses: PCI Express x16 of generation 3, 4, 5 and 6, less 10 to 14 % for its headers: 14, 27, 54
// and 109 GB/s.
const Preset PRESETS[] = {
    {"edr", true, 100 * GIGA, 90'000, 112 * GIGA},
    {"hdr", true, 200 * GIGA, 130'000, 216 * GIGA},
    {"ndr", true, 400 * GIGA, 150'000, 432 * GIGA},
    {"xdr", true, 800 * GIGA, 150'000, 872 * GIGA},
    {"roce100", false, 100 * GIGA, 500'000, 112 * GIGA},
    {"roce200", false, 200 * GIGA, 500'000, 216 * GIGA},
    {"roce400", false, 400 * GIGA, 500'000, 432 * GIGA},
    {"roce800", false, 800 * GIGA, 500'000, 872 * GIGA},
};

} // namespace

HostDelays
GetHostDelays()
{
    HostDelays delays{};
    // The DMA read is read off the step that the HDR curve makes at the inline limit, 0.91 us. A
    // doorbell is one way on the bus, 100 to 250 ns; a DMA write is half of a round trip.
    delays.doorbellPs = 250'000;
    delays.readPs = 910'000;
    delays.writePs = 455'000;
    delays.pollPs = 50'000;
    // Fitted: what is left of 1.88 us for 2 bytes, in equal parts.
    delays.transmitPs = 490'000;
    delays.receivePs = 490'000;
    // Fitted to the slope between 1 KiB and 4 KiB, less what wire and bus take for a byte.
    delays.packetReadRate = 56 * GIGA;
    return delays;
}

const Preset*
FindPreset(const std::string& name)
{
    const auto* const found =
        std::find_if(std::begin(PRESETS), std::end(PRESETS), [&name](const Preset& preset) {
            return name == preset.name;
        });
    return found == std::end(PRESETS) ? nullptr : found;
}

std::string
GetPresetNames()
{
    std::string names;
    for (const Preset& preset : PRESETS)
    {
        names += (names.empty() ? "" : " ") + std::string(preset.name);
    }
    return names;
}

ObjectFactory
MakeHostInterface(const Preset& preset)
{
    const HostDelays delays = GetHostDelays();
    ObjectFactory factory("ns3::rdma::RdmaHostInterface");
    factory.Set("ReadDelay", TimeValue(PicoSeconds(delays.readPs)));
    factory.Set("WriteDelay", TimeValue(PicoSeconds(delays.writePs)));
    factory.Set("PollDelay", TimeValue(PicoSeconds(delays.pollPs)));
    factory.Set("TransmitLatency", TimeValue(PicoSeconds(delays.transmitPs)));
    factory.Set("ReceiveLatency", TimeValue(PicoSeconds(delays.receivePs)));
    factory.Set("PacketReadRate", DataRateValue(DataRate(delays.packetReadRate)));
    factory.Set("BusRate", DataRateValue(DataRate(preset.busRate)));
    return factory;
}

} // namespace ns3::rdma::perftest

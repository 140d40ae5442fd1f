/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads flow files of the HPCC simulator. */

#ifndef FABRIC_FLOW_FILE_H
#define FABRIC_FLOW_FILE_H

#include "ns3/fabric-topology.h"
#include "ns3/rdma-flow.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Reads transfers in the text form of the HPCC simulator and of the simulators before it.
 *
 * The first line is the number of flows, then there is one line per flow. Two forms exist, and as
 * both have six columns and no heading, the file does not tell which one it is:
 *
 * | form    | columns                                                                |
 * |---------|------------------------------------------------------------------------|
 * | BYTES   | source destination priority destination-port bytes start-in-seconds    |
 * | PACKETS | source destination priority packets start-in-seconds stop-in-seconds   |
 *
 * BYTES is what HPCC and its descendants read, and the rule is: a file is of that form unless the
 * caller says PACKETS. A file of the other form is usually noticed, because its fifth column has a
 * decimal point. With PACKETS, bytes = packets x Options::packetBytes, and the stop time has to be
 * after the start but does not end the flow: every flow here runs until its bytes are through.
 *
 * Source and destination are node numbers of the topology file; they become ranks of hosts. Times
 * may have more digits than a picosecond holds (files written with a double); those are cut off.
 * Flows are returned in the order of their start, of the file when equal, with ids 0, 1, 2, ...
 * What stands after the announced flows is not read, see FabricTopologyFile.
 */
class FabricFlowFile
{
  public:
    /// What the columns mean.
    enum class Form
    {
        BYTES,  //!< port, bytes, start
        PACKETS //!< packets, start, stop
    };

    /// Most flows that a file may announce.
    static constexpr uint64_t MAX_FLOWS = 100'000'000;

    /// How a file is to be read.
    struct Options
    {
        Form form{Form::BYTES};     //!< what the columns mean
        uint32_t packetBytes{1000}; //!< payload of a packet, for the form that counts packets
    };

    /**
     * \param file The path of the file.
     * \param topology The network whose nodes the file names.
     * \param options How to read it.
     * \param notes Remarks for the user are appended here when it is not nullptr.
     * \return The flows.
     * \throws FabricInputError
     */
    static std::vector<RdmaFlow> Read(const std::string& file,
                                      const FabricTopology& topology,
                                      const Options& options,
                                      std::vector<std::string>* notes = nullptr);
};

} // namespace ns3

#endif /* FABRIC_FLOW_FILE_H */

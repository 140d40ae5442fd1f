/* SPDX-License-Identifier: GPL-2.0-only */
/* An experiment as plain values: what a file describes, with every default filled in. */

#ifndef RDMA_EXPERIMENT_H
#define RDMA_EXPERIMENT_H

#include "ns3/attribute.h"
#include "ns3/fabric-topology.h"
#include "ns3/rdma-wire-sizes.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3::rdma::runner
{

/** The shared memory of a switch. */
struct BufferSpec
{
    std::string policy{"dynamic"}; //!< dynamic or static
    uint64_t size{32'000'000};     //!< bytes of the whole memory
    double alpha{0.125};           //!< dynamic: lossless share of the free shared memory
    double lossyAlpha{1};          //!< dynamic: lossy share of the free shared memory
    uint64_t lossyLimit{200'000};  //!< static: bytes of each lossy egress queue
    uint64_t reserved{4096};       //!< bytes of each ingress port and lossless priority
    uint64_t headroom{0};          //!< bytes per port and lossless priority; 0: by formula
    uint64_t xonOffset{3072};      //!< bytes below the stopping point to let the sender go on
};

/** Marking of Congestion Experienced. */
struct EcnSpec
{
    bool enabled{true};                     //!< whether switches mark at all
    uint64_t kmin{100'000};                 //!< bytes of queue up to which nothing is marked
    uint64_t kmax{400'000};                 //!< bytes of queue beyond which everything is marked
    double pmax{0.2};                       //!< probability of a mark at kmax
    uint64_t referenceRate{25'000'000'000}; //!< rate for which kmin and kmax hold, both scale in
                                            //!< proportion to a port's rate; 0: for every rate
};

/** Links, switches and routes of InfiniBand. */
struct InfiniBandSpec
{
    uint32_t dataLanes{1};             //!< virtual lanes for data
    uint64_t laneBuffer{65'536};       //!< bytes of the receive buffer of each data lane
    std::string routing{"min-hop"};    //!< routing engine
    std::vector<uint32_t> adaptive;    //!< service levels that are routed adaptively
    bool fecn{false};                  //!< whether switches tell of congestion
    uint32_t fecnThreshold{8};         //!< 0 never, 1 loose to 15 strict
    uint32_t fecnMarkingRate{10};      //!< mean number of packets between two that are marked
    bool cutThrough{true};             //!< whether packets leave before they have come in whole
    uint32_t packetLifetime{18};       //!< 4.096 us x 2^this is how long a packet may be in a switch
    uint32_t hoqLife{18};              //!< the same for the head of a queue towards a switch
    uint32_t leafHoqLife{16};          //!< and towards a host
};

/** Switches. */
struct SwitchSpec
{
    int64_t latencyPs{300'000};           //!< arrival of a frame, on InfiniBand of its header, to
                                          //!< eligible for sending
    int64_t convergencePs{1'000'000'000}; //!< change of a link to new routes
    BufferSpec buffer;                    //!< memory
    EcnSpec ecn;                          //!< marking
    bool runAhead{false};                        //!< whether they run ahead of the clock
    int runAheadLine{0};                         //!< where the file says so
    std::vector<uint32_t> losslessPriorities{3}; //!< priorities with PFC
    std::string scheduler{"strict"};             //!< strict or dwrr
    std::vector<uint32_t> weights;               //!< dwrr: of each priority, from 0
    std::string path{"ecmp"};                    //!< ecmp or spray
    InfiniBandSpec infiniBand;                   //!< instead of most of it on InfiniBand
    int line{0};                                 //!< where the file describes them
};

/** A congestion control or a loss recovery, and its parameters. */
struct AlgorithmSpec
{
    std::string name{"dcqcn"};                  //!< what the user called it
    std::string typeId{"ns3::rdma::RdmaDcqcn"}; //!< the class that does it
    std::vector<std::pair<std::string, Ptr<const AttributeValue>>> attributes; //!< its parameters
};

/** Network interfaces of the hosts. */
struct NicSpec
{
    /// What packets are wrapped in.
    RdmaEncapsulation encapsulation{RdmaEncapsulation::ROCE_V2_IPV4};
    uint32_t mtu{4096};                //!< payload of a full packet in bytes
    uint32_t ackInterval{16};          //!< packets per acknowledgement inside a message
    uint32_t retryCount{7};            //!< how often a timeout is answered by sending again
    uint32_t timeout{14};              //!< ACK timeout is 4.096 us x 2^timeout; 0: never
    uint64_t window{0};                //!< unacknowledged bytes per queue pair; 0: no limit
    int64_t cnpIntervalPs{50'000'000}; //!< least time between two CNPs of a queue pair
    bool cnpHoldMarks{true};           //!< marks within it make a CNP at its end
    int64_t cnpDelayPs{0};             //!< from the receipt of a mark to its CNP
    int64_t doorbellDelayPs{0};        //!< from a post to the moment its first packet may leave
    uint32_t cnpPriority{6};           //!< 802.1p priority of CNPs
    uint32_t ackPriority{8};           //!< 802.1p priority of ACKs; 8: that of the data
    AlgorithmSpec recovery{"go-back-n", "ns3::rdma::RdmaGoBackN", {}}; //!< of losses
};

/** One flow: the messages of one queue pair. */
struct FlowSpec
{
    uint32_t source{0};      //!< rank of the sending host
    uint32_t destination{0}; //!< rank of the receiving host
    uint64_t bytes{0};       //!< size of each message
    int64_t startPs{0};      //!< when the messages are posted
    uint32_t messages{1};    //!< messages posted at once on the queue pair
    uint32_t priority{3};    //!< 802.1p priority
    uint32_t congestion{0};  //!< index of its congestion control in Experiment::congestions
    uint32_t group{0};       //!< index of its workload entry in Experiment::groups
};

/** A change of a link while the simulation runs. */
struct LinkEventSpec
{
    int64_t timePs{0}; //!< when
    uint32_t link{0};  //!< number of the link in the topology
    bool up{false};    //!< what the link becomes
};

/** What is written, and where. */
struct OutputSpec
{
    std::string directory;               //!< empty: no files
    bool flows{true};                    //!< flows.csv
    bool ports{true};                    //!< ports.csv
    bool pfc{false};                     //!< pfc.csv
    bool summary{true};                  //!< summary.json
    int64_t queuePeriodPs{0};            //!< queues.csv: sampling period; 0: no such file
    std::vector<std::string> queueNodes; //!< queues.csv: switches; empty: all
};

/** One run. */
struct Experiment
{
    std::string name;                        //!< title of the experiment
    std::string variant;                     //!< name of this variant
    std::string file;                        //!< the experiment file
    std::string fabric{"roce"};              //!< roce, infiniband, efa or tcp
    std::string expectation;                 //!< what one should see, printed after the results
    uint32_t seed{1};                        //!< of all random variables
    int64_t stopPs{1'000'000'000'000};       //!< simulated time at which the run ends at the latest
    int64_t stallPs{10'000'000'000};         //!< time without any movement, while frames wait in
                                             //!< switches, that is called stuck
    FabricTopology topology;                 //!< hosts, switches and links
    SwitchSpec switches;                     //!< how switches work
    NicSpec nic;                             //!< how hosts work
    std::vector<AlgorithmSpec> congestions;  //!< all that flows use
    int workloadLine{0};                     //!< where the file describes the workload
    std::vector<std::string> groups;         //!< names of the workload entries
    std::vector<FlowSpec> flows;             //!< what the hosts send, entry by entry
    std::vector<LinkEventSpec> events;       //!< what changes
    OutputSpec outputs;                      //!< what is written
    std::vector<std::string> notes;          //!< remarks of the readers of files
};

/**
 * \param experiment an experiment
 * \return whether it is one on InfiniBand
 */
inline bool
IsOnInfiniBand(const Experiment& experiment)
{
    return experiment.fabric == "infiniband";
}

/**
 * \param experiment an experiment
 * \return whether its NICs speak SRD
 */
inline bool
IsOnEfa(const Experiment& experiment)
{
    return experiment.fabric == "efa";
}

/**
 * \param experiment an experiment
 * \return whether its hosts use TCP
 */
inline bool
IsOnTcp(const Experiment& experiment)
{
    return experiment.fabric == "tcp";
}

} // namespace ns3::rdma::runner

#endif // RDMA_EXPERIMENT_H

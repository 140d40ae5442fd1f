/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_RUN_CONNECTION_H
#define RDMA_RUN_CONNECTION_H

#include "rdma-experiment.h"

#include "ns3/rdma-context.h"

#include <cstdint>

namespace ns3::rdma::runner
{

/** A NIC and what its queue pairs share. */
struct RunNic
{
    Ptr<RdmaContext> context;             //!< its verbs
    Ptr<RdmaProtectionDomain> domain;     //!< domain of all its queue pairs
    Ptr<RdmaCompletionQueue> completions; //!< of all its queue pairs
    RdmaMemoryRegion memory;              //!< all of it
};

/** The queue pairs of a flow; destroyed with this. */
class RunConnection
{
  public:
    virtual ~RunConnection() = default;

    /**
     * Posts all messages of the flow.
     * \param flow number of the flow, which their completions bring
     */
    virtual void Post(uint32_t flow) = 0;

    /** \return payload bytes that have been placed at the destination */
    virtual uint64_t GetReceivedBytes() const = 0;

    /** \return packets that were sent again */
    virtual uint64_t GetRetransmitted() const = 0;
};

/** A reliable connection. */
class RcRunConnection : public RunConnection
{
  public:
    /**
     * \param experiment of which the flow is one
     * \param spec the flow
     * \param source NIC that sends; outlives this
     * \param destination NIC that receives; outlives this
     */
    RcRunConnection(const Experiment& experiment,
                    const FlowSpec& spec,
                    const RunNic& source,
                    const RunNic& destination);
    ~RcRunConnection() override;

    void Post(uint32_t flow) override;
    uint64_t GetReceivedBytes() const override;
    uint64_t GetRetransmitted() const override;

    /** \return the queue pair at the destination */
    const RdmaQueuePair* GetReceiver() const;

  private:
    Ptr<RdmaQueuePair> Create(const Experiment& experiment, const RunNic& nic) const;
    void Connect(const Experiment& experiment,
                 const RunNic& nic,
                 Ptr<RdmaQueuePair> own,
                 const RunNic& peer,
                 uint32_t qpn) const;

    const FlowSpec& m_spec;
    const RunNic& m_source;
    const RunNic& m_destination;
    Ptr<RdmaQueuePair> m_sender;
    Ptr<RdmaQueuePair> m_receiver;
};

/** SRD queue pairs at both ends. */
class SrdRunConnection : public RunConnection
{
  public:
    /**
     * \param spec the flow
     * \param source NIC that sends; outlives this
     * \param destination NIC that receives; outlives this
     */
    SrdRunConnection(const FlowSpec& spec, const RunNic& source, const RunNic& destination);
    ~SrdRunConnection() override;

    void Post(uint32_t flow) override;
    uint64_t GetReceivedBytes() const override;
    uint64_t GetRetransmitted() const override;

    /** \return what tells its packets from those of other flows */
    uint64_t GetKey() const;

    /**
     * \param frame an SRD packet with payload
     * \return GetKey() of the connection that it belongs to
     */
    static uint64_t KeyOf(const FabricFrame& frame);

    /**
     * \param bytes of payload that have been placed
     * \return whether all of the flow has been placed now
     */
    bool Placed(uint32_t bytes);

    /** A packet was sent again. */
    void Retransmitted();

  private:
    const FlowSpec& m_spec;
    const RunNic& m_source;
    const RunNic& m_destination;
    Ptr<RdmaSrdQueuePair> m_sender;
    Ptr<RdmaSrdQueuePair> m_receiver;
    Ptr<RdmaSrdAddressHandle> m_address;
    uint64_t m_placed{0};
    uint64_t m_retransmitted{0};
};

} // namespace ns3::rdma::runner

#endif // RDMA_RUN_CONNECTION_H

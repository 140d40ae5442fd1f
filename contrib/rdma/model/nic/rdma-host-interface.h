/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_HOST_INTERFACE_H
#define RDMA_HOST_INTERFACE_H

#include "ns3/data-rate.h"
#include "ns3/fabric-driver.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/rdma-completion-queue.h"
#include "ns3/rdma-dma.h"
#include "ns3/rdma-queue-pair.h"

#include <memory>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * What a RdmaHostInterface tells its NIC.
 */
class RdmaHostInterfaceClient
{
  public:
    virtual ~RdmaHostInterfaceClient() = default;
    /**
     * There was no room for a completion.
     * \param number The queue pair that it belongs to.
     */
    virtual void CompletionLost(uint32_t number) = 0;
    /**
     * A message is in the memory of the host.
     * \param queuePair The queue pair that received it.
     * \param bytes Its length.
     * \param now The time in ps.
     */
    virtual void MessageInMemory(RdmaQueuePair& queuePair, uint64_t bytes, int64_t now) = 0;
};

/**
 * \ingroup rdma
 * What lies between a program and the wire: the delays of the NIC and of its bus to host memory. A
 * NIC without one has none of them but RdmaNic::DoorbellDelay. All are zero unless set.
 *
 * A work request reaches the NIC DoorbellDelay after it is posted, and is fetched then
 * (ReadDelay) unless it rides on the doorbell (BlueFlame). Payload that is not inline is fetched
 * packet by packet, ahead of the wire. What arrives is written to memory; a completion is written
 * behind it, and the program sees it PollDelay later. Completions of a NIC come in the order in
 * which their packets came.
 */
class RdmaHostInterface : public Object, public FabricDriverUnit
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();
    RdmaHostInterface();
    ~RdmaHostInterface() override;

    /**
     * Reads the attributes; called once, by the NIC.
     * \param driver Runs what is due.
     * \param client The NIC; it outlives this, or disposes of it.
     */
    void Start(FabricDriver& driver, RdmaHostInterfaceClient& client);

    /// \return The way to host memory; valid after Start.
    RdmaDma& GetDma()
    {
        return *m_dma;
    }

    /// \return Time from the last bit of a packet to its being worked on, in ps.
    int64_t GetReceiveLatency() const;
    /// \return Time from data in memory to the program's seeing it, when it polls for it, in ps.
    int64_t GetPollDelay() const;

    /**
     * From here on, until Leave, completions are made at a time that the simulator's clock may be
     * a fraction of a tick behind.
     * \param now The time in ps.
     */
    void Enter(int64_t now)
    {
        m_now = now;
    }

    /// The end of what Enter began.
    void Leave()
    {
        m_now = FABRIC_NEVER;
    }

    /**
     * A packet has come.
     * \param payload Its payload bytes.
     * \param now The time in ps.
     */
    void Received(uint32_t payload, int64_t now);
    /**
     * Writes a completion to memory.
     * \param queue The completion queue.
     * \param completion The completion.
     */
    void Complete(const Ptr<RdmaCompletionQueue>& queue, const RdmaWc& completion);
    /**
     * The last packet of a message has come.
     * \param queuePair The queue pair that received it.
     * \param bytes Its length.
     * \param now The time in ps.
     */
    void Delivered(RdmaQueuePair& queuePair, uint64_t bytes, int64_t now);

    int64_t OnDeadline(FabricDeadline kind, int64_t now) override;

  protected:
    void DoDispose() override;

  private:
    /// What the host gets to see later.
    struct Event
    {
        int64_t when;                   //!< its time, ps
        uint64_t order;                 //!< first made, first seen at equal times
        Ptr<RdmaCompletionQueue> queue; //!< of a completion; nullptr: a message
        RdmaWc completion;              //!< the completion
        Ptr<RdmaQueuePair> queuePair;   //!< who received a message
        uint64_t bytes;                 //!< its length

        /**
         * \param other Another.
         * \return Whether this one comes later.
         */
        bool operator<(const Event& other) const
        {
            return when != other.when ? when > other.when : order > other.order;
        }
    };

    /**
     * \param now The time in ps.
     * \return When what is written now is in memory, and all that was written before, in ps.
     */
    int64_t WrittenBy(int64_t now) const;
    /// \param event What to show later.
    void Add(Event event);

    std::unique_ptr<RdmaDma> m_dma;             //!< way to host memory
    std::vector<Event> m_events;                //!< heap, earliest first
    RdmaHostInterfaceClient* m_client{nullptr}; //!< the NIC
    FabricDriver* m_driver{nullptr};            //!< runs what is due
    int64_t m_now{FABRIC_NEVER};                //!< the time between Enter and Leave, ps
    int64_t m_written{0};                       //!< when all payload is in memory, ps
    uint64_t m_order{0};                        //!< counts events
    uint32_t m_unit{0};                         //!< number at the driver
    Time m_readDelay;                           //!< DMA read, to the first byte
    Time m_writeDelay;                          //!< DMA write
    Time m_pollDelay;                           //!< until the program looks
    Time m_transmitLatency;                     //!< of the NIC
    Time m_receiveLatency;                      //!< of the NIC
    DataRate m_busRate;                         //!< of each direction
    DataRate m_packetReadRate;                  //!< at which memory gives a packet
    uint64_t m_fetchWindow;                     //!< bytes asked for ahead
    bool m_blueFlame;                           //!< work requests ride on the doorbell
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_HOST_INTERFACE_H */

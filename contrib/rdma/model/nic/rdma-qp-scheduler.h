/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_QP_SCHEDULER_H
#define RDMA_QP_SCHEDULER_H

#include "ns3/rdma-tx-job.h"

#include <array>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Which stream of which queue pair sends next: round robin among those that are ready in a lane,
 * the highest that may send unless the NIC chooses; those that wait for their pace lie in a heap by
 * time.
 *
 * The cost does not depend on the number of queue pairs.
 */
class RdmaQpScheduler
{
  public:
    /// \param laneOf The lane of each priority of a job, 16 of them; they may change, and outlive
    ///        the scheduler. Unless set a priority is a lane.
    void SetLanes(const uint8_t* laneOf);
    /**
     * \param job A job; if it is in the scheduler already, it stays, or is moved forward.
     * \param when From when on it may send, in ps.
     * \param now The time in ps.
     */
    void Add(RdmaTxJob& job, int64_t when, int64_t now);
    /**
     * Takes the job that sends next; Add it again when it has more.
     * \param blocked Mask of lanes that must wait.
     * \param now The time in ps.
     * \return The job, of the highest lane that has one, or nullptr.
     */
    RdmaTxJob* Take(uint32_t blocked, int64_t now);
    /**
     * \param now The time in ps.
     * \return Mask of the lanes with a job that may send.
     */
    uint32_t GetReady(int64_t now)
    {
        if (!m_paced.empty())
        {
            PushDue(now);
        }
        return m_ready;
    }

    /**
     * Takes the job of a lane that sends next; Add it again when it has more.
     * \param lane A lane with a job that may send.
     * \return The job.
     */
    RdmaTxJob* TakeFrom(uint32_t lane);
    /**
     * \param blocked Mask of lanes that must wait.
     * \param now The time in ps.
     * \return When Take may return a job: \p now, a later time, or FABRIC_NEVER.
     */
    int64_t GetNext(uint32_t blocked, int64_t now) const;
    /// \param job A job that must not be taken any more.
    void Remove(RdmaTxJob& job);

  private:
    /// A job that waits for its time.
    struct Paced
    {
        int64_t when;   //!< its time, ps
        uint64_t order; //!< first come, first served at equal times
        RdmaTxJob* job; //!< the job
    };

    /// Jobs that are ready in one lane, oldest first.
    struct Ring
    {
        RdmaTxJob* head{nullptr}; //!< oldest
        RdmaTxJob* tail{nullptr}; //!< newest; valid while head is
    };

    /**
     * \param a One.
     * \param b Another.
     * \return Whether \p a comes after \p b.
     */
    static bool IsLater(const Paced& a, const Paced& b)
    {
        return a.when != b.when ? a.when > b.when : a.order > b.order;
    }

    /// \param job The job to append to the ring of its lane.
    void PushReady(RdmaTxJob& job);
    /// \param now The time in ps; jobs whose time has come get ready.
    void PushDue(int64_t now);
    /// Takes the first entry off the heap.
    void PopPaced();
    /// Takes entries off the heap whose job is no longer waiting for them.
    void DropStale();

    std::array<Ring, FABRIC_LANES> m_rings; //!< ready jobs by lane
    std::vector<Paced> m_paced;                  //!< heap, earliest first
    uint64_t m_order{0};                         //!< counts entries of the heap
    const uint8_t* m_laneOf{nullptr};            //!< lane of each priority, or the same
    uint32_t m_ready{0};                         //!< lanes with ready jobs
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_QP_SCHEDULER_H */

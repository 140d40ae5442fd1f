/* SPDX-License-Identifier: GPL-2.0-only */
/* What a lossless switch tells of the frames that it holds, and of what they wait for. */

#ifndef FABRIC_HOLDER_H
#define FABRIC_HOLDER_H

#include "ns3/callback.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * A switch whose frames may have to wait because the far end of a link has no room for them. Who
 * looks for deadlocks asks it; nothing of it is needed to forward frames.
 */
class FabricHolder
{
  public:
    /// Frames that came by one lane of an ingress port and wait for one lane of an egress port.
    struct Hold
    {
        uint32_t ingress;    //!< port by which they came
        uint8_t ingressLane; //!< lane in which they came
        uint32_t egress;     //!< port by which they are to leave
        uint8_t egressLane;  //!< lane in which they are to leave
        uint64_t frames;     //!< how many
        uint64_t bytes;      //!< their bytes
    };

    virtual ~FabricHolder() = default;

    /**
     * \param port An egress port.
     * \return Mask of the lanes in which frames wait that the far end of the link does not take.
     */
    virtual uint32_t GetStopped(uint32_t port) const = 0;
    /**
     * \param port An ingress port.
     * \param lane A lane.
     * \return Whether the far end of the link has to stop because of what the switch holds of it.
     */
    virtual bool IsFull(uint32_t port, uint8_t lane) const = 0;
    /// \param holds All frames that it holds are appended to this, in no special order.
    virtual void AppendHolds(std::vector<Hold>& holds) const = 0;
    /// \return What its lanes are called: priority, or VL.
    virtual const char* GetLaneWord() const = 0;

    /// \param listener Called when frames have begun to wait for a far end, maybe more than once.
    void SetStopListener(Callback<void> listener)
    {
        m_stopListener = listener;
    }

  protected:
    /// Tells the listener that frames wait for a far end.
    void NotifyStopped() const
    {
        if (!m_stopListener.IsNull())
        {
            m_stopListener();
        }
    }

  private:
    Callback<void> m_stopListener; //!< who is told of waiting frames
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_HOLDER_H */

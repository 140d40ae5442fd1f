/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SRD_PATH_POLICY_H
#define RDMA_SRD_PATH_POLICY_H

#include "ns3/nstime.h"
#include "ns3/rdma-path-policy.h"

#include <boost/circular_buffer.hpp>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Spreads packets over many paths, and keeps them away from those that are slow or lose.
 *
 * A path whose packet took no longer than the mean of all, and RttTolerance, gets another packet.
 * When there is none such, of two paths whose turn it is, the one with the shorter smoothed
 * round-trip time gets the packet; differences below RttTolerance do not count. A path that has not
 * been heard of for ProbeInterval is tried again. A path that lost a packet rests for LossRest,
 * twice as long after each further loss; one acknowledgement ends that. This is our reading of what
 * is public: 64 paths at a time, and a single bad path is dealt with by rerouting, not by slowing
 * down.
 */
class RdmaSrdPathPolicy : public RdmaPathPolicy
{
  public:
    /// \return The TypeId.
    static TypeId GetTypeId();

    /// \param path A path. \return Its smoothed round-trip time in ps; 0 when not known.
    int64_t GetRtt(uint16_t path) const;
    /**
     * \param path A path.
     * \param now The time in ps.
     * \return Whether it rests after losses.
     */
    bool IsResting(uint16_t path, int64_t now) const;

  private:
    /// What is known of a path.
    struct Path
    {
        int64_t rtt{0};        //!< smoothed round-trip time, ps; 0: not known
        int64_t least{0};      //!< the shortest of the last time, ps
        int64_t leastAt{0};    //!< when that was, ps
        int64_t heardAt{0};    //!< when it was measured or tried last, ps
        int64_t restsUntil{0}; //!< after losses, ps
        uint8_t losses{0};     //!< since the last acknowledgement
        bool congested{false}; //!< whether its round-trip time is up
    };

    void DoStart() override;
    uint16_t DoSelect(uint16_t avoid, int64_t now) override;
    void DoAcked(uint16_t path, int64_t rtt, int64_t now) override;
    void DoLost(uint16_t path, int64_t now) override;

    /**
     * \param path A path.
     * \param now The time in ps.
     * \return How bad it is to send on it now, in ps.
     */
    int64_t GetCost(const Path& path, int64_t now) const;
    /**
     * \param path A path.
     * \param congested Whether its round-trip time is up.
     */
    void SetCongested(Path& path, bool congested);

    /// Cost of a path that rests: above all round-trip times.
    static constexpr int64_t RESTING = int64_t{1} << 60;
    /// Samples that the mean round-trip time is smoothed over.
    static constexpr int64_t MEAN_SAMPLES = 64;
    /// Doublings of the rest at most.
    static constexpr uint8_t MAX_DOUBLINGS = 6;

    std::vector<Path> m_state;               //!< by path; made with the first packet
    boost::circular_buffer<uint16_t> m_good; //!< paths that were fast a moment ago, oldest first
    int64_t m_meanRtt{0};                    //!< smoothed round-trip time of all paths, ps
    Time m_tolerance;                        //!< differences of round-trip time that do not count
    Time m_congestionDelay; //!< a path is congested from so much above its least time on
    Time m_probeInterval;   //!< a path unheard of for so long is tried again
    Time m_lossRest;        //!< rest after the first loss
    Time m_leastWindow;     //!< how long the least round-trip time counts
    double m_gain;          //!< of the smoothed round-trip time
    uint16_t m_wanted;      //!< number of paths
    uint16_t m_first{0};    //!< the path whose turn it is
    uint16_t m_stride{1};   //!< from there to the path that it is compared with
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_SRD_PATH_POLICY_H */

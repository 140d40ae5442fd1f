/* SPDX-License-Identifier: GPL-2.0-only */
/* A host for tests that sends and receives frames without any transport. */

#ifndef FABRIC_TEST_HOST_H
#define FABRIC_TEST_HOST_H

#include "ns3/fabric-net-device.h"
#include "ns3/fabric-tx-source.h"
#include "ns3/net-device.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Drives the port of a host in place of a NIC: sends streams of frames at given rates, obeys pauses
 * as a NIC does, keeps a record of what comes, and can send pause frames whenever a test wants.
 */
class FabricTestHost : public rdma::FabricTxSource, public rdma::FabricRxSink
{
  public:
    /// Frames that are alike.
    struct Stream
    {
        uint32_t destination{0};     //!< endpoint
        uint8_t priority{3};         //!< 802.1p; service level and lane on InfiniBand
        uint32_t bytes{1024};        //!< MAC header to FCS, or LRH to VCRC
        uint64_t count{1};           //!< how many
        int64_t start{0};            //!< when the first is ready, ps
        uint64_t bitsPerSecond{0};   //!< of frames without overhead; 0: line rate
        uint8_t ecn{rdma::ECN_ECT0}; //!< ECN field
        bool newFlowEach{false};     //!< each frame is a flow of its own
        uint64_t sent{0};            //!< how many have left
        int64_t ready{0};            //!< when the next may leave, ps
    };

    /// A frame that came.
    struct Arrival
    {
        int64_t ps;       //!< when its last bit came
        uint32_t source;  //!< endpoint
        uint32_t number;  //!< place in its stream
        uint32_t bytes;   //!< MAC header to FCS
        uint8_t priority; //!< 802.1p
        uint8_t ecn;      //!< ECN field
    };

    /// \param device The device of a host; it must outlive this.
    explicit FabricTestHost(Ptr<NetDevice> device);

    /**
     * \param stream What to send.
     * \return Its number.
     */
    std::size_t Send(const Stream& stream);
    /**
     * Sends a pause frame now.
     * \param classes Mask of the classes.
     * \param quanta Pause time of each.
     */
    void SendPfc(uint8_t classes, uint16_t quanta);
    /// Sends a pause frame of IEEE 802.3x now. \param quanta Pause time.
    void SendPlainPause(uint16_t quanta);
    /// \param holds On InfiniBand: whether what comes stays in the receive buffer until Release.
    void Hold(bool holds);
    /// Gives everything back that is held.
    void Release();
    /// \param keep Whether arrivals are recorded; the counters always count.
    void Record(bool keep);

    /// \return All arrivals in order.
    const std::vector<Arrival>& GetArrivals() const;
    /**
     * \param priority A priority.
     * \return How many frames of it came.
     */
    uint64_t GetReceived(uint8_t priority) const;
    /// \return Bytes that came.
    uint64_t GetReceivedBytes() const;
    /// \return When the last frame came, ps.
    int64_t GetLastArrival() const;
    /// \param stream A stream. \return How many of its frames have left.
    uint64_t GetSent(std::size_t stream) const;
    /// \return The device.
    rdma::FabricNetDevice& GetDevice() const;
    /// \return The endpoint number.
    uint32_t GetEndpoint() const;

    rdma::FabricFrame* Pull(rdma::FabricPort& port, int64_t now, int64_t& next) override;
    void Receive(rdma::FabricPort& port, rdma::FabricFrame* frame, int64_t now) override;
    void LinkChanged(rdma::FabricPort& port, bool up, int64_t now) override;

  private:
    /// Tells the port that there is something to send.
    void Wake();

    Ptr<rdma::FabricNetDevice> m_device; //!< the device
    std::vector<Stream> m_streams;       //!< what to send
    std::size_t m_turn{0};               //!< stream whose turn it is
    std::vector<Arrival> m_arrivals;     //!< what came
    std::vector<uint64_t> m_received;    //!< per priority
    uint64_t m_receivedBytes{0};         //!< in all
    int64_t m_lastArrival{0};            //!< ps
    uint32_t m_flows{0};                 //!< flows made so far
    bool m_record{true};                 //!< whether to keep arrivals
    bool m_hold{false};                  //!< whether what comes stays in the buffer
    std::vector<std::pair<uint8_t, uint32_t>> m_held; //!< lane and bytes of what is held
};

} // namespace ns3

#endif /* FABRIC_TEST_HOST_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/* IEEE 802.1Qbb on a link: how long a pause lasts, what ends it, and whom it concerns. */

#include "fabric-test-checks.h"
#include "fabric-test-host.h"

#include "ns3/double.h"
#include "ns3/fabric-pfc.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>

namespace ns3
{
namespace
{

using namespace rdma;

/// IEEE 802.1Qbb.
class Pfc : public FabricSystemTest
{
};

constexpr uint64_t G = 1'000'000'000;
constexpr int64_t US = 1'000'000;    // ps
constexpr int64_t DELAY = 1'000'000; // of all links, ps
constexpr uint32_t FRAME = 1024;     // bytes; 1044 on the wire
constexpr uint32_t PAUSE_WIRE = 84;  // bytes of wire of a pause frame

/// \param bytes Bytes of wire. \param rate Rate, bit/s. \return Their time in ps, exact for the
/// rates used.
int64_t
WireTime(uint64_t bytes, uint64_t rate)
{
    return static_cast<int64_t>(bytes * 8'000 * G / rate);
}

/// \param quanta Quanta. \param rate Rate, bit/s. \return 512 bit times each, in ps (802.3, 31B.2).
int64_t
QuantaTime(uint64_t quanta, uint64_t rate)
{
    return static_cast<int64_t>(quanta * (512'000 * G / rate));
}

/// \param priorities Mask of the lossless classes. \return A factory of PFC for them.
ObjectFactory
PfcFor(uint32_t priorities)
{
    ObjectFactory factory("ns3::rdma::FabricPfc");
    factory.Set("Priorities", UintegerValue(priorities));
    return factory;
}

/// Two hosts and a cable: a sends, b pauses.
struct Couple
{
    FabricHelper fabric;                            //!< what makes them
    std::unique_ptr<FabricTopologyHelper> built;    //!< the network
    std::unique_ptr<FabricTestHost> a;              //!< sends
    std::unique_ptr<FabricTestHost> b;              //!< pauses
    std::map<uint8_t, std::vector<int64_t>> starts; //!< per class, when frames of a begin, ps

    /**
     * \param rate Rate of the link.
     * \param flowControl Makes the flow control of both ends.
     */
    Couple(uint64_t rate, const ObjectFactory& flowControl)
    {
        fabric.SetFlowControl(flowControl);
        built = std::make_unique<FabricTopologyHelper>(FabricTopology::BackToBack({rate, DELAY, 0}),
                                                       fabric);
        a = std::make_unique<FabricTestHost>(built->GetDevices(0).Get(0));
        b = std::make_unique<FabricTestHost>(built->GetDevices(1).Get(0));
        a->GetDevice().TraceConnectWithoutContext("FrameTx",
                                                  Callback<void, const FabricFrame*, int64_t>(
                                                      [this](const FabricFrame* frame, int64_t ps) {
                                                          starts[frame->priority].push_back(ps);
                                                      }));
    }

    /**
     * \param priority A class.
     * \param count How many frames of it a sends from time 0 on.
     */
    void Flow(uint8_t priority, uint64_t count)
    {
        FabricTestHost::Stream stream;
        stream.destination = 1;
        stream.priority = priority;
        stream.bytes = FRAME;
        stream.count = count;
        a->Send(stream);
    }

    /**
     * \param at When b sends a pause frame, ps.
     * \param classes Its classes.
     * \param quanta Its pause time.
     */
    void PauseAt(int64_t at, uint8_t classes, uint16_t quanta)
    {
        Simulator::Schedule(PicoSeconds(at), &FabricTestHost::SendPfc, b.get(), classes, quanta);
    }

    /// \param priority A class. \param ps A time. \return When its first frame at or after that
    /// begins.
    int64_t FirstFrom(uint8_t priority, int64_t ps) const
    {
        const auto& all = starts.at(priority);
        const auto found = std::lower_bound(all.begin(), all.end(), ps);
        return found == all.end() ? FABRIC_NEVER : *found;
    }

    /// Runs to the end. \param frames How many have to arrive.
    void Run(uint64_t frames)
    {
        Simulator::Run();
        EXPECT_EQ(b->GetArrivals().size(), frames);
        EXPECT_EQ(CountAllDrops(fabric), 0u);
        ExpectDrained(fabric);
        Simulator::Destroy();
    }
};

// At 100 Gb/s one quantum is 5.12 ns and 65535 are 335.5392 us; at 25 Gb/s 20.48 ns and 1342.1568
// us; at 400 Gb/s 1.28 ns and 83.8848 us. The pause runs from its receipt, and a frame that is on
// the wire then is finished: a frame of 1044 bytes takes longer than one quantum, so that one hides
// in it.
TEST_F(Pfc, B1_6_PauseLastsAsLongAsItSays)
{
    EXPECT_EQ(QuantaTime(1, 100 * G), 5'120);
    EXPECT_EQ(QuantaTime(65535, 25 * G), 1'342'156'800);
    EXPECT_EQ(QuantaTime(65535, 400 * G), 83'884'800);
    for (const uint64_t rate : {25 * G, 100 * G, 400 * G})
    {
        for (const uint16_t quanta : {1, 100, 65535})
        {
            Couple couple(rate, PfcFor(1 << 3));
            const int64_t frame = WireTime(FRAME + 20, rate);
            const auto count = static_cast<uint64_t>(20 * US / frame);
            couple.Flow(3, count);
            couple.PauseAt(10 * US, 1 << 3, quanta);
            couple.Run(count);
            const int64_t receipt = 10 * US + WireTime(PAUSE_WIRE, rate) + DELAY;
            const int64_t free = (receipt + frame - 1) / frame * frame;
            const int64_t end = receipt + QuantaTime(quanta, rate);
            EXPECT_EQ(couple.FirstFrom(3, receipt), std::max(free, end))
                << quanta << " quanta at " << rate << " bit/s";
        }
    }
}

// Classes 3 and 4 have PFC, 1 and 5 have not. A pause of 1000 quanta (5.12 us) for 3 leaves 4, and
// all others, at their pace; together the other three take the whole wire in the meantime.
TEST_F(Pfc, B1_6_PauseLeavesOtherClassesAlone)
{
    Couple couple(100 * G, PfcFor(1 << 3 | 1 << 4));
    for (const uint8_t priority : {1, 3, 4, 5})
    {
        couple.Flow(priority, 100);
    }
    couple.PauseAt(10 * US, 1 << 3, 1000);
    couple.Run(400);
    const int64_t frame = WireTime(FRAME + 20, 100 * G);
    const int64_t receipt = 10 * US + WireTime(PAUSE_WIRE, 100 * G) + DELAY;
    const int64_t end = receipt + QuantaTime(1000, 100 * G);
    EXPECT_GE(couple.FirstFrom(3, receipt), end);
    EXPECT_LT(couple.FirstFrom(3, receipt), end + 4 * frame);
    for (const uint8_t priority : {1, 4, 5})
    {
        const auto& starts = couple.starts[priority];
        const auto sent = std::count_if(starts.begin(), starts.end(), [&](int64_t ps) {
            return ps >= receipt && ps < end;
        });
        EXPECT_NEAR(static_cast<double>(sent), 5'120'000.0 / frame / 3, 1) << +priority;
    }
}

// XOFF of 65535 quanta at 10 us, XON at 20 us: at 100 Gb/s the pause would last until 345.5 us.
TEST_F(Pfc, B1_5_XonEndsARunningPause)
{
    Couple couple(100 * G, PfcFor(1 << 3));
    couple.Flow(3, 300);
    couple.PauseAt(10 * US, 1 << 3, 65535);
    couple.PauseAt(20 * US, 1 << 3, 0);
    couple.Run(300);
    const int64_t travel = WireTime(PAUSE_WIRE, 100 * G) + DELAY;
    const int64_t frame = WireTime(FRAME + 20, 100 * G);
    EXPECT_EQ(couple.FirstFrom(3, 10 * US + travel + frame), 20 * US + travel);
}

// XOFF of 1000 quanta (5.12 us) at 10 us and again at 12 us: the pause ends 5.12 us after the
// second one, not 10.24 us after the first.
TEST_F(Pfc, B1_5_SecondXoffRestartsTheTimer)
{
    Couple couple(100 * G, PfcFor(1 << 3));
    couple.Flow(3, 300);
    couple.PauseAt(10 * US, 1 << 3, 1000);
    couple.PauseAt(12 * US, 1 << 3, 1000);
    couple.Run(300);
    const int64_t travel = WireTime(PAUSE_WIRE, 100 * G) + DELAY;
    const int64_t frame = WireTime(FRAME + 20, 100 * G);
    EXPECT_EQ(couple.FirstFrom(3, 10 * US + travel + frame),
              12 * US + travel + QuantaTime(1000, 100 * G));
}

// A second XOFF may also shorten the pause: it replaces the time left.
TEST_F(Pfc, B1_5_ShorterXoffReplacesALongerOne)
{
    Couple couple(100 * G, PfcFor(1 << 3));
    couple.Flow(3, 300);
    couple.PauseAt(10 * US, 1 << 3, 65535);
    couple.PauseAt(12 * US, 1 << 3, 100);
    couple.Run(300);
    const int64_t travel = WireTime(PAUSE_WIRE, 100 * G) + DELAY;
    const int64_t frame = WireTime(FRAME + 20, 100 * G);
    EXPECT_EQ(couple.FirstFrom(3, 10 * US + travel + frame),
              12 * US + travel + QuantaTime(100, 100 * G));
}

// ResponseTime 1 us: frames begin until 1 us after the receipt, and the pause lasts its 5.12 us
// from there.
TEST_F(Pfc, ResponseTimeDelaysThePause)
{
    ObjectFactory pfc = PfcFor(1 << 3);
    pfc.Set("ResponseTime", TimeValue(MicroSeconds(1)));
    Couple couple(100 * G, pfc);
    couple.Flow(3, 300);
    couple.PauseAt(10 * US, 1 << 3, 1000);
    couple.Run(300);
    const int64_t effect = 10 * US + WireTime(PAUSE_WIRE, 100 * G) + DELAY + US;
    const int64_t frame = WireTime(FRAME + 20, 100 * G);
    EXPECT_EQ(couple.FirstFrom(3, effect - frame), effect / frame * frame);
    EXPECT_EQ(couple.FirstFrom(3, effect), effect + QuantaTime(1000, 100 * G));
}

// One frame pauses 3 and 4 and not 5, which has PFC as well.
TEST_F(Pfc, OneFramePausesSeveralClasses)
{
    Couple couple(100 * G, PfcFor(1 << 3 | 1 << 4 | 1 << 5));
    for (const uint8_t priority : {3, 4, 5})
    {
        couple.Flow(priority, 100);
    }
    couple.PauseAt(5 * US, 1 << 3 | 1 << 4, 100);
    couple.Run(300);
    const int64_t frame = WireTime(FRAME + 20, 100 * G);
    const int64_t receipt = 5 * US + WireTime(PAUSE_WIRE, 100 * G) + DELAY;
    const int64_t end = receipt + QuantaTime(100, 100 * G);
    EXPECT_GE(couple.FirstFrom(3, receipt), end);
    EXPECT_GE(couple.FirstFrom(4, receipt), end);
    EXPECT_LT(couple.FirstFrom(5, receipt), receipt + frame);
}

// 802.3x pauses of 65535 quanta while a lossless class flows: nothing changes by a picosecond.
TEST_F(Pfc, B1_8_PlainPauseIsIgnored)
{
    std::vector<int64_t> starts[2];
    for (const bool paused : {false, true})
    {
        Couple couple(100 * G, PfcFor(1 << 3));
        couple.Flow(3, 200);
        if (paused)
        {
            Simulator::Schedule(MicroSeconds(5),
                                &FabricTestHost::SendPlainPause,
                                couple.b.get(),
                                65535);
        }
        Simulator::Run();
        const auto& pfc =
            dynamic_cast<const FabricPfc&>(couple.a->GetDevice().GetPort().GetFlowControl());
        EXPECT_EQ(pfc.GetPlainPausesIgnored(), paused ? 1u : 0u);
        starts[paused] = couple.starts[3];
        ExpectDrained(couple.fabric);
        Simulator::Destroy();
    }
    EXPECT_EQ(starts[0].size(), 200u);
    EXPECT_EQ(starts[0], starts[1]);
}

// Six classes of 15 Gb/s each through a switch; 3 and 4 have PFC. The receiver pauses class 0, for
// ever.
TEST_F(Pfc, B1_4_LossyClassDoesNotObeyAPause)
{
    std::vector<int64_t> arrivals[2];
    for (const bool paused : {false, true})
    {
        FabricHelper fabric;
        fabric.SetFlowControl(PfcFor(1 << 3 | 1 << 4));
        FabricTopologyHelper built(FabricTopology::Star(2, {100 * G, DELAY, 0}), fabric);
        FabricTestHost a(built.GetDevices(0).Get(0));
        FabricTestHost b(built.GetDevices(1).Get(0));
        for (uint8_t priority = 0; priority < 6; ++priority)
        {
            FabricTestHost::Stream stream;
            stream.destination = 1;
            stream.priority = priority;
            stream.bitsPerSecond = 15 * G;
            stream.count = 200;
            a.Send(stream);
        }
        for (int i = 0; paused && i < 10; ++i)
        {
            Simulator::Schedule(MicroSeconds(5 + 5 * i), &FabricTestHost::SendPfc, &b, 1, 65535);
        }
        AuditEvery(fabric, MicroSeconds(1), MicroSeconds(100));
        Simulator::Run();
        for (uint8_t priority = 0; priority < 6; ++priority)
        {
            EXPECT_EQ(b.GetReceived(priority), 200u);
        }
        EXPECT_EQ(CountAllDrops(fabric), 0u);
        ExpectDrained(fabric);
        for (const auto& arrival : b.GetArrivals())
        {
            arrivals[paused].push_back(arrival.ps);
        }
        Simulator::Destroy();
    }
    EXPECT_EQ(arrivals[0], arrivals[1]);
}

// Host A sends 30 Gb/s of class 3 and of class 0, B of 4 and of 1, into one port of 100 Gb/s,
// shared in equal parts: each queue gets 25 Gb/s and too much by 5. Classes 3 and 4 are paused, 3
// on A's port and 4 on B's only; 0 and 1 lose frames, and pause nobody.
TEST_F(Pfc, B1_3_LossyClassSendsNoPause)
{
    FabricHelper fabric;
    fabric.SetFlowControl(PfcFor(1 << 3 | 1 << 4));
    fabric.SetEgressScheduler(ObjectFactory("ns3::rdma::FabricDwrrScheduler"));
    ObjectFactory buffer("ns3::rdma::FabricDynamicBuffer");
    buffer.Set("Size", UintegerValue(1'000'000));
    buffer.Set("LossyAlpha", DoubleValue(0.25));
    fabric.SetBufferPolicy(buffer);
    FabricTopologyHelper built(FabricTopology::Star(3, {100 * G, DELAY, 0}), fabric);
    FabricTestHost a(built.GetDevices(0).Get(0));
    FabricTestHost b(built.GetDevices(1).Get(0));
    FabricTestHost c(built.GetDevices(2).Get(0));
    const auto send = [](FabricTestHost& host, uint8_t priority) {
        FabricTestHost::Stream stream;
        stream.destination = 2;
        stream.priority = priority;
        stream.bitsPerSecond = 30 * G;
        stream.count = 3000;
        host.Send(stream);
    };
    send(a, 3);
    send(a, 0);
    send(b, 4);
    send(b, 1);
    // Who was paused in which class: the ports of the switch are numbered as the hosts.
    std::set<std::pair<uint32_t, uint8_t>> paused;
    const auto fabricSwitch = fabric.GetSwitches()[0];
    for (uint32_t port = 0; port < 3; ++port)
    {
        fabricSwitch->GetPort(port)->GetPort().GetFlowControl().TraceConnectWithoutContext(
            "PauseSent",
            Callback<void, uint8_t, uint16_t, int64_t>(
                [&paused, port](uint8_t lane, uint16_t, int64_t) {
                    paused.insert({port, lane});
                }));
    }
    AuditEvery(fabric, MicroSeconds(1), MilliSeconds(1));
    Simulator::Run();
    EXPECT_EQ(paused, (std::set<std::pair<uint32_t, uint8_t>>{{0, 3}, {1, 4}}));
    EXPECT_EQ(c.GetReceived(3), 3000u);
    EXPECT_EQ(c.GetReceived(4), 3000u);
    EXPECT_LT(c.GetReceived(0), 3000u);
    EXPECT_LT(c.GetReceived(1), 3000u);
    EXPECT_EQ(CountDrops(fabric, FabricDropReason::QUEUE_FULL), CountAllDrops(fabric));
    EXPECT_EQ(c.GetReceived(0) + c.GetReceived(1) + CountAllDrops(fabric), 6000u);
    ExpectLossless(fabric);
    ExpectDrained(fabric);
}

/// A sender, a switch whose buffer is soon full, and a receiver that stops it.
struct Dammed
{
    FabricHelper fabric;                         //!< what makes them
    std::unique_ptr<FabricTopologyHelper> built; //!< the network
    std::unique_ptr<FabricTestHost> a;           //!< sends
    std::unique_ptr<FabricTestHost> b;           //!< stops the switch

    /**
     * \param flowControl Makes the flow control of all ports.
     * \param switchFirst Whether the switch is the first end of its cables, or the host.
     */
    explicit Dammed(const ObjectFactory& flowControl, bool switchFirst = false)
    {
        FabricTopology plan;
        const uint32_t hosts[] = {plan.AddHost(), plan.AddHost()};
        const uint32_t centre = plan.AddSwitch();
        for (const uint32_t host : hosts)
        {
            plan.AddLink(switchFirst ? centre : host,
                         switchFirst ? host : centre,
                         {100 * G, DELAY, 0});
        }
        fabric.SetFlowControl(flowControl);
        ObjectFactory buffer("ns3::rdma::FabricStaticBuffer");
        buffer.Set("Reserved", UintegerValue(20'000));
        fabric.SetBufferPolicy(buffer);
        built = std::make_unique<FabricTopologyHelper>(plan, fabric);
        a = std::make_unique<FabricTestHost>(built->GetDevices(0).Get(0));
        b = std::make_unique<FabricTestHost>(built->GetDevices(1).Get(0));
        FabricTestHost::Stream stream;
        stream.destination = 1;
        stream.count = 1000;
        a->Send(stream);
    }

    /// \return The PFC of the switch's port towards a.
    const FabricPfc& GetPfc() const
    {
        return dynamic_cast<const FabricPfc&>(
            fabric.GetSwitches()[0]->GetPort(0)->GetPort().GetFlowControl());
    }
};

// The switch pauses with 1000 quanta: 5.12 us, repeated every 2.56 us as long as the lane is full.
// The receiver stops it from 5 us to 205 us, the lane is full some 2 us later, and about (205 - 7)
// / 2.56 = 77 pauses hold the sender: from the first to the XON it sends nothing.
TEST_F(Pfc, PauseIsRepeatedWhileTheLaneIsFull)
{
    ObjectFactory pfc = PfcFor(1 << 3);
    pfc.Set("PauseQuanta", UintegerValue(1000));
    Dammed dammed(pfc);
    for (int us = 5; us < 205; us += 2)
    {
        Simulator::Schedule(MicroSeconds(us), &FabricTestHost::SendPfc, dammed.b.get(), 8, 1000);
    }
    Simulator::Schedule(MicroSeconds(205), &FabricTestHost::SendPfc, dammed.b.get(), 8, 0);
    std::vector<int64_t> starts;
    dammed.a->GetDevice().TraceConnectWithoutContext(
        "FrameTx",
        Callback<void, const FabricFrame*, int64_t>(
            [&starts](const FabricFrame*, int64_t ps) { starts.push_back(ps); }));
    Simulator::Run();
    EXPECT_NEAR(static_cast<double>(dammed.GetPfc().GetXoffSent()), 77, 2);
    EXPECT_EQ(dammed.GetPfc().GetXonSent(), 1u);
    // A pause reaches the sender 1.1 us after it was sent, an XON as well.
    for (const int64_t start : starts)
    {
        EXPECT_FALSE(start > 12 * US && start < 206 * US) << start;
    }
    EXPECT_EQ(dammed.b->GetReceived(3), 1000u);
    EXPECT_EQ(CountAllDrops(dammed.fabric), 0u);
    ExpectLossless(dammed.fabric);
    ExpectDrained(dammed.fabric);
}

// Two full lanes are refreshed by one frame.
TEST_F(Pfc, OneRefreshServesAllFullLanes)
{
    ObjectFactory pfc = PfcFor(1 << 3 | 1 << 4);
    pfc.Set("PauseQuanta", UintegerValue(1000));
    Dammed dammed(pfc);
    FabricTestHost::Stream stream;
    stream.destination = 1;
    stream.priority = 4;
    stream.count = 1000;
    dammed.a->Send(stream);
    // Both are stopped for 102.4 us, and full from some 5 us on: about 36 refreshes by 100 us.
    dammed.b->SendPfc(1 << 3 | 1 << 4, 20000);
    Simulator::Schedule(MicroSeconds(100), [&dammed]() {
        const auto device = dammed.fabric.GetSwitches()[0]->GetPort(0);
        EXPECT_NEAR(static_cast<double>(dammed.GetPfc().GetXoffSent()), 73, 5);
        EXPECT_NEAR(static_cast<double>(device->GetPort().GetCounters().txControlFrames), 37, 3);
    });
    Simulator::Run();
    EXPECT_EQ(dammed.b->GetReceived(3) + dammed.b->GetReceived(4), 2000u);
    EXPECT_EQ(CountAllDrops(dammed.fabric), 0u);
    ExpectDrained(dammed.fabric);
}

// The cable of a stopped sender is cut, which ends the pause at its end, and mended while the lane
// is still full: the switch says its pause again at once, in whichever order the ends learn of it,
// and nothing is lost but what was on the cable.
TEST_F(Pfc, PauseIsSaidAgainOverAMendedCable)
{
    for (const bool switchFirst : {false, true})
    {
        Dammed dammed(PfcFor(1 << 3), switchFirst);
        const auto cable = dammed.built->GetChannel(0);
        dammed.b->SendPfc(8, 65535);
        // While it is cut the sender, no longer stopped, sends into it; 5 us are some 60 frames.
        Simulator::Schedule(MicroSeconds(50), &FabricChannel::SetUp, cable, false);
        Simulator::Schedule(MicroSeconds(55), &FabricChannel::SetUp, cable, true);
        AuditEvery(dammed.fabric, MicroSeconds(1), MicroSeconds(100));
        Simulator::Run();
        EXPECT_EQ(CountDrops(dammed.fabric, FabricDropReason::LINK_DOWN),
                  CountAllDrops(dammed.fabric));
        EXPECT_NEAR(static_cast<double>(CountAllDrops(dammed.fabric)), 60, 2);
        EXPECT_EQ(CountAllDrops(dammed.fabric) + dammed.b->GetReceived(3), 1000u);
        ExpectLossless(dammed.fabric);
        ExpectDrained(dammed.fabric);
        Simulator::Destroy();
    }
}

} // namespace
} // namespace ns3

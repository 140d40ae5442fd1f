/* SPDX-License-Identifier: GPL-2.0-only */
/* Losses of one kind of packet from none to one in ten, with every recovery: it ends, and exactly.
 */

#include "rdma-test-net.h"

#include "ns3/boolean.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-aeth.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <ostream>
#include <tuple>

namespace ns3
{
namespace
{

using namespace rdma;

constexpr uint32_t MTU = 1024;

/// A kind of packet that is lost.
struct Victim
{
    std::string name;                     //!< for the name of the test
    uint32_t host;                        //!< where such packets come to
    bool (*matches)(const FabricFrame&);  //!< whether a packet is one
    bool (*provokes)(const FabricFrame&); //!< losses of these at 1 % make such packets
};

/// For messages of a failed test. \return \p out
std::ostream&
operator<<(std::ostream& out, const Victim& victim)
{
    return out << victim.name;
}

bool
IsData(const FabricFrame& frame)
{
    return OpcodeIsRequest(frame.opcode);
}

bool
IsKind(const FabricFrame& frame, RdmaAethKind kind)
{
    return OpcodeIsAck(frame.opcode) && RdmaSyndromeKind(frame.rdma.syndrome) == kind;
}

const std::vector<Victim> VICTIMS{
    {"Data", 1, IsData, nullptr},
    {"Ack", 0, [](const FabricFrame& f) { return IsKind(f, RdmaAethKind::ACK); }, nullptr},
    {"Nak", 0, [](const FabricFrame& f) { return IsKind(f, RdmaAethKind::NAK); }, IsData},
    {"Cnp", 0, [](const FabricFrame& f) { return OpcodeIsCnp(f.opcode); }, IsData},
    {"ReadResponse",
     0,
     [](const FabricFrame& f) { return OpcodeIsReadResponse(f.opcode); },
     nullptr},
    {"AtomicResponse",
     0,
     [](const FabricFrame& f) { return OpcodeIsAtomicAck(f.opcode); },
     nullptr},
};

using Parameters = std::tuple<std::string, Victim>;

class LossSweep : public testing::TestWithParam<Parameters>
{
};

/// Two memories with bytes, and a slot in each for each message.
class Memories
{
  public:
    static constexpr uint64_t MESSAGES = 80;          //!< messages
    static constexpr uint64_t SLOT = 64 * MTU;        //!< bytes of a slot
    static constexpr uint64_t WORD = MESSAGES * SLOT; //!< address of the word of the atomics

    /// \param pair Two sides; they get a region each.
    explicit Memories(const RdmaConnectedPair& pair)
        : a(Make(pair.a, 7)),
          b(Make(pair.b, 13))
    {
        std::fill_n(b.bytes->begin() + WORD, 8, 0);
        before = *b.bytes;
    }

    /// \param i A message. \return What it does: WRITE, SEND, READ and add 1, in turn.
    static RdmaWrOpcode KindOf(uint64_t i)
    {
        static constexpr RdmaWrOpcode kinds[] = {RdmaWrOpcode::RDMA_WRITE,
                                                 RdmaWrOpcode::SEND,
                                                 RdmaWrOpcode::RDMA_READ,
                                                 RdmaWrOpcode::ATOMIC_FETCH_AND_ADD};
        return kinds[i % 4];
    }

    /// \param i A message. \return Its length.
    static uint64_t LengthOf(uint64_t i)
    {
        return i % 4 == 3 ? 8 : 1 + i * 7919 % SLOT;
    }

    /// \param i A message. \return Its request.
    RdmaSendWr Request(uint64_t i) const
    {
        RdmaSendWr request;
        request.wrId = i;
        request.opcode = KindOf(i);
        request.length = LengthOf(i);
        request.localAddress = i * SLOT;
        request.remoteAddress = i % 4 == 3 ? WORD : i * SLOT;
        request.lkey = a.lkey;
        request.rkey = b.rkey;
        request.compareAdd = 1;
        return request;
    }

    /// \param i A message that is a SEND. \return The receive for it.
    RdmaRecvWr Receive(uint64_t i) const
    {
        RdmaRecvWr request;
        request.wrId = i;
        request.localAddress = i * SLOT;
        request.length = SLOT;
        request.lkey = b.lkey;
        return request;
    }

    /// Checks that every message was done, and once.
    void Check() const
    {
        for (uint64_t i = 0; i < MESSAGES; ++i)
        {
            if (i % 4 == 3)
            {
                uint64_t original;
                std::memcpy(&original, a.bytes->data() + i * SLOT, 8);
                EXPECT_EQ(original, i / 4) << "add " << i / 4;
                continue;
            }
            const auto& source = i % 4 == 2 ? before : *a.bytes;
            const auto& target = i % 4 == 2 ? *a.bytes : *b.bytes;
            EXPECT_EQ(0, std::memcmp(&source[i * SLOT], &target[i * SLOT], LengthOf(i)))
                << "message " << i;
        }
        uint64_t word;
        std::memcpy(&word, b.bytes->data() + WORD, 8);
        EXPECT_EQ(word, MESSAGES / 4);
    }

    RdmaMemoryRegion a;          //!< of the requester
    RdmaMemoryRegion b;          //!< of the responder
    std::vector<uint8_t> before; //!< what the responder has at first

  private:
    /**
     * \param side A side.
     * \param factor Makes its bytes differ from the other's.
     * \return Its memory.
     */
    static RdmaMemoryRegion Make(const RdmaConnectedPair::Side& side, uint64_t factor)
    {
        auto bytes = std::make_shared<std::vector<uint8_t>>(WORD + 8);
        for (uint64_t i = 0; i < bytes->size(); ++i)
        {
            (*bytes)[i] = static_cast<uint8_t>(i * factor + i / 251);
        }
        const uint32_t rights =
            ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE | ACCESS_REMOTE_READ | ACCESS_REMOTE_ATOMIC;
        return side.context->RegMr(side.queuePair->GetInit().domain, 0, bytes, rights).value();
    }
};

// 80 messages of 1 to 64 packets, WRITE, SEND, READ and fetch-and-add in turn. The ACK timeout is
// 65.5 us, so that a run at one in ten takes milliseconds.
TEST_P(LossSweep, EndsAndIsExact)
{
    const auto& [recovery, victim] = GetParam();
    for (const double probability : {0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1})
    {
        SCOPED_TRACE(probability);
        RdmaTestNet net([&name = recovery](RdmaTestPlan& plan) {
            plan.rdma.SetLossRecovery(name);
            plan.rdma.SetNicAttribute("CnpOnReordering", BooleanValue(true));
            plan.rdma.SetNicAttribute("CnpInterval", TimeValue(MicroSeconds(1)));
        });
        RdmaQpAttributes attributes;
        attributes.timeout = 4;
        attributes.pathMtu = MTU;
        attributes.accessFlags = ACCESS_REMOTE_ATOMIC;
        auto& pair = net.Connect(0, 1, attributes);
        const Memories memories(pair);
        const auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(77);
        uint64_t lost = 0;
        uint64_t seen = 0;
        net.Drop(victim.host, [&, kind = victim](const FabricFrame& frame) {
            if (!kind.matches(frame))
            {
                return false;
            }
            ++seen;
            const bool lose = random->GetValue() < probability;
            lost += lose;
            return lose;
        });
        const auto provoke = CreateObject<UniformRandomVariable>();
        provoke->SetStream(78);
        if (victim.provokes)
        {
            net.Drop(1 - victim.host, [provoke, kind = victim](const FabricFrame& frame) {
                return kind.provokes(frame) && provoke->GetValue() < 0.01;
            });
        }
        uint64_t bytes[4] = {};
        for (uint64_t i = 0; i < Memories::MESSAGES; ++i)
        {
            bytes[i % 4] += Memories::LengthOf(i);
            if (i % 4 == 1)
            {
                EXPECT_EQ(pair.b.queuePair->PostRecv(memories.Receive(i)), 0);
            }
            EXPECT_EQ(pair.a.queuePair->PostSend(memories.Request(i)), 0);
        }
        net.Run();
        EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(0, Memories::MESSAGES));
        EXPECT_EQ(TakeAll(pair.b).size(), Memories::MESSAGES / 4);
        memories.Check();
        EXPECT_EQ(net.Counters(1).deliveredBytes, bytes[0] + bytes[1]);
        EXPECT_EQ(net.Counters(1).deliveredMessages, Memories::MESSAGES / 2);
        EXPECT_EQ(net.Counters(0).deliveredBytes, bytes[2]);
        EXPECT_EQ(net.Counters(0).deliveredMessages, Memories::MESSAGES / 2);
        EXPECT_EQ(pair.a.queuePair->GetState(), RdmaQpState::RTS);
        EXPECT_EQ(pair.a.queuePair->GetRequester().GetOutstanding(), 0u);
        EXPECT_GT(seen, 0u);
        // With an expected count of 5 none at all would be a chance of 0.7 %; the streams are
        // fixed.
        if (probability * static_cast<double>(seen) > 5)
        {
            EXPECT_GT(lost, 0u) << "of " << seen;
        }
        if (lost == 0 && !victim.provokes)
        {
            EXPECT_EQ(net.Counters(0).retransmittedPackets, 0u);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All,
                         LossSweep,
                         testing::Combine(testing::Values("ns3::rdma::RdmaGoBackN",
                                                          "ns3::rdma::RdmaSelectiveRepeat"),
                                          testing::ValuesIn(VICTIMS)),
                         [](const auto& info) {
                             const std::string& type = std::get<0>(info.param);
                             return type.substr(type.rfind(':') + 1) + '_' +
                                    std::get<1>(info.param).name;
                         });

// -- Goodput against closed forms

constexpr uint32_t LONG_MTU = 4096;
constexpr uint64_t PACKETS = 20'000;

/**
 * One WRITE of 20,000 packets at 100 Gb/s over 1.1 us, with losses of requests only.
 * \param recovery TypeId of the recovery.
 * \param probability Of the loss of a packet.
 * \param slot Time of a packet on the wire, ps.
 * \return How many packet times it took per packet.
 */
double
SlotsPerPacket(const std::string& recovery, double probability, double slot)
{
    RdmaTestNet net([&recovery](RdmaTestPlan& plan) {
        plan.topology = FabricTopology::BackToBack({100'000'000'000, 1'100'000, 0});
        ObjectFactory factory(recovery);
        if (recovery == "ns3::rdma::RdmaSelectiveRepeat")
        {
            factory.Set("RtoLow", TimeValue(MicroSeconds(20)));
            factory.Set("RtoHigh", TimeValue(MicroSeconds(20)));
        }
        plan.rdma.SetLossRecovery(factory);
    });
    RdmaQpAttributes attributes;
    attributes.timeout = 3; // 32.768 us
    auto& pair = net.Connect(0, 1, attributes);
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(5);
    net.Drop(1, [random, probability](const FabricFrame& frame) {
        return OpcodeIsRequest(frame.opcode) && random->GetValue() < probability;
    });
    int64_t end = 0;
    net.contexts[1]->GetNic()->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const RdmaQueuePair*, uint64_t, int64_t>(
            [&end](const RdmaQueuePair*, uint64_t, int64_t ps) { end = ps; }));
    EXPECT_EQ(
        pair.a.queuePair->PostSend(MakeSend(pair, RdmaWrOpcode::RDMA_WRITE, PACKETS * LONG_MTU, 1)),
        0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair.a)), InOrder(1, 1));
    EXPECT_EQ(net.Counters(1).deliveredBytes, PACKETS * LONG_MTU);
    return (static_cast<double>(end) - 1'100'000) / slot / PACKETS;
}

// A middle packet has 14 + 20 + 8 + 12 + 4096 + 4 + 4 = 4158 bytes and 20 of preamble and gap:
// S = 334.24 ns at 100 Gb/s. When one is lost, the next one is there 2 S + d after the lost one
// started, the NAK (66 + 20 bytes, 6.88 ns) d later, in all 668.48 + 2200 + 6.88 = 2875.36 ns =
// 8.6 S after. The requester then finishes its packet and goes back: the loss costs W = 9 slots.
// If the next packets are lost as well, which happens p / (1 - p) times on average, the NAK is that
// many slots later. When the second copy is lost too, the responder says nothing, and the timer
// acts: it starts with the first packet that asks for an answer, the 16th, 15 S after, and takes
// 32.768 us = 98.04 S, so that each copy lost costs D = 114 slots (the timer waits for the wire).
// Slots per packet: 1 + p (W + p / (1 - p)) + p^2 / (1 - p) D. For small p this is the usual
// (1 - p + p W) / (1 - p). The tolerance is four standard deviations of the counts of losses, each
// binomial, and 0.1 % for the ends.
TEST(Goodput, GoBackNIsAsTheClosedFormSays)
{
    constexpr double SLOT = 334'240;
    constexpr double W = 9;
    constexpr double D = 114;
    for (const double p : {0.0, 1e-4, 1e-3, 1e-2, 1e-1})
    {
        SCOPED_TRACE(p);
        const double expected = 1 + p * (W + p / (1 - p)) + p * p / (1 - p) * D;
        const double deviation = std::sqrt((p * W * W + p * p * D * D) / PACKETS);
        const double measured = SlotsPerPacket("ns3::rdma::RdmaGoBackN", p, SLOT);
        EXPECT_NEAR(measured, expected, 4 * deviation + 0.001);
        RecordProperty("slots_per_packet", std::to_string(measured));
    }
}

// With selective repeat a loss costs one slot: 1 / (1 - p) slots per packet. Each packet has a RETH
// of 16 bytes more: S = 335.52 ns. When the second copy is lost, too (p^2), nothing can be sent
// once the window is used up, until the timer expires: at most 20 us = 59.6 S and the repetition of
// the 74 packets of the window, so that the truth lies between the two.
TEST(Goodput, SelectiveRepeatIsAsTheClosedFormSays)
{
    constexpr double SLOT = 335'520;
    constexpr double STALL = 60 + 74;
    for (const double p : {0.0, 1e-4, 1e-3, 1e-2, 1e-1})
    {
        SCOPED_TRACE(p);
        const double deviation = std::sqrt((p + p * p * STALL * STALL) / PACKETS);
        const double measured = SlotsPerPacket("ns3::rdma::RdmaSelectiveRepeat", p, SLOT);
        EXPECT_GE(measured, 1 / (1 - p) - 4 * deviation - 0.001);
        EXPECT_LE(measured, 1 / (1 - p) + p * p * STALL + 4 * deviation + 0.001);
        RecordProperty("slots_per_packet", std::to_string(measured));
    }
}

} // namespace
} // namespace ns3

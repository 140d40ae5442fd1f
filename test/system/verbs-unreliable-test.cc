/* SPDX-License-Identifier: GPL-2.0-only */
/* Queue pairs without acknowledgements: UC and UD. */

#include "rdma-test-net.h"

#include "ns3/simulator.h"

#include <array>
#include <cerrno>
#include <tuple>

namespace ns3
{
namespace
{

using namespace rdma;

constexpr uint32_t MTU = 4096;
constexpr uint64_t SIZE = 1 << 20;

/// Two hosts and a connection of a given service, with bytes on both sides.
class VerbsUnreliable : public testing::Test
{
  protected:
    /// \param type The service.
    void Connect(RdmaQpType type)
    {
        RdmaQpInitAttributes init;
        init.type = type;
        attributes.queueKey = 0x1234;
        pair = &net.Connect(0, 1, attributes, init);
        const uint32_t rights = ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE;
        for (auto* side : {&pair->a, &pair->b})
        {
            side->memory = side->context
                               ->RegMr(side->queuePair->GetInit().domain,
                                       0,
                                       std::make_shared<std::vector<uint8_t>>(SIZE),
                                       rights)
                               .value();
        }
        for (uint64_t i = 0; i < SIZE; ++i)
        {
            (*pair->a.memory.bytes)[i] = static_cast<uint8_t>(i * 13 + i / 4096);
        }
        handle = pair->a.context->CreateAh(pair->a.queuePair->GetInit().domain,
                                           {pair->b.context->GetEndpoint(), 3, 0});
    }

    /**
     * \param bytes Length.
     * \param id Number.
     * \return A datagram from side a to side b.
     */
    RdmaSendWr Datagram(uint64_t bytes, uint64_t id = 0) const
    {
        RdmaSendWr request = MakeSend(*pair, RdmaWrOpcode::SEND, bytes, id);
        request.addressHandle = handle;
        request.remoteQueuePair = pair->b.queuePair->GetNumber();
        request.remoteQueueKey = 0x1234;
        return request;
    }

    /// \param bytes How many. \return Whether so many have come to the beginning of side b.
    bool Came(uint64_t bytes) const
    {
        return std::equal(pair->a.memory.bytes->begin(),
                          pair->a.memory.bytes->begin() + static_cast<std::ptrdiff_t>(bytes),
                          pair->b.memory.bytes->begin());
    }

    /// \param request A request. \return What PostSend of side a says.
    int Post(const RdmaSendWr& request)
    {
        return pair->a.queuePair->PostSend(request);
    }

    RdmaTestNet net;               //!< two hosts
    RdmaQpAttributes attributes;   //!< of both queue pairs
    RdmaConnectedPair* pair{};     //!< the connection
    Ptr<RdmaAddressHandle> handle; //!< side b
};

// A WRITE of 3 packets, a SEND of 2 and a WRITE with immediate: opcodes of UC in order, no answers,
// bytes where they belong. The wire has the 3 packets of 4096 + 82 bytes, 16 more in the first,
// after 12,550 x 80 ps = 1.004 us: that is when the WRITE completes.
TEST_F(VerbsUnreliable, UcCarriesWritesAndSends)
{
    Connect(RdmaQpType::UC);
    const auto& sent = net.RecordTx(0);
    const auto& answers = net.RecordTx(1);
    Time done;
    pair->a.cq->SetNotify(Callback<void, Ptr<RdmaCompletionQueue>>(
        [&done](Ptr<RdmaCompletionQueue>) { done = Simulator::Now(); }));
    pair->a.cq->RequestNotify();
    for (uint64_t i = 0; i < 2; ++i)
    {
        EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, 2 * MTU, i)), 0);
    }
    EXPECT_EQ(Post(MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, 3 * MTU, 0)), 0);
    EXPECT_EQ(Post(MakeSend(*pair, RdmaWrOpcode::SEND, MTU + 1, 1)), 0);
    RdmaSendWr immediate = MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE_WITH_IMM, 5, 2);
    immediate.immediate = 99;
    EXPECT_EQ(Post(immediate), 0);
    net.Run();
    const std::vector<uint8_t> opcodes{UC_RDMA_WRITE_FIRST,
                                       UC_RDMA_WRITE_MIDDLE,
                                       UC_RDMA_WRITE_LAST,
                                       UC_SEND_FIRST,
                                       UC_SEND_LAST,
                                       UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE};
    EXPECT_EQ(OpcodesOf(sent), opcodes);
    EXPECT_TRUE(answers.empty());
    EXPECT_EQ(done, PicoSeconds(1'004'000));
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(0, 3));
    const auto received = TakeAll(pair->b);
    ASSERT_EQ(IdsOf(received), InOrder(0, 2));
    EXPECT_EQ(received[0].byteLength, MTU + 1u);
    EXPECT_EQ(received[1].opcode, RdmaWcOpcode::RECV_RDMA_WITH_IMM);
    EXPECT_EQ(received[1].immediate, 99u);
    EXPECT_TRUE(Came(3 * MTU));
    EXPECT_EQ(net.Counters(1).deliveredMessages, 3u);
}

// A packet of the second of three messages is lost, first, middle or last: the others come, the
// second does not, and nobody is told.
TEST_F(VerbsUnreliable, UcDropsTheMessageWithTheGap)
{
    for (const RdmaWrOpcode opcode : {RdmaWrOpcode::SEND, RdmaWrOpcode::RDMA_WRITE})
    {
        for (const uint32_t lost : {3U, 4U, 5U})
        {
            Connect(RdmaQpType::UC);
            const uint64_t before = net.Counters(1).deliveredMessages;
            uint32_t seen = 0;
            net.Drop(1, [&](const FabricFrame&) { return seen++ == lost; });
            for (uint64_t i = 0; i < 3; ++i)
            {
                EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, 3 * MTU, i)), 0);
                EXPECT_EQ(Post(MakeSend(*pair, opcode, 3 * MTU, i)), 0);
            }
            Simulator::Run();
            EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(0, 3));
            EXPECT_EQ(IdsOf(TakeAll(pair->b)), InOrder(0, opcode == RdmaWrOpcode::SEND ? 2 : 0));
            EXPECT_EQ(net.Counters(1).deliveredMessages - before, 2u) << lost;
            EXPECT_EQ(pair->b.queuePair->GetState(), RdmaQpState::RTS);
            net.Drop(1, [](const FabricFrame&) { return false; });
        }
    }
}

// Without a receive, with one that is too small, or without the right: dropped, and what comes next
// is taken.
TEST_F(VerbsUnreliable, UcDropsWhatItCannotPlace)
{
    Connect(RdmaQpType::UC);
    EXPECT_EQ(Post(MakeSend(*pair, RdmaWrOpcode::SEND, 2 * MTU, 0)), 0);
    net.Run();
    EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, MTU, 7)), 0);
    EXPECT_EQ(Post(MakeSend(*pair, RdmaWrOpcode::SEND, 2 * MTU, 1)), 0);
    RdmaSendWr write = MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, MTU, 2);
    write.rkey += 1;
    EXPECT_EQ(Post(write), 0);
    net.Run();
    EXPECT_EQ(net.Counters(1).droppedMessages, 3u);
    EXPECT_TRUE(TakeAll(pair->b).empty());
    EXPECT_EQ(Post(MakeSend(*pair, RdmaWrOpcode::SEND, MTU, 3)), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->b)), InOrder(7, 1));
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(0, 4));
}

TEST_F(VerbsUnreliable, WhatTheServicesCannotDo)
{
    Connect(RdmaQpType::UC);
    for (const RdmaWrOpcode opcode : {RdmaWrOpcode::RDMA_READ,
                                      RdmaWrOpcode::ATOMIC_CMP_AND_SWP,
                                      RdmaWrOpcode::ATOMIC_FETCH_AND_ADD,
                                      RdmaWrOpcode::SEND_WITH_INV})
    {
        EXPECT_EQ(Post(MakeSend(*pair, opcode, 8)), EINVAL);
    }
    Connect(RdmaQpType::UD);
    RdmaSendWr bad = Datagram(8);
    for (const RdmaWrOpcode opcode : {RdmaWrOpcode::RDMA_READ,
                                      RdmaWrOpcode::RDMA_WRITE,
                                      RdmaWrOpcode::RDMA_WRITE_WITH_IMM,
                                      RdmaWrOpcode::ATOMIC_FETCH_AND_ADD,
                                      RdmaWrOpcode::SEND_WITH_INV})
    {
        bad.opcode = opcode;
        EXPECT_EQ(Post(bad), EINVAL);
    }
    EXPECT_EQ(Post(MakeSend(*pair, RdmaWrOpcode::SEND, 8)), EINVAL); // no address
    bad = Datagram(8);
    bad.addressHandle = pair->a.context->CreateAh(pair->a.context->AllocPd(), {1, 3, 0});
    EXPECT_EQ(Post(bad), EINVAL); // of another domain
    EXPECT_FALSE(pair->a.context->CreateAh(nullptr, {1, 3, 0}));
}

// 40 bytes of room for a GRH come first; the sender is named; each packet is a message.
TEST_F(VerbsUnreliable, UdDeliversDatagrams)
{
    Connect(RdmaQpType::UD);
    const auto& sent = net.RecordTx(0);
    RdmaRecvWr receive = MakeRecv(pair->b, MTU + 40, 0);
    receive.localAddress = SIZE - MTU - 40;
    EXPECT_EQ(pair->b.queuePair->PostRecv(receive), 0);
    receive.wrId = 1;
    EXPECT_EQ(pair->b.queuePair->PostRecv(receive), 0);
    EXPECT_EQ(Post(Datagram(0, 0)), 0);
    RdmaSendWr full = Datagram(MTU, 1);
    full.opcode = RdmaWrOpcode::SEND_WITH_IMM;
    full.immediate = 5;
    EXPECT_EQ(Post(full), 0);
    net.Run();
    EXPECT_EQ(OpcodesOf(sent), (std::vector<uint8_t>{UD_SEND_ONLY, UD_SEND_ONLY_WITH_IMMEDIATE}));
    EXPECT_EQ(sent[0].priority, 3);
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(0, 2));
    const auto received = TakeAll(pair->b);
    ASSERT_EQ(IdsOf(received), InOrder(0, 2));
    EXPECT_EQ(received[0].byteLength, 40u);
    EXPECT_EQ(received[1].byteLength, MTU + 40u);
    EXPECT_EQ(received[1].immediate, 5u);
    EXPECT_EQ(received[1].sourceEndpoint, 0u);
    EXPECT_EQ(received[1].sourceQueuePair, pair->a.queuePair->GetNumber());
    EXPECT_TRUE(received[1].hasGrh);
    EXPECT_TRUE(std::equal(pair->a.memory.bytes->begin(),
                           pair->a.memory.bytes->begin() + MTU,
                           pair->b.memory.bytes->end() - MTU));
}

/**
 * Host 0 sends a datagram of 10 bytes to host 1, whose memory is full of 0xee.
 * \param encapsulation What it is wrapped in.
 * \param hosts Set to the addresses of host 0 and 1 as bytes on the wire, one behind the other.
 * \return The 40 bytes in front of it.
 */
std::vector<uint8_t>
GlobalHeaderOf(RdmaEncapsulation encapsulation, std::vector<uint8_t>& hosts)
{
    RdmaTestNet net([encapsulation](RdmaTestPlan& plan) {
        if (IsInfiniBand(encapsulation))
        {
            plan.fabric.UseInfiniBand(encapsulation);
        }
        plan.fabric.GetNetwork()->SetEncapsulation(encapsulation);
    });
    RdmaQpInitAttributes init;
    init.type = RdmaQpType::UD;
    RdmaQpAttributes attributes;
    attributes.queueKey = 1;
    auto& pair = net.Connect(0, 1, attributes, init);
    const auto bytes = std::make_shared<std::vector<uint8_t>>(64, 0xee);
    const auto region = pair.b.context->RegMr(pair.b.queuePair->GetInit().domain,
                                              0,
                                              bytes,
                                              ACCESS_LOCAL_WRITE);
    EXPECT_EQ(pair.b.queuePair->PostRecv({0, 0, region->lkey, 64, {}}), 0);
    RdmaSendWr request = MakeSend(pair, RdmaWrOpcode::SEND, 10, 0);
    request.addressHandle = pair.a.context->CreateAh(pair.a.queuePair->GetInit().domain,
                                                     {pair.b.context->GetEndpoint(), 3, 0});
    request.remoteQueuePair = pair.b.queuePair->GetNumber();
    request.remoteQueueKey = 1;
    EXPECT_EQ(pair.a.queuePair->PostSend(request), 0);
    net.Run();
    EXPECT_EQ(TakeAll(pair.b).size(), 1u);
    hosts.clear();
    for (const uint32_t endpoint : {0, 1})
    {
        std::array<uint8_t, 16> address;
        const FabricNetwork& network = *net.plan->fabric.GetNetwork();
        const bool ipv4 = encapsulation == RdmaEncapsulation::ROCE_V2_IPV4;
        ipv4 ? network.GetAddress(endpoint).Serialize(address.data())
             : network.GetGid(endpoint).Serialize(address.data());
        hosts.insert(hosts.end(), address.begin(), address.begin() + (ipv4 ? 4 : 16));
    }
    return {bytes->begin(), bytes->begin() + 40};
}

// Behind the network header: BTH 12, DETH 8, payload 10 and 2 of padding, ICRC 4: 36 bytes, and 8 of
// UDP in RoCEv2. IPv4: 20 bytes that nobody writes; then version 4 and 5 words, length 20 + 44,
// protocol 17, the addresses, and a checksum by which the sum of all words is 0xffff (RFC 1071).
TEST(VerbsGlobalHeader, Ipv4)
{
    std::vector<uint8_t> hosts;
    const auto header = GlobalHeaderOf(RdmaEncapsulation::ROCE_V2_IPV4, hosts);
    EXPECT_EQ(std::vector<uint8_t>(header.begin(), header.begin() + 20),
              std::vector<uint8_t>(20, 0xee));
    EXPECT_EQ(header[20], 0x45);
    EXPECT_EQ(header[22] << 8 | header[23], 64);
    EXPECT_EQ(header[29], 17);
    EXPECT_EQ(std::vector<uint8_t>(header.begin() + 32, header.end()), hosts);
    uint32_t sum = 0;
    for (int i = 20; i < 40; i += 2)
    {
        sum += static_cast<uint32_t>(header[i] << 8 | header[i + 1]);
    }
    EXPECT_EQ((sum & 0xffff) + (sum >> 16), 0xffffu);
}

// Version 6, payload length, next header: 17 for UDP, 0x1b for a GRH; then the addresses.
TEST(VerbsGlobalHeader, Ipv6AndGrh)
{
    const std::tuple<RdmaEncapsulation, uint32_t, uint8_t> expected[] = {
        {RdmaEncapsulation::ROCE_V2_IPV6, 44, 17},
        {RdmaEncapsulation::ROCE_V1, 36, 0x1b},
        {RdmaEncapsulation::INFINIBAND_GRH, 36, 0x1b}};
    for (const auto& [encapsulation, length, next] : expected)
    {
        SCOPED_TRACE(static_cast<int>(encapsulation));
        std::vector<uint8_t> hosts;
        const auto header = GlobalHeaderOf(encapsulation, hosts);
        EXPECT_EQ(header[0] >> 4, 6);
        EXPECT_EQ(static_cast<uint32_t>(header[4] << 8 | header[5]), length);
        EXPECT_EQ(header[6], next);
        EXPECT_EQ(std::vector<uint8_t>(header.begin() + 8, header.end()), hosts);
    }
}

// Within a subnet of InfiniBand there is no such header.
TEST(VerbsGlobalHeader, NoneWithinASubnet)
{
    std::vector<uint8_t> hosts;
    EXPECT_EQ(GlobalHeaderOf(RdmaEncapsulation::INFINIBAND, hosts), std::vector<uint8_t>(40, 0xee));
}

// Dropped without a word: no receive, a receive of one byte too few, another Q_Key. The queue pair
// stays usable, and the receive that was too small takes the next datagram that fits.
TEST_F(VerbsUnreliable, B4_12_UdDropsWhatDoesNotFit)
{
    Connect(RdmaQpType::UD);
    EXPECT_EQ(Post(Datagram(100, 0)), 0);
    net.Run();
    EXPECT_EQ(net.Counters(1).droppedMessages, 1u);
    EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, 1024, 7)), 0);
    EXPECT_EQ(Post(Datagram(2048, 1)), 0);
    EXPECT_EQ(Post(Datagram(1024 - 39, 2)), 0);
    net.Run();
    EXPECT_EQ(net.Counters(1).droppedMessages, 3u);
    RdmaSendWr wrongKey = Datagram(10, 3);
    wrongKey.remoteQueueKey = 0x1235;
    EXPECT_EQ(Post(wrongKey), 0);
    net.Run();
    EXPECT_EQ(net.Counters(1).qkeyViolations, 1u);
    EXPECT_TRUE(TakeAll(pair->b).empty());
    RdmaSendWr ownKey = Datagram(1024 - 40, 4);
    ownKey.remoteQueueKey = 0x80000000; // the key of the sending queue pair
    EXPECT_EQ(Post(ownKey), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->b)), InOrder(7, 1));
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(0, 5));
    EXPECT_EQ(pair->b.queuePair->GetState(), RdmaQpState::RTS);
}

// A datagram longer than the MTU and a bad key are the sender's errors: the send queue stops with
// what came before done, receives go on, and the way back to RTS is short.
TEST_F(VerbsUnreliable, ASendErrorStopsTheSendQueueOnly)
{
    Connect(RdmaQpType::UD);
    for (const RdmaWcStatus status : {RdmaWcStatus::LOC_LEN_ERR, RdmaWcStatus::LOC_PROT_ERR})
    {
        RdmaSendWr bad = Datagram(status == RdmaWcStatus::LOC_LEN_ERR ? MTU + 1 : 10, 1);
        bad.lkey += status == RdmaWcStatus::LOC_PROT_ERR;
        EXPECT_EQ(Post(Datagram(10, 0)), 0);
        EXPECT_EQ(Post(bad), 0);
        EXPECT_EQ(Post(Datagram(10, 2)), 0);
        net.Run();
        const std::vector<IdAndStatus> expected{{0, RdmaWcStatus::SUCCESS},
                                                {1, status},
                                                {2, RdmaWcStatus::WR_FLUSH_ERR}};
        EXPECT_EQ(IdsOf(TakeAll(pair->a)), expected);
        EXPECT_EQ(pair->a.queuePair->GetState(), RdmaQpState::SQE);
        EXPECT_EQ(Post(Datagram(10, 3)), 0);
        EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(3, 1, RdmaWcStatus::WR_FLUSH_ERR));

        // It still receives.
        EXPECT_EQ(pair->a.queuePair->PostRecv(MakeRecv(pair->a, 100, 8)), 0);
        RdmaSendWr back = MakeSend(*pair, RdmaWrOpcode::SEND, 10, 9, true);
        back.addressHandle =
            pair->b.context->CreateAh(pair->b.queuePair->GetInit().domain, {0, 3, 0});
        back.remoteQueuePair = pair->a.queuePair->GetNumber();
        back.remoteQueueKey = 0x1234;
        EXPECT_EQ(pair->b.queuePair->PostSend(back), 0);
        net.Run();
        EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(8, 1));
        EXPECT_EQ(IdsOf(TakeAll(pair->b)), InOrder(9, 1));

        RdmaQpAttributes again;
        again.state = RdmaQpState::RTS;
        EXPECT_EQ(pair->a.context->ModifyQp(pair->a.queuePair, again, QP_STATE), 0);
        EXPECT_EQ(Post(Datagram(10, 4)), 0);
        net.Run();
        EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(4, 1));
    }
}

// One queue pair, two destinations in two priorities: each datagram goes where its address says.
TEST(VerbsUnreliableStar, UdHasAnAddressPerDatagram)
{
    RdmaTestNet net(
        [](RdmaTestPlan& plan) { plan.topology = FabricTopology::Star(3, FabricLinkSpec()); });
    RdmaQpInitAttributes init;
    init.type = RdmaQpType::UD;
    RdmaConnectedPair& first = net.Connect(0, 1, {}, init);
    RdmaConnectedPair& second = net.Connect(0, 2, {}, init);
    const auto& sent = net.RecordTx(0);
    for (uint64_t i = 0; i < 10; ++i)
    {
        const RdmaConnectedPair& to = i % 2 ? second : first;
        EXPECT_EQ(to.b.queuePair->PostRecv(MakeRecv(to.b, 100, i)), 0);
        RdmaSendWr request = MakeSend(first, RdmaWrOpcode::SEND, 10, i);
        request.addressHandle = first.a.context->CreateAh(
            first.a.queuePair->GetInit().domain,
            {to.b.context->GetEndpoint(), static_cast<uint8_t>(i % 2 ? 4 : 3), 0});
        request.remoteQueuePair = to.b.queuePair->GetNumber();
        EXPECT_EQ(first.a.queuePair->PostSend(request), 0);
    }
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(first.a)), InOrder(0, 10));
    EXPECT_EQ(TakeAll(first.b).size(), 5u);
    EXPECT_EQ(TakeAll(second.b).size(), 5u);
    ASSERT_EQ(sent.size(), 10u);
    for (uint64_t i = 0; i < 10; ++i)
    {
        EXPECT_EQ(sent[i].priority, i % 2 ? 4 : 3);
        EXPECT_EQ(sent[i].psn, i);
    }
}

} // namespace
} // namespace ns3

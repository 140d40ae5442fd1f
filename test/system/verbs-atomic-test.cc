/* SPDX-License-Identifier: GPL-2.0-only */
/* Atomics, and the bytes of all operations when packets are lost. */

#include "rdma-test-net.h"

#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <cerrno>
#include <cstring>
#include <random>

namespace ns3
{
namespace
{

using namespace rdma;

constexpr uint32_t MTU = 4096;
constexpr uint64_t SIZE = 1 << 20;

/// Two hosts and a connection with bytes on both sides.
class VerbsAtomic : public testing::Test
{
  protected:
    VerbsAtomic()
    {
        attributes.timeout = 1;
        attributes.accessFlags = ACCESS_REMOTE_ATOMIC;
        Connect();
    }

    /// Makes a new connection from attributes.
    void Connect()
    {
        pair = &net.Connect(0, 1, attributes);
        for (auto* side : {&pair->a, &pair->b})
        {
            side->memory = side->context
                               ->RegMr(side->queuePair->GetInit().domain,
                                       0,
                                       std::make_shared<std::vector<uint8_t>>(SIZE),
                                       ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE |
                                           ACCESS_REMOTE_READ | ACCESS_REMOTE_ATOMIC)
                               .value();
        }
    }

    /**
     * \param opcode Which atomic.
     * \param id Number; the answer goes to word \p id of side a.
     * \param compareAdd See RdmaSendWr.
     * \param swap See RdmaSendWr.
     * \return An atomic on word 0 of side b.
     */
    RdmaSendWr Atomic(RdmaWrOpcode opcode, uint64_t id, uint64_t compareAdd, uint64_t swap = 0)
    {
        RdmaSendWr request = MakeSend(*pair, opcode, 8, id);
        request.localAddress = 8 * id;
        request.compareAdd = compareAdd;
        request.swap = swap;
        return request;
    }

    /// \param request A request. \return What PostSend of side a says.
    int Post(const RdmaSendWr& request)
    {
        return pair->a.queuePair->PostSend(request);
    }

    /**
     * \param side A side.
     * \param index A number.
     * \return That word of its memory.
     */
    static uint64_t Word(const RdmaConnectedPair::Side& side, uint64_t index)
    {
        uint64_t word;
        std::memcpy(&word, side.memory.bytes->data() + 8 * index, sizeof(word));
        return word;
    }

    RdmaTestNet net;             //!< two hosts
    RdmaQpAttributes attributes; //!< of both queue pairs
    RdmaConnectedPair* pair;     //!< the connection
};

// IBA volume 1, section 9.4.5: the answer is what was there before, changed or not.
TEST_F(VerbsAtomic, CompareSwapAndFetchAdd)
{
    const auto& sent = net.RecordTx(0);
    const auto& answers = net.RecordTx(1);
    EXPECT_EQ(Post(Atomic(RdmaWrOpcode::ATOMIC_FETCH_AND_ADD, 1, 7)), 0);     // 0 -> 7
    EXPECT_EQ(Post(Atomic(RdmaWrOpcode::ATOMIC_CMP_AND_SWP, 2, 7, 100)), 0);  // 7 -> 100
    EXPECT_EQ(Post(Atomic(RdmaWrOpcode::ATOMIC_CMP_AND_SWP, 3, 7, 200)), 0);  // stays 100
    EXPECT_EQ(Post(Atomic(RdmaWrOpcode::ATOMIC_FETCH_AND_ADD, 4, ~0ULL)), 0); // wraps to 99
    net.Run();
    EXPECT_EQ(Word(pair->b, 0), 99u);
    EXPECT_EQ(Word(pair->a, 1), 0u);
    EXPECT_EQ(Word(pair->a, 2), 7u);
    EXPECT_EQ(Word(pair->a, 3), 100u);
    EXPECT_EQ(Word(pair->a, 4), 100u);
    const auto done = TakeAll(pair->a);
    ASSERT_EQ(IdsOf(done), InOrder(1, 4));
    EXPECT_EQ(done[0].opcode, RdmaWcOpcode::FETCH_ADD);
    EXPECT_EQ(done[1].opcode, RdmaWcOpcode::COMP_SWAP);
    EXPECT_EQ(done[1].byteLength, 8u);
    EXPECT_EQ(OpcodesOf(sent),
              (std::vector<uint8_t>{RC_FETCH_ADD, RC_COMPARE_SWAP, RC_COMPARE_SWAP, RC_FETCH_ADD}));
    EXPECT_EQ(OpcodesOf(answers), std::vector<uint8_t>(4, RC_ATOMIC_ACKNOWLEDGE));
}

// Each of the first 60 frames either way is lost in turn, and pairs of them: 40 additions of 1
// are done 40 times, and each old value is seen once.
TEST_F(VerbsAtomic, AreNeverDoneTwice)
{
    for (uint32_t lost = 0; lost < 60; ++lost)
    {
        Connect();
        uint32_t seen[2] = {0, 0};
        for (uint32_t host : {0U, 1U})
        {
            net.Drop(host, [&seen, lost, host](const FabricFrame&) {
                const uint32_t number = seen[host]++;
                return number == (host ? lost : 59 - lost) || number == lost + 20;
            });
        }
        for (uint64_t i = 1; i <= 40; ++i)
        {
            EXPECT_EQ(Post(Atomic(RdmaWrOpcode::ATOMIC_FETCH_AND_ADD, i, 1)), 0);
            if (i % 5 == 0)
            {
                // Other requests between them.
                RdmaSendWr write = MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, 2 * MTU, i);
                write.remoteAddress = 4096;
                write.localAddress = 8192;
                write.signaled = false;
                EXPECT_EQ(Post(write), 0);
            }
        }
        Simulator::Run();
        ASSERT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 40)) << lost;
        EXPECT_EQ(Word(pair->b, 0), 40u);
        for (uint64_t i = 1; i <= 40; ++i)
        {
            ASSERT_EQ(Word(pair->a, i), i - 1) << lost;
        }
    }
    EXPECT_GT(net.Counters(1).duplicateRequest, 0u);
}

// No more than max_rd_atomic reads and atomics are under way: with 2, the third leaves when the
// first answer is here, after 2 us of cable and more, but a WRITE need not wait for that.
TEST_F(VerbsAtomic, DepthStallsTheRequester)
{
    attributes.maxRdAtomic = 2;
    Connect();
    const auto& sent = net.RecordTx(0);
    for (uint64_t i = 1; i <= 6; ++i)
    {
        EXPECT_EQ(Post(i % 2 ? Atomic(RdmaWrOpcode::ATOMIC_FETCH_AND_ADD, i, 1)
                             : MakeSend(*pair, RdmaWrOpcode::RDMA_READ, 8, i)),
                  0);
    }
    net.Run();
    ASSERT_EQ(sent.size(), 6u);
    for (std::size_t i = 2; i < 6; ++i)
    {
        EXPECT_GT(sent[i].ps - sent[i - 2].ps, 2'000'000);
    }
    EXPECT_LT(sent[1].ps - sent[0].ps, 100'000);
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 6));
}

// A word that is not aligned, a queue pair or a region without the right, a length that is not 8.
TEST_F(VerbsAtomic, Refusals)
{
    RdmaSendWr bad = Atomic(RdmaWrOpcode::ATOMIC_FETCH_AND_ADD, 1, 1);
    bad.length = 4;
    EXPECT_EQ(Post(bad), EINVAL);
    bad = Atomic(RdmaWrOpcode::ATOMIC_FETCH_AND_ADD, 1, 1);
    bad.remoteAddress = 4;
    EXPECT_EQ(Post(bad), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 1, RdmaWcStatus::REM_INV_REQ_ERR));
    attributes.accessFlags = 0;
    Connect();
    EXPECT_EQ(Post(Atomic(RdmaWrOpcode::ATOMIC_CMP_AND_SWP, 1, 1)), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 1, RdmaWcStatus::REM_ACCESS_ERR));
    attributes.accessFlags = ACCESS_REMOTE_ATOMIC;
    Connect();
    RdmaMemoryRegion weak = pair->b.memory;
    weak.access = ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE;
    EXPECT_EQ(pair->b.context->ReregMr(weak, REREG_CHANGE_ACCESS), 0);
    bad = Atomic(RdmaWrOpcode::ATOMIC_CMP_AND_SWP, 1, 0, 5);
    bad.rkey = weak.rkey;
    EXPECT_EQ(Post(bad), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 1, RdmaWcStatus::REM_ACCESS_ERR));
    EXPECT_EQ(Word(pair->b, 0), 0u);
}

// SEND with Invalidate: the key that it names is refused from then on, remotely but not locally.
TEST_F(VerbsAtomic, SendWithInvalidate)
{
    const RdmaMemoryRegion other = pair->b.context
                                       ->RegMr(pair->b.queuePair->GetInit().domain,
                                               0,
                                               100,
                                               ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE)
                                       .value();
    RdmaSendWr write = MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, 50, 0);
    write.rkey = other.rkey;
    EXPECT_EQ(Post(write), 0);
    for (uint64_t i = 0; i < 2; ++i)
    {
        RdmaRecvWr receive = MakeRecv(pair->b, 100, i);
        receive.lkey = other.lkey;
        EXPECT_EQ(pair->b.queuePair->PostRecv(receive), 0);
    }
    RdmaSendWr send = MakeSend(*pair, RdmaWrOpcode::SEND_WITH_INV, 50, 1);
    send.immediate = other.rkey;
    EXPECT_EQ(Post(send), 0);
    EXPECT_EQ(Post(MakeSend(*pair, RdmaWrOpcode::SEND, 50, 2)), 0);
    net.Run();
    const auto received = TakeAll(pair->b);
    ASSERT_EQ(IdsOf(received), InOrder(0, 2));
    EXPECT_TRUE(received[0].hasInvalidated);
    EXPECT_EQ(received[0].immediate, other.rkey);
    EXPECT_FALSE(received[1].hasInvalidated);
    write.wrId = 3;
    EXPECT_EQ(Post(write), 0);
    net.Run();
    std::vector<IdAndStatus> expected = InOrder(0, 3);
    expected.emplace_back(3, RdmaWcStatus::REM_ACCESS_ERR);
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), expected);
}

// A key that the peer may not make invalid: the message fails on both sides.
TEST_F(VerbsAtomic, SendWithInvalidateOfAForeignKey)
{
    const RdmaMemoryRegion foreign =
        pair->b.context->RegMr(pair->b.context->AllocPd(), 0, 100, ACCESS_REMOTE_READ).value();
    EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, 100, 7)), 0);
    RdmaSendWr send = MakeSend(*pair, RdmaWrOpcode::SEND_WITH_INV, 50, 1);
    send.immediate = foreign.rkey;
    EXPECT_EQ(Post(send), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 1, RdmaWcStatus::REM_ACCESS_ERR));
    EXPECT_EQ(IdsOf(TakeAll(pair->b)), InOrder(7, 1, RdmaWcStatus::LOC_QP_OP_ERR));
}

// A WRITE with immediate that must not write consumes the receive, with an error of its own.
TEST_F(VerbsAtomic, AWriteWithImmediateThatMustNotWrite)
{
    EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, 100, 7)), 0);
    RdmaSendWr bad = MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE_WITH_IMM, 50, 1);
    bad.rkey += 1;
    EXPECT_EQ(Post(bad), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 1, RdmaWcStatus::REM_ACCESS_ERR));
    EXPECT_EQ(IdsOf(TakeAll(pair->b)), InOrder(7, 1, RdmaWcStatus::LOC_ACCESS_ERR));
}

// One frame in twenty is lost, both ways: what was written, sent and read is what was there.
TEST_F(VerbsAtomic, BytesSurviveLoss)
{
    std::mt19937_64 random(5);
    for (int round = 0; round < 20; ++round)
    {
        Connect();
        for (auto* side : {&pair->a, &pair->b})
        {
            for (uint8_t& byte : *side->memory.bytes)
            {
                byte = static_cast<uint8_t>(random());
            }
        }
        for (uint32_t host : {0U, 1U})
        {
            net.Drop(host, [&random](const FabricFrame&) { return random() % 20 == 0; });
        }
        // Thirds of the memory: written, sent into, read from.
        const auto& from = *pair->a.memory.bytes;
        const std::vector<uint8_t> readable(pair->b.memory.bytes->begin() + 600'000,
                                            pair->b.memory.bytes->end());
        RdmaSendWr write = MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, 200'001, 0);
        RdmaSendWr send = MakeSend(*pair, RdmaWrOpcode::SEND, 150'003, 1);
        send.localAddress = 300'000;
        RdmaSendWr read = MakeSend(*pair, RdmaWrOpcode::RDMA_READ, 250'005, 2);
        read.localAddress = read.remoteAddress = 600'000;
        RdmaRecvWr receive = MakeRecv(pair->b, 200'000, 9);
        receive.localAddress = 300'000;
        EXPECT_EQ(pair->b.queuePair->PostRecv(receive), 0);
        for (const RdmaSendWr& request : {write, send, read})
        {
            EXPECT_EQ(Post(request), 0);
        }
        Simulator::Run();
        ASSERT_EQ(IdsOf(TakeAll(pair->a)), InOrder(0, 3));
        const auto& to = *pair->b.memory.bytes;
        EXPECT_TRUE(std::equal(from.begin(), from.begin() + 200'001, to.begin()));
        EXPECT_TRUE(
            std::equal(from.begin() + 300'000, from.begin() + 450'003, to.begin() + 300'000));
        EXPECT_TRUE(std::equal(from.begin() + 600'000, from.begin() + 850'005, readable.begin()));
        EXPECT_EQ(to[200'001] == from[200'001] && to[200'002] == from[200'002] &&
                      to[200'003] == from[200'003] && to[200'004] == from[200'004],
                  false);
    }
}

// Who captures sees the bytes: 14 + 20 + 8 + 12 + 16 bytes of headers, then the payload.
TEST_F(VerbsAtomic, CapturesHaveTheBytes)
{
    std::vector<uint8_t> captured;
    net.Device(1)->TraceConnectWithoutContext(
        "Sniffer",
        Callback<void, Ptr<const Packet>>([&captured](Ptr<const Packet> packet) {
            std::vector<uint8_t> bytes(packet->GetSize());
            packet->CopyData(bytes.data(), packet->GetSize());
            if (bytes.size() > 100)
            {
                captured.assign(bytes.begin() + 70, bytes.begin() + 170);
            }
        }));
    for (std::size_t i = 0; i < 100; ++i)
    {
        (*pair->a.memory.bytes)[i] = static_cast<uint8_t>(200 - i);
    }
    EXPECT_EQ(Post(MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, 100)), 0);
    net.Run();
    EXPECT_EQ(captured,
              std::vector<uint8_t>(pair->a.memory.bytes->begin(),
                                   pair->a.memory.bytes->begin() + 100));
}

// Bytes on one side only: the other side is not touched, and nothing fails.
TEST_F(VerbsAtomic, BytesOnOneSideOnly)
{
    RdmaMemoryRegion plain =
        pair->a.context->RegMr(pair->a.queuePair->GetInit().domain, 0, SIZE, ACCESS_LOCAL_WRITE)
            .value();
    pair->b.memory.bytes->assign(SIZE, 5);
    RdmaSendWr write = MakeSend(*pair, RdmaWrOpcode::RDMA_WRITE, 100'000, 0);
    write.lkey = plain.lkey;
    EXPECT_EQ(Post(write), 0);
    RdmaSendWr read = MakeSend(*pair, RdmaWrOpcode::RDMA_READ, 100'000, 1);
    read.lkey = plain.lkey;
    EXPECT_EQ(Post(read), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(0, 2));
    EXPECT_EQ(*pair->b.memory.bytes, std::vector<uint8_t>(SIZE, 5));
}

} // namespace
} // namespace ns3

/* SPDX-License-Identifier: GPL-2.0-only */
/* Work requests: lists, pieces of memory, inline data, signalling, fences, solicited events. */

#include "rdma-test-net.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <cerrno>

namespace ns3
{
namespace
{

using namespace rdma;

/// Two hosts and a connection whose memory has bytes on both sides.
class VerbsWorkRequest : public testing::Test
{
  protected:
    /// Bytes of the memory of each side.
    static constexpr uint64_t SIZE = 1 << 20;
    /// Where it begins.
    static constexpr uint64_t BASE = 0x10000;

    VerbsWorkRequest()
    {
        init.maxInlineData = 64;
        init.maxSendSge = init.maxRecvSge = 4;
        init.maxSendWr = 8;
        Connect();
    }

    /// Makes a new connection from init and attributes.
    void Connect()
    {
        attributes.accessFlags |= ACCESS_REMOTE_ATOMIC;
        pair = &net.Connect(0, 1, attributes, init);
        a = Bytes(pair->a);
        b = Bytes(pair->b);
        for (uint64_t i = 0; i < SIZE; ++i)
        {
            (*a.bytes)[i] = static_cast<uint8_t>(i * 7 + i / 251);
        }
    }

    /// \param side A side. \return A region with zero bytes.
    static RdmaMemoryRegion Bytes(const RdmaConnectedPair::Side& side)
    {
        const Ptr<RdmaProtectionDomain> domain = side.queuePair->GetInit().domain;
        return side.context
            ->RegMr(domain,
                    BASE,
                    std::make_shared<std::vector<uint8_t>>(SIZE),
                    ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE | ACCESS_REMOTE_READ |
                        ACCESS_REMOTE_ATOMIC)
            .value();
    }

    /**
     * \param opcode What.
     * \param bytes Length.
     * \param id Number.
     * \return A request from the beginning of one memory to that of the other.
     */
    RdmaSendWr Make(RdmaWrOpcode opcode, uint64_t bytes, uint64_t id = 0) const
    {
        RdmaSendWr request;
        request.wrId = id;
        request.opcode = opcode;
        request.length = bytes;
        request.localAddress = request.remoteAddress = BASE;
        request.lkey = a.lkey;
        request.rkey = b.rkey;
        return request;
    }

    RdmaTestNet net;             //!< two hosts
    RdmaQpAttributes attributes; //!< of both queue pairs
    RdmaQpInitAttributes init;   //!< of both queue pairs
    RdmaConnectedPair* pair;     //!< the connection
    RdmaMemoryRegion a;          //!< memory of side a
    RdmaMemoryRegion b;          //!< memory of side b
};

// Room for 8: the list of 10 stops at the ninth; the others are done. More pieces than 4, more
// inline bytes than 64 and a message that is too long stop a list at their place.
TEST_F(VerbsWorkRequest, B4_4_TheFailingRequestOfAListIsNamed)
{
    const RdmaSendWr good = Make(RdmaWrOpcode::RDMA_WRITE, 100);
    const auto post = [&](const std::vector<RdmaSendWr>& list, int error, std::ptrdiff_t taken) {
        const RdmaSendWr* bad = nullptr;
        EXPECT_EQ(pair->a.queuePair->PostSend(list, bad), error);
        EXPECT_EQ(bad, error ? &list[taken] : nullptr);
        net.Run();
        EXPECT_EQ(TakeAll(pair->a).size(), static_cast<std::size_t>(taken));
    };
    post(std::vector<RdmaSendWr>(8, good), 0, 8);
    post(std::vector<RdmaSendWr>(10, good), ENOMEM, 8);
    RdmaSendWr pieces = good;
    pieces.gather.assign(5, {BASE, 10, a.lkey});
    post({good, good, pieces, good}, ENOMEM, 2);
    pieces.gather.pop_back();
    post({good, pieces, good}, 0, 3);
    RdmaSendWr small = good;
    small.inlineData = true;
    small.length = 65;
    post({good, small}, ENOMEM, 1);
    small.length = 64;
    post({good, small}, 0, 2);
    RdmaSendWr read = Make(RdmaWrOpcode::RDMA_READ, 8);
    read.inlineData = true;
    post({good, read}, EINVAL, 1);
    RdmaSendWr large = good;
    large.length = (1ULL << 31) + 1;
    post({good, good, good, large}, EINVAL, 3);

    const std::vector<RdmaRecvWr> receives(3, MakeRecv(pair->b, 10));
    std::vector<RdmaRecvWr> list = receives;
    list[1].scatter.assign(5, {BASE, 10, b.lkey});
    const RdmaRecvWr* bad = nullptr;
    EXPECT_EQ(pair->b.queuePair->PostRecv(list, bad), ENOMEM);
    EXPECT_EQ(bad, &list[1]);
    EXPECT_EQ(pair->b.queuePair->GetResponder().GetPostedReceives(), 1u);
}

// Three pieces of 1000, 5000 and 300 bytes go as one message of 6300 into pieces of 10, 4000 and
// 5000; then a READ brings it back into two pieces.
TEST_F(VerbsWorkRequest, PiecesAreOneMessage)
{
    RdmaSendWr send = Make(RdmaWrOpcode::SEND, 0, 1);
    send.gather = {{BASE + 50'000, 1000, a.lkey}, {BASE, 5000, a.lkey}, {BASE + 7000, 300, a.lkey}};
    RdmaRecvWr receive;
    receive.wrId = 2;
    receive.scatter = {{BASE + 90'000, 10, b.lkey},
                       {BASE + 100, 4000, b.lkey},
                       {BASE + 200'000, 5000, b.lkey}};
    ASSERT_EQ(pair->b.queuePair->PostRecv(receive), 0);
    ASSERT_EQ(pair->a.queuePair->PostSend(send), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 1));
    const auto done = TakeAll(pair->b);
    ASSERT_EQ(IdsOf(done), InOrder(2, 1));
    EXPECT_EQ(done[0].byteLength, 6300u);
    std::vector<uint8_t> sent;
    for (const RdmaSge& piece : send.gather)
    {
        const auto from = a.bytes->begin() + static_cast<std::ptrdiff_t>(piece.address - BASE);
        sent.insert(sent.end(), from, from + static_cast<std::ptrdiff_t>(piece.length));
    }
    std::vector<uint8_t> received;
    for (const RdmaSge& piece : receive.scatter)
    {
        const auto from = b.bytes->begin() + static_cast<std::ptrdiff_t>(piece.address - BASE);
        received.insert(received.end(), from, from + static_cast<std::ptrdiff_t>(piece.length));
    }
    received.resize(6300);
    EXPECT_EQ(received, sent);

    RdmaSendWr read = Make(RdmaWrOpcode::RDMA_READ, 0, 3);
    read.remoteAddress = BASE + 100;
    read.gather = {{BASE + 300'000, 3999, a.lkey}, {BASE + 400'000, 1, a.lkey}};
    ASSERT_EQ(pair->a.queuePair->PostSend(read), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(3, 1));
    EXPECT_TRUE(
        std::equal(b.bytes->begin() + 100, b.bytes->begin() + 4099, a.bytes->begin() + 300'000));
    EXPECT_EQ((*a.bytes)[400'000], (*b.bytes)[4099]);
}

// Each piece needs its key: the second one does not allow it.
TEST_F(VerbsWorkRequest, EveryPieceIsChecked)
{
    RdmaSendWr send = Make(RdmaWrOpcode::RDMA_WRITE, 0, 1);
    send.gather = {{BASE, 10, a.lkey}, {BASE + SIZE - 5, 10, a.lkey}};
    ASSERT_EQ(pair->a.queuePair->PostSend(send), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 1, RdmaWcStatus::LOC_PROT_ERR));
}

TEST_F(VerbsWorkRequest, EveryPieceOfAReceiveIsChecked)
{
    RdmaRecvWr receive;
    receive.wrId = 2;
    receive.scatter = {{BASE, 10, b.lkey}, {BASE, 10, b.lkey + 1}};
    ASSERT_EQ(pair->b.queuePair->PostRecv(receive), 0);
    ASSERT_EQ(pair->a.queuePair->PostSend(Make(RdmaWrOpcode::SEND, 5, 1)), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->b)), InOrder(2, 1, RdmaWcStatus::LOC_PROT_ERR));
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(1, 1, RdmaWcStatus::REM_OP_ERR));
}

// Inline: the bytes are those of the post, whatever becomes of the memory, and no key is needed.
// Otherwise they are those of the moment the packet is built.
TEST_F(VerbsWorkRequest, InlineDataIsTakenAtThePost)
{
    for (const bool inlined : {true, false})
    {
        // Something long goes first, so that there is time.
        ASSERT_EQ(pair->a.queuePair->PostSend(Make(RdmaWrOpcode::RDMA_WRITE, SIZE / 2, 0)), 0);
        RdmaSendWr request = Make(RdmaWrOpcode::RDMA_WRITE, 4, 1);
        request.localAddress = BASE + SIZE - 4;
        request.inlineData = inlined;
        std::fill(a.bytes->end() - 4, a.bytes->end(), uint8_t{1});
        ASSERT_EQ(pair->a.queuePair->PostSend(request), 0);
        std::fill(a.bytes->end() - 4, a.bytes->end(), uint8_t{2});
        net.Run();
        EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(0, 2));
        EXPECT_EQ((*b.bytes)[3], inlined ? 1 : 2);
        EXPECT_TRUE(
            std::equal(a.bytes->begin() + 4, a.bytes->begin() + SIZE / 2, b.bytes->begin() + 4));
    }
    RdmaSendWr request = Make(RdmaWrOpcode::RDMA_WRITE, 4, 5);
    request.inlineData = true;
    request.lkey = 0;
    ASSERT_EQ(pair->a.queuePair->PostSend(request), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(5, 1));
}

// sq_sig_all: what was not signalled completes as well.
TEST_F(VerbsWorkRequest, AllMayBeSignalled)
{
    RdmaSendWr quiet = Make(RdmaWrOpcode::RDMA_WRITE, 4, 5);
    quiet.signaled = false;
    ASSERT_EQ(pair->a.queuePair->PostSend(quiet), 0);
    net.Run();
    EXPECT_TRUE(TakeAll(pair->a).empty());
    init.signalAll = true;
    Connect();
    quiet = Make(RdmaWrOpcode::RDMA_WRITE, 4, 5);
    quiet.signaled = false;
    ASSERT_EQ(pair->a.queuePair->PostSend(quiet), 0);
    net.Run();
    EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(5, 1));
}

// A READ of 100 packets and then a WRITE to the last bytes it reads. Without a fence the WRITE is
// done before the READ has been answered so far; with it the old value is read.
TEST_F(VerbsWorkRequest, B4_10_AWriteMayPassAReadButNotAFence)
{
    const uint64_t bytes = 100 * 4096;
    for (const bool fence : {false, true})
    {
        b.bytes->assign(SIZE, 9);
        a.bytes->assign(SIZE, 0);
        RdmaSendWr read = Make(RdmaWrOpcode::RDMA_READ, bytes, 0);
        RdmaSendWr write = Make(RdmaWrOpcode::RDMA_WRITE, 4, 1);
        write.localAddress = BASE + SIZE - 4; // zeros
        write.remoteAddress = BASE + bytes - 4;
        write.fence = fence;
        ASSERT_EQ(pair->a.queuePair->PostSend(read), 0);
        ASSERT_EQ(pair->a.queuePair->PostSend(write), 0);
        net.Run();
        EXPECT_EQ(IdsOf(TakeAll(pair->a)), InOrder(0, 2));
        EXPECT_EQ((*a.bytes)[bytes - 5], 9);
        EXPECT_EQ((*a.bytes)[bytes - 1], fence ? 9 : 0);
        EXPECT_EQ((*b.bytes)[bytes - 1], 0);
    }
}

// A solicited event wakes who waits for one; other messages do not, failures do.
TEST_F(VerbsWorkRequest, SolicitedEvents)
{
    int calls = 0;
    pair->b.cq->SetNotify(
        Callback<void, Ptr<RdmaCompletionQueue>>([&](Ptr<RdmaCompletionQueue>) { ++calls; }));
    pair->b.cq->RequestNotify(true);
    for (uint64_t i = 0; i < 4; ++i)
    {
        EXPECT_EQ(pair->b.queuePair->PostRecv(MakeRecv(pair->b, 10'000, i)), 0);
    }
    EXPECT_EQ(pair->a.queuePair->PostSend(Make(RdmaWrOpcode::SEND, 10'000)), 0);
    net.Run();
    EXPECT_EQ(calls, 0);
    RdmaSendWr loud = Make(RdmaWrOpcode::SEND, 10'000);
    loud.solicited = true;
    EXPECT_EQ(pair->a.queuePair->PostSend(loud), 0);
    net.Run();
    EXPECT_EQ(calls, 1);
    pair->b.cq->RequestNotify(true);
    loud = Make(RdmaWrOpcode::RDMA_WRITE_WITH_IMM, 10'000);
    loud.solicited = true;
    EXPECT_EQ(pair->a.queuePair->PostSend(loud), 0);
    net.Run();
    EXPECT_EQ(calls, 2);
    pair->b.cq->RequestNotify(true);
    RdmaQpAttributes error;
    error.state = RdmaQpState::ERR;
    EXPECT_EQ(pair->b.context->ModifyQp(pair->b.queuePair, error, QP_STATE), 0);
    EXPECT_EQ(calls, 3);
}

// What the device cannot do is not created.
TEST_F(VerbsWorkRequest, DeviceLimits)
{
    RdmaTestNet small([](RdmaTestPlan& plan) {
        plan.rdma.SetNicAttribute("MaxQp", UintegerValue(2));
        plan.rdma.SetNicAttribute("MaxQpWr", UintegerValue(10));
        plan.rdma.SetNicAttribute("MaxSge", UintegerValue(3));
        plan.rdma.SetNicAttribute("MaxCqe", UintegerValue(20));
        plan.rdma.SetNicAttribute("MaxMr", UintegerValue(1));
        plan.rdma.SetNicAttribute("MaxSrqWr", UintegerValue(5));
        plan.rdma.SetNicAttribute("MaxInline", UintegerValue(32));
        plan.rdma.SetNicAttribute("MaxRdAtomic", UintegerValue(4));
    });
    const auto context = small.contexts[0];
    const RdmaDeviceAttributes& device = context->QueryDevice();
    EXPECT_EQ(device.maxQp, 2u);
    EXPECT_EQ(device.maxMessage, 1ULL << 31);
    EXPECT_FALSE(context->CreateCq(21));
    const auto cq = context->CreateCq(20);
    ASSERT_TRUE(cq);
    const auto domain = context->AllocPd();
    EXPECT_TRUE(context->RegMr(domain, 0, 10, 0));
    EXPECT_FALSE(context->RegMr(domain, 0, 10, 0));
    EXPECT_FALSE(context->CreateSrq(domain, 6));
    EXPECT_FALSE(context->CreateSrq(domain, 5, 4));
    EXPECT_TRUE(context->CreateSrq(domain, 5, 3));
    const RdmaQpInitAttributes fits = [&] {
        RdmaQpInitAttributes wanted;
        wanted.domain = domain;
        wanted.sendCq = wanted.recvCq = cq;
        wanted.maxSendWr = wanted.maxRecvWr = 10;
        wanted.maxSendSge = wanted.maxRecvSge = 3;
        wanted.maxInlineData = 32;
        return wanted;
    }();
    for (uint32_t RdmaQpInitAttributes::*field : {&RdmaQpInitAttributes::maxSendWr,
                                                  &RdmaQpInitAttributes::maxRecvWr,
                                                  &RdmaQpInitAttributes::maxSendSge,
                                                  &RdmaQpInitAttributes::maxRecvSge,
                                                  &RdmaQpInitAttributes::maxInlineData})
    {
        RdmaQpInitAttributes more = fits;
        ++(more.*field);
        EXPECT_FALSE(context->CreateQp(more));
    }
    const auto queuePair = context->CreateQp(fits);
    ASSERT_TRUE(queuePair);
    EXPECT_TRUE(context->CreateQp(fits));
    EXPECT_FALSE(context->CreateQp(fits));
    RdmaQpAttributes full;
    full.maxRdAtomic = 4;
    full.maxDestRdAtomic = 5;
    EXPECT_EQ(context->Connect(queuePair, full), EINVAL);
    EXPECT_EQ(context->QueryQp(queuePair).state, RdmaQpState::INIT);
    EXPECT_EQ(queuePair->GetInit().maxInlineData, 32u);
}

} // namespace
} // namespace ns3

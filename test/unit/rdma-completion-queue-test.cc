/* SPDX-License-Identifier: GPL-2.0-only */
/* Completion queues: order, room, notification. */

#include "ns3/rdma-completion-queue.h"

#include <cerrno>
#include <gtest/gtest.h>

namespace ns3
{
namespace rdma
{
namespace
{

/// \param id A number. \return A completion of that work request.
RdmaWc
MakeCompletion(uint64_t id)
{
    RdmaWc completion;
    completion.wrId = id;
    return completion;
}

TEST(RdmaCompletionQueue, OldestFirstAndNoMoreThanAskedFor)
{
    const auto queue = Create<RdmaCompletionQueue>(4);
    EXPECT_TRUE(queue->Poll(10).empty());
    for (uint64_t i = 0; i < 4; ++i)
    {
        EXPECT_TRUE(queue->Push(MakeCompletion(i)));
    }
    EXPECT_TRUE(queue->Poll(0).empty());
    const auto first = queue->Poll(3);
    ASSERT_EQ(first.size(), 3u);
    EXPECT_EQ(first[0].wrId, 0u);
    EXPECT_EQ(first[2].wrId, 2u);
    EXPECT_EQ(queue->GetDepth(), 1u);
    const auto rest = queue->Poll(3);
    ASSERT_EQ(rest.size(), 1u);
    EXPECT_EQ(rest[0].wrId, 3u);
}

TEST(RdmaCompletionQueue, OverrunKeepsTheOldAndIsRemembered)
{
    const auto queue = Create<RdmaCompletionQueue>(2);
    EXPECT_TRUE(queue->Push(MakeCompletion(0)));
    EXPECT_TRUE(queue->Push(MakeCompletion(1)));
    EXPECT_FALSE(queue->IsOverrun());
    EXPECT_FALSE(queue->Push(MakeCompletion(2)));
    EXPECT_TRUE(queue->IsOverrun());
    const auto taken = queue->Poll(10);
    ASSERT_EQ(taken.size(), 2u);
    EXPECT_EQ(taken[1].wrId, 1u);
    EXPECT_TRUE(queue->IsOverrun());
}

TEST(RdmaCompletionQueue, NotifiesOncePerRequestAndOnlyOfWhatComesLater)
{
    const auto queue = Create<RdmaCompletionQueue>(10);
    int calls = 0;
    queue->SetNotify(
        Callback<void, Ptr<RdmaCompletionQueue>>([&](Ptr<RdmaCompletionQueue>) { ++calls; }));
    queue->Push(MakeCompletion(0));
    EXPECT_EQ(calls, 0);
    queue->RequestNotify();
    EXPECT_EQ(calls, 0);
    queue->Push(MakeCompletion(1));
    queue->Push(MakeCompletion(2));
    EXPECT_EQ(calls, 1);
}

TEST(RdmaCompletionQueue, ResizeKeepsWhatWaits)
{
    const auto queue = Create<RdmaCompletionQueue>(2);
    queue->Push(MakeCompletion(0));
    queue->Push(MakeCompletion(1));
    EXPECT_EQ(queue->Resize(1), EINVAL);
    EXPECT_EQ(queue->Resize(0), EINVAL);
    EXPECT_EQ(queue->GetCapacity(), 2u);
    EXPECT_EQ(queue->Resize(3), 0);
    EXPECT_TRUE(queue->Push(MakeCompletion(2)));
    EXPECT_FALSE(queue->Push(MakeCompletion(3)));
    EXPECT_EQ(queue->Poll(10).size(), 3u);
}

// An overrun is told once, and is for good: what is lost leaves no gap that could be overlooked.
TEST(RdmaCompletionQueue, AnOverrunIsForGood)
{
    const auto queue = Create<RdmaCompletionQueue>(1);
    int errors = 0;
    queue->SetError(
        Callback<void, RdmaCompletionQueue*>([&errors](RdmaCompletionQueue*) { ++errors; }));
    queue->Push(MakeCompletion(0));
    EXPECT_FALSE(queue->Push(MakeCompletion(1)));
    queue->Poll(1);
    EXPECT_FALSE(queue->Push(MakeCompletion(2)));
    EXPECT_EQ(errors, 1);
    EXPECT_EQ(queue->GetDepth(), 0u);
}

// Moderation by 3: each third completion notifies; a failure does at once.
TEST(RdmaCompletionQueue, Moderation)
{
    const auto queue = Create<RdmaCompletionQueue>(20);
    queue->SetModeration(3);
    std::vector<uint32_t> depths;
    queue->SetNotify(Callback<void, Ptr<RdmaCompletionQueue>>([&](Ptr<RdmaCompletionQueue> cq) {
        depths.push_back(cq->GetDepth());
        cq->RequestNotify();
    }));
    queue->RequestNotify();
    for (uint64_t i = 0; i < 7; ++i)
    {
        queue->Push(MakeCompletion(i));
    }
    RdmaWc failure = MakeCompletion(7);
    failure.status = RdmaWcStatus::WR_FLUSH_ERR;
    queue->Push(failure);
    EXPECT_EQ(depths, (std::vector<uint32_t>{3, 6, 8}));
}

// Asked for solicited events only, others do not notify; asked for both, all do.
TEST(RdmaCompletionQueue, Solicited)
{
    const auto queue = Create<RdmaCompletionQueue>(20);
    int calls = 0;
    queue->SetNotify(
        Callback<void, Ptr<RdmaCompletionQueue>>([&](Ptr<RdmaCompletionQueue>) { ++calls; }));
    RdmaWc loud = MakeCompletion(1);
    loud.solicited = true;
    queue->RequestNotify(true);
    queue->Push(MakeCompletion(0));
    EXPECT_EQ(calls, 0);
    queue->Push(loud);
    EXPECT_EQ(calls, 1);
    for (const bool first : {true, false})
    {
        queue->RequestNotify(first);
        queue->RequestNotify(!first);
        queue->Push(MakeCompletion(2));
    }
    EXPECT_EQ(calls, 3);
}

// The callback may poll, ask again, and even set another callback in its own place.
TEST(RdmaCompletionQueue, TheCallbackMayUseTheQueue)
{
    const auto queue = Create<RdmaCompletionQueue>(1);
    std::vector<uint64_t> seen;
    int others = 0;
    queue->SetNotify(Callback<void, Ptr<RdmaCompletionQueue>>([&](Ptr<RdmaCompletionQueue> cq) {
        const std::vector<uint64_t> guard(100,
                                          7); // lives on the stack of a callback that is replaced
        seen.push_back(cq->Poll(1).at(0).wrId);
        cq->RequestNotify();
        if (seen.size() == 3)
        {
            cq->SetNotify(Callback<void, Ptr<RdmaCompletionQueue>>(
                [&others](Ptr<RdmaCompletionQueue>) { ++others; }));
        }
        EXPECT_EQ(guard[99], 7u);
    }));
    queue->RequestNotify();
    for (uint64_t i = 0; i < 4; ++i)
    {
        EXPECT_TRUE(queue->Push(MakeCompletion(i)));
    }
    EXPECT_EQ(seen, (std::vector<uint64_t>{0, 1, 2}));
    EXPECT_EQ(others, 1);
}

} // namespace
} // namespace rdma
} // namespace ns3

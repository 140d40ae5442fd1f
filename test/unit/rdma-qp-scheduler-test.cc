/* SPDX-License-Identifier: GPL-2.0-only */
/* Who sends next: turns, priorities, pace, and jobs that are taken away. */

#include "ns3/rdma-qp-scheduler.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace ns3
{
namespace rdma
{
namespace
{

/// A scheduler with jobs of priority 3.
class QpScheduler : public testing::Test
{
  protected:
    QpScheduler()
    {
        for (RdmaTxJob& job : jobs)
        {
            job.priority = 3;
        }
    }

    /// \param now The time. \param blocked Priorities. \return Index of the job taken; -1: none.
    int Take(int64_t now, uint32_t blocked = 0)
    {
        const RdmaTxJob* job = scheduler.Take(blocked, now);
        return job ? static_cast<int>(job - jobs.data()) : -1;
    }

    std::array<RdmaTxJob, 8> jobs{}; //!< jobs
    RdmaQpScheduler scheduler;       //!< under test
};

TEST_F(QpScheduler, TurnsAreTaken)
{
    for (int i = 0; i < 3; ++i)
    {
        scheduler.Add(jobs[i], 0, 0);
    }
    for (int round = 0; round < 9; ++round)
    {
        const int taken = Take(0);
        EXPECT_EQ(taken, round % 3);
        scheduler.Add(jobs[taken], 0, 0);
    }
    // Adding what waits changes nothing.
    scheduler.Add(jobs[0], 0, 0);
    scheduler.Add(jobs[0], 50, 0);
    EXPECT_EQ(Take(0), 0);
    EXPECT_EQ(Take(0), 1);
    EXPECT_EQ(Take(0), 2);
    EXPECT_EQ(Take(0), -1);
    EXPECT_EQ(scheduler.GetNext(0, 0), FABRIC_NEVER);
}

TEST_F(QpScheduler, HighestPriorityThatIsNotBlocked)
{
    jobs[1].priority = 6;
    jobs[2].priority = 0;
    for (int i = 0; i < 3; ++i)
    {
        scheduler.Add(jobs[i], 0, 0);
    }
    EXPECT_EQ(scheduler.GetNext(0xff, 5), FABRIC_NEVER);
    EXPECT_EQ(Take(5, 0xff), -1);
    EXPECT_EQ(scheduler.GetNext(~1U, 5), 5);
    EXPECT_EQ(Take(5, ~1U), 2);
    EXPECT_EQ(Take(5, 1U << 6), 0);
    EXPECT_EQ(Take(5), 1);
}

TEST_F(QpScheduler, PacedJobsComeAtTheirTimeInTheOrderOfTime)
{
    scheduler.Add(jobs[0], 30, 0);
    scheduler.Add(jobs[1], 10, 0);
    scheduler.Add(jobs[2], 20, 0);
    scheduler.Add(jobs[3], 20, 0);
    EXPECT_EQ(scheduler.GetNext(0, 0), 10);
    EXPECT_EQ(Take(9), -1);
    EXPECT_EQ(Take(10), 1);
    EXPECT_EQ(scheduler.GetNext(0, 10), 20);
    EXPECT_EQ(Take(40), 2);
    EXPECT_EQ(Take(40), 3);
    EXPECT_EQ(Take(40), 0);
    EXPECT_EQ(Take(40), -1);
}

// Moved forward a job comes once; the place that it had is no place any more.
TEST_F(QpScheduler, AJobIsMovedForwardButNotBack)
{
    scheduler.Add(jobs[0], 100, 0);
    scheduler.Add(jobs[0], 200, 0);
    scheduler.Add(jobs[0], 50, 0);
    EXPECT_EQ(Take(49), -1);
    EXPECT_EQ(Take(50), 0);
    EXPECT_EQ(Take(300), -1);
    scheduler.Add(jobs[0], 400, 300);
    scheduler.Add(jobs[0], 300, 300); // ready at once
    EXPECT_EQ(Take(300), 0);
    EXPECT_EQ(Take(1000), -1);
    EXPECT_EQ(scheduler.GetNext(0, 1000), FABRIC_NEVER);
}

// Paced again for the very time of an old place, it comes once.
TEST_F(QpScheduler, AnOldPlaceForTheSameTimeCountsOnce)
{
    scheduler.Add(jobs[0], 100, 0);
    scheduler.Add(jobs[0], 50, 0);
    EXPECT_EQ(Take(50), 0);
    scheduler.Add(jobs[0], 100, 50);
    EXPECT_EQ(Take(100), 0);
    EXPECT_EQ(Take(100), -1);
}

TEST_F(QpScheduler, RemovedJobsNeverCome)
{
    for (int i = 0; i < 6; ++i)
    {
        scheduler.Add(jobs[i], i < 3 ? 0 : 10 * i, 0);
    }
    scheduler.Remove(jobs[2]); // last of the ring
    scheduler.Remove(jobs[0]); // first
    scheduler.Remove(jobs[4]); // paced
    scheduler.Remove(jobs[7]); // not there
    scheduler.Add(jobs[6], 0, 0);
    EXPECT_EQ(Take(100), 1);
    EXPECT_EQ(Take(100), 6);
    EXPECT_EQ(Take(100), 3);
    EXPECT_EQ(Take(100), 5);
    EXPECT_EQ(Take(100), -1);
    scheduler.Add(jobs[0], 0, 100);
    scheduler.Remove(jobs[0]); // the only one
    EXPECT_EQ(Take(100), -1);
    EXPECT_EQ(scheduler.GetNext(0, 100), FABRIC_NEVER);
    scheduler.Add(jobs[0], 0, 100);
    EXPECT_EQ(Take(100), 0);
}

// Against a plain list: whatever is added, moved, removed and blocked, the same jobs come.
TEST_F(QpScheduler, AgainstAPlainList)
{
    struct Waiting
    {
        int job;
        int64_t when;
    };

    std::mt19937 random(7);
    std::vector<Waiting> list;
    int64_t now = 0;
    const auto find = [&list](int job) {
        return std::find_if(list.begin(), list.end(), [job](const Waiting& w) {
            return w.job == job;
        });
    };
    for (int step = 0; step < 20'000; ++step)
    {
        const int job = static_cast<int>(random() % jobs.size());
        switch (random() % 4)
        {
        case 0: {
            const int64_t when = now + static_cast<int64_t>(random() % 20);
            scheduler.Add(jobs[job], when, now);
            const auto at = find(job);
            if (at == list.end())
            {
                list.push_back({job, when});
            }
            else
            {
                at->when = std::min(at->when, when);
            }
            break;
        }
        case 1:
            if (random() % 8 == 0)
            {
                scheduler.Remove(jobs[job]);
                const auto at = find(job);
                if (at != list.end())
                {
                    list.erase(at);
                }
            }
            break;
        case 2: {
            const int taken = Take(now);
            const bool any = std::any_of(list.begin(), list.end(), [now](const Waiting& w) {
                return w.when <= now;
            });
            ASSERT_EQ(taken >= 0, any) << "step " << step;
            if (any)
            {
                const auto at = find(taken);
                ASSERT_NE(at, list.end());
                ASSERT_LE(at->when, now);
                list.erase(at);
            }
            break;
        }
        case 3:
            now += static_cast<int64_t>(random() % 10);
            break;
        }
        int64_t next = FABRIC_NEVER;
        for (const Waiting& w : list)
        {
            next = std::min(next, std::max(w.when, now));
        }
        // It may ask too early, never too late.
        ASSERT_LE(scheduler.GetNext(0, now), next);
    }
}

} // namespace
} // namespace rdma
} // namespace ns3

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A key-value store that the clients alone work on, with READ, WRITE and compare-and-swap.
 *
 *   client 1, 2, 3 ---- switch ---- server 0        100 Gb/s, 1 us each
 *
 * The server registers a table and does nothing more. A slot is a lock word and a value of 56
 * bytes. A client takes the lock of a slot by compare-and-swap (0 to its number), reads the value,
 * checks that it is whole, writes one that is higher by 1, and sets the lock back by a WRITE behind
 * it: requests of a queue pair are done in order. Expected with --rounds=100, all on the same 2
 * slots:
 *
 *   300 increments, 0 torn values, sum 300
 *
 * The program exits 1 when anything else comes out.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <cstring>
#include <iostream>

using namespace ns3;
using namespace ns3::rdma;

namespace
{

constexpr uint64_t WORDS = 8; // of a slot: the lock and 7 times the value
constexpr uint64_t SLOTS = 2;

using Words = std::array<uint64_t, WORDS>;

Words
Load(const RdmaMemoryRegion& memory, uint64_t slot)
{
    Words words;
    std::memcpy(words.data(), memory.bytes->data() + slot * sizeof(words), sizeof(words));
    return words;
}

/// Does one round after another, each with three completions: the lock, the value, the unlock.
struct Client
{
    RdmaConnectedPair pair; ///< connection with the server
    RdmaMemoryRegion own;   ///< slot 0: a copy of the slot; slot 1: a word of zero
    RdmaMemoryRegion table; ///< the server's
    uint64_t number;        ///< what it locks with
    uint64_t round{0};      ///< rounds done
    uint64_t rounds;        ///< rounds to do
    uint32_t torn{0};       ///< values that were not whole

    void Post(RdmaWrOpcode opcode, uint64_t first, uint64_t words, uint64_t local)
    {
        RdmaSendWr request;
        request.opcode = opcode;
        request.localAddress = 8 * local;
        request.length = 8 * words;
        request.lkey = own.lkey;
        request.remoteAddress = 8 * (round % SLOTS * WORDS + first);
        request.rkey = table.rkey;
        request.swap = number;
        request.signaled = opcode != RdmaWrOpcode::RDMA_WRITE || first == 0;
        NS_ABORT_MSG_IF(pair.a.queuePair->PostSend(request), "a request is refused");
    }

    void Lock()
    {
        Post(RdmaWrOpcode::ATOMIC_CMP_AND_SWP, 0, 1, 0); // compared with 0
    }

    void Completed(const RdmaWc& done)
    {
        NS_ABORT_MSG_IF(done.status != RdmaWcStatus::SUCCESS, RdmaWcStatusName(done.status));
        Words copy = Load(own, 0);
        if (done.opcode == RdmaWcOpcode::COMP_SWAP)
        {
            // 0: it was free; else somebody has it.
            copy[0] == 0 ? Post(RdmaWrOpcode::RDMA_READ, 1, WORDS - 1, 1) : Lock();
        }
        else if (done.opcode == RdmaWcOpcode::RDMA_READ)
        {
            torn += std::count(copy.begin() + 1, copy.end(), copy[1]) != WORDS - 1;
            std::fill(copy.begin() + 1, copy.end(), copy[1] + 1);
            std::memcpy(own.bytes->data(), copy.data(), sizeof(copy));
            Post(RdmaWrOpcode::RDMA_WRITE, 1, WORDS - 1, 1);
            Post(RdmaWrOpcode::RDMA_WRITE, 0, 1, WORDS); // unlock
        }
        else if (++round < rounds)
        {
            Lock();
        }
    }
};

} // namespace

int
main(int argc, char* argv[])
{
    uint64_t rounds = 100;
    CommandLine cmd(__FILE__);
    cmd.AddValue("rounds", "Increments of each client", rounds);
    cmd.Parse(argc, argv);
    Time::SetResolution(Time::PS);
    FabricHelper fabric;
    FabricTopologyHelper built(FabricTopology::Star(4, {100'000'000'000, 1'000'000, 0}), fabric);
    const auto nics = RdmaHelper().Install(fabric.GetEndpoints());
    const auto store = std::make_shared<std::vector<uint8_t>>(SLOTS * WORDS * 8);
    std::vector<Client> clients(3);
    for (uint32_t i = 0; i < clients.size(); ++i)
    {
        Client& client = clients[i];
        RdmaQpAttributes attributes;
        attributes.accessFlags = ACCESS_REMOTE_ATOMIC;
        client.pair = RdmaHelper::Connect(nics[i + 1], nics[0], attributes, {}, 8);
        client.number = i + 1;
        client.rounds = rounds;
        const auto region = [](const RdmaConnectedPair::Side& side, RdmaBackingBytes bytes) {
            const uint32_t rights = ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE | ACCESS_REMOTE_READ |
                                    ACCESS_REMOTE_ATOMIC;
            return side.context->RegMr(side.queuePair->GetInit().domain, 0, bytes, rights).value();
        };
        client.own = region(client.pair.a, std::make_shared<std::vector<uint8_t>>(2 * WORDS * 8));
        client.table = region(client.pair.b, store);
        client.pair.a.cq->SetNotify(
            Callback<void, Ptr<RdmaCompletionQueue>>([&client](Ptr<RdmaCompletionQueue> queue) {
                queue->RequestNotify();
                client.Completed(queue->Poll(1).at(0));
            }));
        client.pair.a.cq->RequestNotify();
        client.Lock();
    }
    Simulator::Run();
    uint64_t increments = 0;
    uint32_t torn = 0;
    for (const Client& client : clients)
    {
        increments += client.round;
        torn += client.torn;
    }
    const uint64_t sum =
        Load(clients[0].table, 0)[WORDS - 1] + Load(clients[0].table, 1)[WORDS - 1];
    std::cout << increments << " increments, " << torn << " torn values, sum " << sum << std::endl;
    Simulator::Destroy();
    return increments == 3 * rounds && torn == 0 && sum == 3 * rounds ? 0 : 1;
}

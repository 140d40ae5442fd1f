/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ping-pong with SEND and RECV: three clients, and a server with one shared receive queue.
 *
 *   client 1, 2, 3 ---- switch ---- server 0        100 Gb/s, 1 us each
 *
 * Each client sends its number and a counter as text, the server sends it back, the client
 * compares. The server has 16 receives for all clients, filled up again when fewer than 4 are left,
 * that is, after 13 messages. Expected with --rounds=100:
 *   300 answers, 0 wrong, 23 limit events
 *
 * The program exits 1 when anything else comes out.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <iostream>
#include <map>

using namespace ns3;
using namespace ns3::rdma;

namespace
{

constexpr uint32_t SLOT = 64; // bytes of a message

/// A NIC with its queues, and memory with 63 slots to receive into and one to send from.
struct Side
{
    Ptr<RdmaContext> verbs;    ///< NIC
    RdmaQpInitAttributes init; ///< queues
    RdmaBackingBytes bytes;    ///< memory
    RdmaMemoryRegion memory;   ///< its region
    uint64_t posted{0};        ///< receives

    explicit Side(Ptr<RdmaContext> context)
        : verbs(context),
          bytes(std::make_shared<std::vector<uint8_t>>(64 * SLOT))
    {
        init.domain = verbs->AllocPd();
        init.sendCq = init.recvCq = verbs->CreateCq(256);
        init.maxInlineData = SLOT;
        memory = verbs->RegMr(init.domain, 0, bytes, ACCESS_LOCAL_WRITE).value();
    }

    RdmaRecvWr NextReceive()
    {
        const uint64_t slot = posted++ % 63;
        return {slot, slot * SLOT, memory.lkey, SLOT, {}};
    }

    void Send(Ptr<RdmaQueuePair> queuePair, const std::string& text)
    {
        std::copy(text.begin(), text.end(), bytes->end() - SLOT);
        RdmaSendWr send;
        send.opcode = RdmaWrOpcode::SEND;
        send.localAddress = 63 * SLOT;
        send.length = text.size();
        send.lkey = memory.lkey;
        send.inlineData = true; // the slot is used again at once
        send.signaled = false;
        NS_ABORT_IF(queuePair->PostSend(send));
    }

    /// Calls act with each message; act must hold no Ptr to a queue pair, which holds the queue.
    void OnMessage(std::function<void(const RdmaWc& done, const std::string& text)> act)
    {
        init.recvCq->SetNotify(
            Callback<void, Ptr<RdmaCompletionQueue>>([this, act](Ptr<RdmaCompletionQueue> queue) {
                queue->RequestNotify();
                for (const RdmaWc& done : queue->Poll(16))
                {
                    const auto* text = reinterpret_cast<char*>(bytes->data() + done.wrId * SLOT);
                    act(done, {text, done.byteLength});
                }
            }));
        init.recvCq->RequestNotify();
    }
};

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t rounds = 100;
    CommandLine cmd(__FILE__);
    cmd.AddValue("rounds", "Messages of each client", rounds);
    cmd.Parse(argc, argv);
    Time::SetResolution(Time::PS);
    FabricHelper fabric;
    FabricTopologyHelper built(FabricTopology::Star(4, {100'000'000'000, 1'000'000, 0}), fabric);
    const auto nics = RdmaHelper().Install(fabric.GetEndpoints());
    std::vector<Side> sides(nics.begin(), nics.end());

    Side& server = sides[0];
    const auto shared = server.init.srq = server.verbs->CreateSrq(server.init.domain, 16);
    uint32_t limitEvents = 0, answers = 0, wrong = 0;
    const auto fill = [&] {
        while (shared->Post(server.NextReceive()) == 0)
        {
        }
        shared->SetLimit(4);
    };
    fill();
    server.verbs->OnAsyncEvent(Callback<void, const RdmaAsyncEvent&>([&](const RdmaAsyncEvent& e) {
        limitEvents += e.type == RdmaEventType::SRQ_LIMIT_REACHED;
        fill();
    }));

    std::map<uint32_t, Ptr<RdmaQueuePair>> partners; // queue pairs of the server
    server.OnMessage([&](const RdmaWc& done, const std::string& text) {
        server.Send(partners.at(done.queuePair), text);
    });
    for (uint32_t i = 1; i < 4; ++i)
    {
        Side& client = sides[i];
        const auto own = client.verbs->CreateQp(client.init);
        const auto partner = server.verbs->CreateQp(server.init);
        partners[partner->GetNumber()] = partner;
        RdmaQpAttributes attributes;
        attributes.address.endpoint = server.verbs->GetEndpoint();
        attributes.destinationQp = partner->GetNumber();
        NS_ABORT_MSG_IF(client.verbs->Connect(own, attributes), "not connected");
        attributes.address.endpoint = client.verbs->GetEndpoint();
        attributes.destinationQp = own->GetNumber();
        NS_ABORT_MSG_IF(server.verbs->Connect(partner, attributes), "not connected");
        const auto ping = [&client, queuePair = PeekPointer(own), i](uint32_t round) {
            queuePair->PostRecv(client.NextReceive());
            client.Send(queuePair, std::to_string(i) + ':' + std::to_string(round));
        };
        client.OnMessage([&, i, ping, round = 0U](const RdmaWc&, const std::string& text) mutable {
            wrong += text != std::to_string(i) + ':' + std::to_string(round);
            ++answers;
            if (++round < rounds)
            {
                ping(round);
            }
        });
        ping(0);
    }
    Simulator::Run();
    std::cout << answers << " answers, " << wrong << " wrong, " << limitEvents << " limit events\n";
    Simulator::Destroy();
    return answers == 3 * rounds && wrong == 0 && limitEvents == 3 * rounds / 13 ? 0 : 1;
}

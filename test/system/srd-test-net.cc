/* SPDX-License-Identifier: GPL-2.0-only */
/* Hosts with SRD NICs, one queue pair each, and what is placed where. */

#include "srd-test-net.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

using namespace rdma;

SrdTestNet::SrdTestNet(SrdTestPlan plan, const std::function<void(RdmaTestPlan&)>& change)
    : net([&](RdmaTestPlan& parts) {
          parts.fabric.SetFlowControl(ObjectFactory("ns3::rdma::FabricFlowControl"));
          parts.fabric.SetSwitchAttribute("MaxFrameBytes", UintegerValue(9216));
          parts.rdma.EnableSrd(plan.transport);
          parts.rdma.SetSrdCongestionControl(plan.congestion);
          parts.rdma.SetSrdPathPolicy(plan.policy);
          if (change)
          {
              change(parts);
          }
      })
{
    const uint32_t rights = ACCESS_LOCAL_WRITE | ACCESS_REMOTE_WRITE | ACCESS_REMOTE_READ;
    for (const auto& context : net.contexts)
    {
        Host host;
        host.context = context;
        host.srd = context->GetNic()->GetSrdTransport();
        host.domain = context->AllocPd();
        host.memory = context->RegMr(host.domain, 0, uint64_t{1} << 40, rights).value();
        host.sendCq = context->CreateCq(plan.cqSize);
        host.recvCq = context->CreateCq(plan.cqSize);
        RdmaSrdQpInitAttributes init = plan.init;
        init.domain = host.domain;
        init.sendCq = host.sendCq;
        init.recvCq = host.recvCq;
        init.connectionKey = 0x1000 + static_cast<uint32_t>(hosts.size());
        host.queuePair = context->CreateSrdQp(init);
        hosts.push_back(host);
    }
}

RdmaSrdSendWr
SrdTestNet::Make(uint32_t from, uint32_t to, RdmaWrOpcode opcode, uint64_t bytes, uint64_t id)
{
    RdmaSrdSendWr request;
    request.wrId = id;
    request.opcode = opcode;
    request.length = bytes;
    request.lkey = hosts.at(from).memory.lkey;
    request.rkey = hosts.at(to).memory.rkey;
    request.address = hosts.at(from).context->CreateSrdAh(hosts.at(to).context->GetEndpoint());
    request.remoteQueuePair = hosts.at(to).queuePair->GetNumber();
    request.connectionKey = hosts.at(to).queuePair->GetConnectionKey();
    return request;
}

void
SrdTestNet::PostReceives(uint32_t host, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        RdmaRecvWr receive;
        receive.wrId = i;
        receive.length = SRD_MAX_PAYLOAD;
        receive.lkey = hosts.at(host).memory.lkey;
        ASSERT_EQ(hosts.at(host).queuePair->PostRecv(receive), 0);
    }
}

void
SrdTestNet::Run()
{
    Simulator::Run();
    ExpectDrained(net.plan->fabric);
    for (const Host& host : hosts)
    {
        EXPECT_EQ(host.queuePair->GetOutstanding(), 0u) << "work requests never completed";
        EXPECT_EQ(host.srd->GetMessages().GetLive(), 0u) << "messages are left";
    }
}

const RdmaSrdCounters&
SrdTestNet::Counters(uint32_t host) const
{
    return hosts.at(host).srd->GetCounters();
}

std::vector<RdmaWc>
SrdTestNet::Sent(uint32_t host)
{
    return hosts.at(host).sendCq->Poll(hosts.at(host).sendCq->GetCapacity());
}

std::vector<RdmaWc>
SrdTestNet::Received(uint32_t host)
{
    return hosts.at(host).recvCq->Poll(hosts.at(host).recvCq->GetCapacity());
}

SrdPlacement::SrdPlacement(Ptr<RdmaSrdTransport> transport)
{
    transport->TraceConnectWithoutContext(
        "Placed",
        Callback<void, const FabricFrame*, int64_t>([this](const FabricFrame* frame, int64_t) {
            m_bytes += frame->payload;
            m_order.push_back(frame->srd.messageId);
            const auto opcode = static_cast<RdmaSrdOpcode>(frame->opcode);
            if (SrdHasPlace(opcode) && frame->payload)
            {
                // Reads have no address on the wire: their message number stands in for it.
                const uint64_t base = SrdHasRemote(opcode) ? frame->srd.remoteAddress
                                                           : uint64_t{frame->srd.messageId} << 32;
                m_twice |=
                    !m_ranges.emplace(base + frame->srd.offset, uint64_t{frame->payload}).second;
            }
        }));
}

bool
SrdPlacement::IsWhole(uint64_t address, uint64_t bytes) const
{
    uint64_t at = address;
    for (auto it = m_ranges.find(address); it != m_ranges.end() && it->first == at; ++it)
    {
        at += it->second;
        if (at >= address + bytes)
        {
            break;
        }
    }
    return !m_twice && at == address + bytes;
}

std::vector<std::pair<uint64_t, RdmaSrdStatus>>
SrdStatusOf(const std::vector<RdmaWc>& completions)
{
    std::vector<std::pair<uint64_t, RdmaSrdStatus>> statuses;
    for (const RdmaWc& completion : completions)
    {
        statuses.emplace_back(completion.wrId, static_cast<RdmaSrdStatus>(completion.vendorError));
    }
    return statuses;
}

} // namespace ns3

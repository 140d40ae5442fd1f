/* SPDX-License-Identifier: GPL-2.0-only */
/* Hosts with NICs in a small network, connected, and what every run has to leave behind. */

#include "rdma-test-net.h"

#include "ns3/simulator.h"

namespace ns3
{

using namespace rdma;

RdmaTestNet::RdmaTestNet(const std::function<void(RdmaTestPlan&)>& change)
    : plan(std::make_unique<RdmaTestPlan>())
{
    plan->topology = FabricTopology::BackToBack(FabricLinkSpec());
    if (change)
    {
        change(*plan);
    }
    built = std::make_unique<FabricTopologyHelper>(plan->topology, plan->fabric);
    plan->fabric.AssignStreams(1);
    contexts = plan->rdma.Install(plan->fabric.GetEndpoints());
}

RdmaTestNet::~RdmaTestNet()
{
    pairs.clear();
    contexts.clear();
    built.reset();
    plan.reset();
    Simulator::Destroy();
}

RdmaConnectedPair&
RdmaTestNet::Connect(uint32_t a,
                     uint32_t b,
                     const RdmaQpAttributes& attributes,
                     const RdmaQpInitAttributes& init)
{
    pairs.push_back(
        RdmaHelper::Connect(contexts.at(a), contexts.at(b), attributes, init, 1ULL << 40));
    return pairs.back();
}

void
RdmaTestNet::Drop(uint32_t host, Filter filter)
{
    Device(host)->SetDropFilter(Callback<bool, const FabricFrame&>(std::move(filter)));
}

const std::vector<SeenFrame>&
RdmaTestNet::RecordTx(uint32_t host)
{
    records.emplace_back();
    std::vector<SeenFrame>& record = records.back();
    Device(host)->TraceConnectWithoutContext(
        "FrameTx",
        Callback<void, const FabricFrame*, int64_t>([&record](const FabricFrame* f, int64_t ps) {
            if (f->kind == FabricFrameKind::RDMA)
            {
                record.push_back({ps,
                                  f->opcode,
                                  f->psn,
                                  f->payload,
                                  f->flags,
                                  f->rdma.syndrome,
                                  f->rdma.msn,
                                  f->queuePair,
                                  f->priority});
            }
        }));
    return record;
}

void
RdmaTestNet::Run()
{
    Simulator::Run();
    ExpectDrained(plan->fabric);
    ExpectLossless(plan->fabric);
}

const RdmaCounters&
RdmaTestNet::Counters(uint32_t host) const
{
    return contexts.at(host)->GetNic()->GetCounters();
}

Ptr<FabricNetDevice>
RdmaTestNet::Device(uint32_t host) const
{
    return contexts.at(host)->GetNic()->GetDevice();
}

RdmaSendWr
MakeSend(const RdmaConnectedPair& pair,
         RdmaWrOpcode opcode,
         uint64_t bytes,
         uint64_t id,
         bool reverse)
{
    RdmaSendWr request;
    request.wrId = id;
    request.opcode = opcode;
    request.length = bytes;
    request.lkey = (reverse ? pair.b : pair.a).memory.lkey;
    request.rkey = (reverse ? pair.a : pair.b).memory.rkey;
    return request;
}

RdmaRecvWr
MakeRecv(const RdmaConnectedPair::Side& side, uint64_t bytes, uint64_t id)
{
    RdmaRecvWr request;
    request.wrId = id;
    request.length = bytes;
    request.lkey = side.memory.lkey;
    return request;
}

std::vector<RdmaWc>
TakeAll(const RdmaConnectedPair::Side& side)
{
    return side.cq->Poll(side.cq->GetCapacity());
}

std::vector<IdAndStatus>
IdsOf(const std::vector<RdmaWc>& completions)
{
    std::vector<IdAndStatus> ids;
    for (const RdmaWc& completion : completions)
    {
        ids.emplace_back(completion.wrId, completion.status);
    }
    return ids;
}

std::vector<IdAndStatus>
InOrder(uint64_t first, uint64_t count, RdmaWcStatus status)
{
    std::vector<IdAndStatus> ids;
    for (uint64_t i = 0; i < count; ++i)
    {
        ids.emplace_back(first + i, status);
    }
    return ids;
}

std::vector<uint8_t>
OpcodesOf(const std::vector<SeenFrame>& frames)
{
    std::vector<uint8_t> opcodes;
    for (const SeenFrame& frame : frames)
    {
        opcodes.push_back(frame.opcode);
    }
    return opcodes;
}

} // namespace ns3

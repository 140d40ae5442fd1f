/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/rdma-payload.h"

#include <algorithm>
#include <cstring>

namespace ns3
{
namespace rdma
{

namespace
{

/**
 * Goes through the part of a list of pieces that some bytes take.
 * \param memory The regions.
 * \param pieces The pieces.
 * \param offset Where in all of them to begin.
 * \param bytes How many.
 * \param visit Called with the memory of each part, nullptr where it has no bytes, the part's
 *        place among the bytes, and its length.
 */
template <typename Visit>
void
ForEachPart(const RdmaMemoryTable& memory,
            const std::vector<RdmaSge>& pieces,
            uint64_t offset,
            uint32_t bytes,
            Visit visit)
{
    uint32_t done = 0;
    for (const RdmaSge& piece : pieces)
    {
        if (offset >= piece.length)
        {
            offset -= piece.length;
            continue;
        }
        const uint64_t part = std::min<uint64_t>(piece.length - offset, bytes - done);
        visit(memory.GetBytes(piece.lkey, piece.address + offset, part), done, part);
        done += static_cast<uint32_t>(part);
        offset = 0;
        if (done == bytes)
        {
            return;
        }
    }
}

} // namespace

void
RdmaGather(const RdmaMemoryTable& memory,
           const std::vector<RdmaSge>& pieces,
           uint64_t offset,
           uint8_t* data,
           uint32_t bytes)
{
    std::memset(data, 0, bytes);
    ForEachPart(memory,
                pieces,
                offset,
                bytes,
                [data](const uint8_t* from, uint32_t at, uint64_t n) {
                    if (from)
                    {
                        std::memcpy(data + at, from, n);
                    }
                });
}

void
RdmaScatter(const RdmaMemoryTable& memory,
            const std::vector<RdmaSge>& pieces,
            uint64_t offset,
            const uint8_t* data,
            uint32_t bytes)
{
    ForEachPart(memory, pieces, offset, bytes, [data](uint8_t* to, uint32_t at, uint64_t n) {
        if (to)
        {
            std::memcpy(to, data + at, n);
        }
    });
}

std::vector<RdmaSge>
RdmaPieces(const RdmaSendWqe& request)
{
    if (request.details && !request.details->gather.empty())
    {
        return request.details->gather;
    }
    return {{request.localAddress, request.length, request.lkey}};
}

void
RdmaAttachPayload(const RdmaMemoryTable& memory,
                  FabricFramePool& pool,
                  const RdmaSendWqe& request,
                  uint64_t offset,
                  FabricFrame* frame)
{
    uint8_t* data = pool.AttachData(frame);
    if (request.details && !request.details->inlineData.empty())
    {
        std::memcpy(data, request.details->inlineData.data() + offset, frame->payload);
        return;
    }
    RdmaGather(memory, RdmaPieces(request), offset, data, frame->payload);
}

} // namespace rdma
} // namespace ns3

/* SPDX-License-Identifier: GPL-2.0-only */
/* The queues of all inputs for one output and lane of an InfiniBand switch. */

#ifndef IB_VOQ_H
#define IB_VOQ_H

#include "ns3/fabric-frame.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The virtual output queues of one output and lane: one for each input. They take turns, a packet
 * each, so that every input gets the same share.
 */
class IbVoq
{
  public:
    /// \param inputs How many inputs there are.
    explicit IbVoq(uint32_t inputs)
        : m_inputs(inputs),
          m_words((inputs + 63) / 64, 0)
    {
    }

    /// \param frame The packet; its ingress says which queue.
    void Push(FabricFrame* frame)
    {
        m_inputs[frame->ingress].Push(frame);
        m_words[frame->ingress / 64] |= uint64_t{1} << frame->ingress % 64;
        m_bytes += frame->bytes;
        ++m_frames;
    }

    /// \return Whether there is no packet.
    bool IsEmpty() const
    {
        return !m_frames;
    }

    /// \return The packet whose turn it is; there must be one.
    FabricFrame* Peek()
    {
        if (!m_chosen)
        {
            m_turn = Next(m_turn);
            m_chosen = true;
        }
        return m_inputs[m_turn].Peek();
    }

    /// Gives the turn to the next input that has a packet.
    void Skip()
    {
        m_turn = Next(m_turn);
        m_chosen = true;
    }

    /// \return The packet whose turn it is, taken out; there must be one.
    FabricFrame* Pop()
    {
        FabricFrame* frame = Peek();
        FabricFrameQueue& queue = m_inputs[m_turn];
        queue.Pop();
        if (queue.IsEmpty())
        {
            m_words[m_turn / 64] &= ~(uint64_t{1} << m_turn % 64);
        }
        m_bytes -= frame->bytes;
        --m_frames;
        m_chosen = false;
        return frame;
    }

    /// \return Bytes of all packets.
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    /// \return How many packets there are.
    uint64_t GetFrames() const
    {
        return m_frames;
    }

    /**
     * \param input An input.
     * \return The packets that came by it, oldest first.
     */
    const FabricFrameQueue& GetInput(uint32_t input) const
    {
        return m_inputs.at(input);
    }

    int64_t waitSince{FABRIC_NEVER}; //!< when the head began to wait for credits, ps
    int64_t stalledUntil{0};         //!< until then everything is dropped, ps
    uint32_t drops{0};               //!< heads dropped one after the other

  private:
    /**
     * \param last An input.
     * \return The next one in a circle that has a packet.
     */
    uint32_t Next(uint32_t last) const
    {
        const uint32_t first = last + 1 < m_inputs.size() ? last + 1 : 0;
        uint32_t word = first / 64;
        uint64_t bits = m_words[word] & (~uint64_t{0} << first % 64);
        while (!bits)
        {
            word = word + 1 < m_words.size() ? word + 1 : 0;
            bits = m_words[word];
        }
        return word * 64 + static_cast<uint32_t>(__builtin_ctzll(bits));
    }

    std::vector<FabricFrameQueue> m_inputs; //!< a queue for each input
    std::vector<uint64_t> m_words;          //!< bit set of the inputs with packets
    uint64_t m_bytes{0};                    //!< of all packets
    uint64_t m_frames{0};                   //!< packets
    uint32_t m_turn{0};                     //!< input whose turn it is, or was
    bool m_chosen{false};                   //!< whether m_turn's packet waits to be sent
};

} // namespace rdma
} // namespace ns3

#endif /* IB_VOQ_H */

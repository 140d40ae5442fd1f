/* SPDX-License-Identifier: GPL-2.0-only */
/* Dependencies between channels that never close a cycle. */

#ifndef IB_LAYER_H
#define IB_LAYER_H

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The dependencies of the paths of a layer: channel a waits for channel b. It takes a path only
 * when no cycle comes of it. The channels are kept in an order that all dependencies follow, and a
 * new one moves only channels between its two ends (Pearce and Kelly, "A dynamic topological sort
 * algorithm for directed acyclic graphs", 2006).
 */
class IbLayer
{
  public:
    /// The dependencies of a path; the same one may be there several times.
    using Path = std::vector<std::pair<uint32_t, uint32_t>>;

    /// \param channels How many channels there are.
    explicit IbLayer(uint32_t channels);

    /**
     * Adds the dependencies of a path, or none of them.
     * \param path The path.
     * \return Whether it fits in without a cycle.
     */
    bool TryAdd(const Path& path);
    /**
     * \param path A path that has been added.
     */
    void Remove(const Path& path);

  private:
    /// The other end of a dependency.
    struct End
    {
        uint32_t channel; //!< the channel there
        uint32_t count;   //!< how many paths need it; only kept in m_next
    };

    /**
     * \param from A channel.
     * \param to The channel that it waits for.
     * \return Whether the dependency is in.
     */
    bool Add(uint32_t from, uint32_t to);
    /**
     * \param from A channel.
     * \param to The channel that it waited for.
     */
    void Drop(uint32_t from, uint32_t to);
    /**
     * Puts channels in order for a dependency from a later channel to an earlier one.
     * \param from The later channel.
     * \param to The earlier channel.
     * \return False when the earlier one waits for the later one already.
     */
    bool Reorder(uint32_t from, uint32_t to);

    std::vector<std::vector<End>> m_next;     //!< what each channel waits for
    std::vector<std::vector<End>> m_previous; //!< what waits for each channel
    std::vector<uint32_t> m_places;           //!< place of each channel in the order
    std::vector<bool> m_seen;                 //!< channels seen by a search
};

} // namespace rdma
} // namespace ns3

#endif /* IB_LAYER_H */

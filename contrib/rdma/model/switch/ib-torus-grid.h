/* SPDX-License-Identifier: GPL-2.0-only */
/* A subnet seen as a grid: who is next to whom, in which dimension. */

#ifndef IB_TORUS_GRID_H
#define IB_TORUS_GRID_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace rdma
{

class IbSubnet;

/**
 * \ingroup rdma
 * The switches of a subnet by their coordinates, and the cables between neighbours. A row is all
 * switches that differ in one coordinate only; it closes when its last switch has a cable to its
 * first. In a row of two there is one way only, called forward.
 */
class IbTorusGrid
{
  public:
    /// A way along a row.
    struct Way
    {
        bool exists;  //!< whether all its cables work
        bool forward; //!< towards higher coordinates
        bool wraps;   //!< whether it goes from the last switch to the first, or back
    };

    /**
     * Puts the switches onto a grid.
     * \param subnet The switches.
     * \return Empty, or a sentence that says why they are no grid.
     */
    std::string Build(const IbSubnet& subnet);

    /// \return How many dimensions there are.
    uint32_t GetNDimensions() const;
    /**
     * \param dimension A dimension of the grid.
     * \return Whether any of its rows of three or more closes.
     */
    bool Closes(uint32_t dimension) const;
    /**
     * \param at A switch.
     * \param dimension A dimension.
     * \return Its place in it.
     */
    uint32_t GetPlace(uint32_t at, uint32_t dimension) const;
    /**
     * \param at A switch.
     * \param dimension A dimension.
     * \param place A place in it.
     * \return The switch of the same row at that place.
     */
    uint32_t GetInRow(uint32_t at, uint32_t dimension, uint32_t place) const;
    /**
     * \param at A switch.
     * \param dimension A dimension.
     * \param forward The direction.
     * \return The ports towards the neighbour there, in ascending order; none when there is no
     * cable.
     */
    const std::vector<uint16_t>& GetPorts(uint32_t at, uint32_t dimension, bool forward) const;
    /**
     * \param at A switch.
     * \param dimension A dimension.
     * \param place Another place in it.
     * \return The shortest way along the row that works, forward when both are equally long.
     */
    Way FindWay(uint32_t at, uint32_t dimension, uint32_t place) const;

  private:
    /**
     * Notes the cables of a switch.
     * \param subnet The switches.
     * \param at The switch.
     * \return Empty, or a sentence about a cable that is no step in one dimension.
     */
    std::string AddCables(const IbSubnet& subnet, uint32_t at);
    /// Counts how far each way works.
    void CountRuns();
    /**
     * \param at A switch.
     * \param dimension A dimension.
     * \param forward The direction.
     * \return Where what is known of that way is.
     */
    std::size_t GetIndex(uint32_t at, uint32_t dimension, bool forward) const;

    std::vector<uint32_t> m_sizes;              //!< places in each dimension
    std::vector<uint32_t> m_strides;            //!< distance of neighbours in m_cells
    std::vector<uint32_t> m_cells;              //!< switch at each place of the grid
    std::vector<uint32_t> m_cellOf;             //!< place in the grid of each switch
    std::vector<bool> m_closes;                 //!< for each dimension whether a row closes
    std::vector<std::vector<uint16_t>> m_ports; //!< ports by switch, dimension and direction
    std::vector<uint32_t> m_runs;               //!< working steps by the same
};

} // namespace rdma
} // namespace ns3

#endif /* IB_TORUS_GRID_H */

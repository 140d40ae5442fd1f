/* SPDX-License-Identifier: GPL-2.0-only */
/* A distribution of message sizes. */

#ifndef FABRIC_CDF_H
#define FABRIC_CDF_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A cumulative distribution of sizes, given by points and linear between them.
 *
 * A first point above 0 percent is a share of messages that have exactly its size; so is a step,
 * two points of the same size.
 */
class FabricCdf
{
  public:
    /// A point of the distribution.
    struct Point
    {
        uint64_t bytes; //!< a size in bytes
        double percent; //!< how many messages are of that size or smaller, 0 to 100
    };

    /**
     * \param points The points: neither sizes nor percentages fall, the last percentage is 100, the
     *        last size is not 0.
     */
    explicit FabricCdf(const std::vector<Point>& points);

    /**
     * Reads a file with a line "bytes percent" for each point, as the traffic generator of the HPCC
     * simulator does.
     * \param file The path of the file.
     * \return The distribution.
     * \throws FabricInputError
     */
    static FabricCdf Read(const std::string& file);

    /**
     * \param share A number from 0 to 1.
     * \return The size in bytes, at least 1, that this share of the messages does not exceed;
     *         rounded to the nearest byte.
     */
    uint64_t GetQuantile(double share) const;

    /// \return The mean size in bytes.
    double GetMean() const;

    /// \return The points.
    const std::vector<Point>& GetPoints() const;

  private:
    std::vector<Point> m_points; //!< in rising order
};

} // namespace ns3

#endif /* FABRIC_CDF_H */

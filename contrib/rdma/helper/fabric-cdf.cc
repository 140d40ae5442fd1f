/* SPDX-License-Identifier: GPL-2.0-only */
/* A distribution of message sizes. */

#include "ns3/fabric-cdf.h"

#include "ns3/abort.h"
#include "ns3/fabric-input-lines.h"
#include "ns3/fabric-units.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ns3
{

namespace
{

/// Decimal digits of a percentage that count.
constexpr uint32_t PERCENT_DIGITS = 12;

/**
 * \param text A percentage.
 * \return It as a number; negative when the text is none.
 */
double
ParsePercent(const std::string& text)
{
    try
    {
        return static_cast<double>(
                   FabricUnits::ParseDecimal(text, PERCENT_DIGITS, FabricUnits::Rest::CUT)) /
               1e12;
    }
    catch (const std::invalid_argument&)
    {
        return -1;
    }
}

} // namespace

FabricCdf::FabricCdf(const std::vector<Point>& points)
    : m_points(points)
{
    NS_ABORT_MSG_IF(points.empty() || points.back().percent != 100 || points.back().bytes == 0,
                    "The last point of a distribution of sizes must be 100 percent and have at "
                    "least 1 byte");
    for (std::size_t i = 0; i < points.size(); ++i)
    {
        NS_ABORT_MSG_IF(!(points[i].percent >= 0) ||
                            (i > 0 && (points[i].percent < points[i - 1].percent ||
                                       points[i].bytes < points[i - 1].bytes)),
                        "Sizes and percentages of a distribution must not fall, point "
                            << i << " has " << points[i].bytes << " bytes and " << points[i].percent
                            << " percent");
    }
}

FabricCdf
FabricCdf::Read(const std::string& file)
{
    FabricInputLines lines(file);
    std::vector<Point> points;
    std::string before = "0";
    while (lines.Next())
    {
        lines.Require(2, "bytes and cumulative percent");
        const Point last = points.empty() ? Point{0, 0} : points.back();
        const uint64_t bytes =
            lines.ReadInteger(0, "number of bytes", last.bytes, FabricUnits::MAX_SIZE);
        const double percent = ParsePercent(lines.GetColumns()[1]);
        if (percent < last.percent || percent > 100)
        {
            lines.Refuse("the cumulative percent " +
                         FabricInputError::Quote(lines.GetColumns()[1]) +
                         " is no number in the range; allowed: " + before + " to 100");
        }
        before = lines.GetColumns()[1];
        points.push_back({bytes, percent});
    }
    if (points.empty())
    {
        lines.Refuse("the file has no line but empty ones; allowed: lines of bytes and percent");
    }
    if (points.back().percent != 100)
    {
        lines.Refuse("the distribution ends at " + FabricInputError::Quote(lines.GetColumns()[1]) +
                     " percent; allowed: 100 in the last line");
    }
    if (points.back().bytes == 0)
    {
        lines.Refuse("all sizes are \"0\"; allowed: at least 1 byte in the last line");
    }
    return FabricCdf(points);
}

uint64_t
FabricCdf::GetQuantile(double share) const
{
    const double percent = share * 100;
    const auto above =
        std::lower_bound(m_points.begin(),
                         m_points.end() - 1,
                         percent,
                         [](const Point& point, double value) { return point.percent < value; });
    double bytes = static_cast<double>(above->bytes);
    if (above != m_points.begin())
    {
        const Point& below = *(above - 1);
        const double width = above->percent - below.percent;
        bytes -= (bytes - static_cast<double>(below.bytes)) * (above->percent - percent) / width;
    }
    return std::max<uint64_t>(1, static_cast<uint64_t>(std::llround(bytes)));
}

double
FabricCdf::GetMean() const
{
    // A trapezoid between two points; the first point's own share has its size.
    double sum = m_points[0].percent * static_cast<double>(m_points[0].bytes);
    for (std::size_t i = 1; i < m_points.size(); ++i)
    {
        sum +=
            (m_points[i].percent - m_points[i - 1].percent) *
            (static_cast<double>(m_points[i].bytes) + static_cast<double>(m_points[i - 1].bytes)) /
            2;
    }
    return sum / 100;
}

const std::vector<FabricCdf::Point>&
FabricCdf::GetPoints() const
{
    return m_points;
}

} // namespace ns3

/* SPDX-License-Identifier: GPL-2.0-only */
/* Rates, times and sizes with their units, read exactly. */

#ifndef FABRIC_UNITS_H
#define FABRIC_UNITS_H

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Reads quantities from text without floating point: 0.001ms is 1000000 ps, not one less.
 *
 * A quantity is a decimal number (digits, one point, an exponent such as e-6) and a unit; blanks
 * around and between them do not count. Units are case sensitive where case carries meaning: b is
 * a bit and B a byte, m is milli and M mega. Every Parse function throws std::invalid_argument
 * with one sentence that names the text, what is wrong with it, and the allowed range; a reader
 * adds file and line (FabricInputError).
 */
class FabricUnits
{
  public:
    /// Highest rate, 100 Tb/s, in bit/s.
    static constexpr uint64_t MAX_RATE = 100'000'000'000'000;

    /// Longest time, 1000000 s, in picoseconds.
    static constexpr int64_t MAX_TIME_PS = 1'000'000'000'000'000'000;

    /// Largest size, 10^18, in bytes.
    static constexpr uint64_t MAX_SIZE = 1'000'000'000'000'000'000;

    /// What happens to digits that stand behind the last one that counts.
    enum class Rest
    {
        REFUSE, //!< they must be zeros
        CUT     //!< they are dropped: for files that print a double with all its digits
    };

    /**
     * \param text A rate: bps or b/s with k (or K), M, G, T, or such a letter alone, e.g. 400Gbps,
     *        100Gb/s, 25G. A unit is required.
     * \return The rate in bit/s, from 1 to MAX_RATE.
     */
    static uint64_t ParseRate(const std::string& text);

    /**
     * \param text A time: ps, ns, us, ms or s, e.g. 1us, 0.001ms, 1000ns.
     * \param unit The unit of a number that has none; empty when a unit is required.
     * \param rest What happens to fractions of a picosecond.
     * \return The time in picoseconds, from 0 to MAX_TIME_PS.
     */
    static int64_t ParseTime(const std::string& text,
                             const std::string& unit = "",
                             Rest rest = Rest::REFUSE);

    /**
     * \param text A size: a plain number or B is bytes; kB (or KB), MB, GB, TB are powers of 1000;
     *        KiB, MiB, GiB, TiB are powers of 1024.
     * \return The size in bytes, from 0 to MAX_SIZE.
     */
    static uint64_t ParseSize(const std::string& text);

    /**
     * \param text A decimal number without unit.
     * \param decimals How many decimal digits count, 0 to 18.
     * \param rest What happens to the others.
     * \return The number times 10^decimals, at most 10^18.
     */
    static uint64_t ParseDecimal(const std::string& text,
                                 uint32_t decimals,
                                 Rest rest = Rest::REFUSE);

    /**
     * \param bitsPerSecond A rate.
     * \return The same as text that ParseRate() reads, with the largest unit that keeps it whole.
     */
    static std::string FormatRate(uint64_t bitsPerSecond);

    /**
     * \param ps A time in picoseconds, not negative.
     * \return The same as text that ParseTime() reads, with the largest unit that keeps it whole.
     */
    static std::string FormatTime(int64_t ps);
};

} // namespace ns3

#endif /* FABRIC_UNITS_H */

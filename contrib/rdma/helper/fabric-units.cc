/* SPDX-License-Identifier: GPL-2.0-only */
/* Rates, times and sizes with their units, read exactly. */

#include "ns3/fabric-units.h"

#include "ns3/fabric-input-error.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

namespace ns3
{

namespace
{

/// A unit: its name and its value, 10^decimal x 2^binary of the base unit.
struct Unit
{
    const char* name; //!< as it is written
    uint32_t decimal; //!< power of ten
    uint32_t binary;  //!< power of two
};

/// A kind of quantity.
struct Quantity
{
    const char* noun;   //!< what it is called in sentences
    const char* units;  //!< the units as a sentence lists them
    const char* range;  //!< the allowed range as a sentence tells it
    const char* whole;  //!< what is wrong with a value between two base units
    uint64_t lowest;    //!< the least value, in base units
    uint64_t highest;   //!< the greatest value, in base units
    const Unit* first;  //!< its units
    std::size_t number; //!< how many they are
};

constexpr std::array<Unit, 17> RATE_UNITS{{{"bps", 0, 0},
                                           {"b/s", 0, 0},
                                           {"kbps", 3, 0},
                                           {"kb/s", 3, 0},
                                           {"k", 3, 0},
                                           {"Kbps", 3, 0},
                                           {"Kb/s", 3, 0},
                                           {"K", 3, 0},
                                           {"Mbps", 6, 0},
                                           {"Mb/s", 6, 0},
                                           {"M", 6, 0},
                                           {"Gbps", 9, 0},
                                           {"Gb/s", 9, 0},
                                           {"G", 9, 0},
                                           {"Tbps", 12, 0},
                                           {"Tb/s", 12, 0},
                                           {"T", 12, 0}}};

constexpr std::array<Unit, 5> TIME_UNITS{
    {{"ps", 0, 0}, {"ns", 3, 0}, {"us", 6, 0}, {"ms", 9, 0}, {"s", 12, 0}}};

constexpr std::array<Unit, 11> SIZE_UNITS{{{"", 0, 0},
                                           {"B", 0, 0},
                                           {"kB", 3, 0},
                                           {"KB", 3, 0},
                                           {"MB", 6, 0},
                                           {"GB", 9, 0},
                                           {"TB", 12, 0},
                                           {"KiB", 0, 10},
                                           {"MiB", 0, 20},
                                           {"GiB", 0, 30},
                                           {"TiB", 0, 40}}};

constexpr Quantity RATE{"rate",
                        "bps, kbps, Mbps, Gbps or Tbps",
                        "1bps to 100Tbps",
                        "is not a whole number of bit/s",
                        1,
                        FabricUnits::MAX_RATE,
                        RATE_UNITS.data(),
                        RATE_UNITS.size()};

constexpr Quantity TIME{"time",
                        "ps, ns, us, ms or s",
                        "0ps to 1000000s",
                        "is not a whole number of picoseconds",
                        0,
                        FabricUnits::MAX_TIME_PS,
                        TIME_UNITS.data(),
                        TIME_UNITS.size()};

constexpr Quantity SIZE{"size",
                        "B, kB, MB, GB, TB, KiB, MiB, GiB or TiB",
                        "0B to 1000000TB",
                        "is not a whole number of bytes",
                        0,
                        FabricUnits::MAX_SIZE,
                        SIZE_UNITS.data(),
                        SIZE_UNITS.size()};

/// A decimal number taken apart: digits x 10^exponent.
struct Decimal
{
    std::string digits; //!< without leading zeros; empty for zero
    int32_t exponent;   //!< power of ten
};

/// Largest exponent that is looked at; what is beyond is out of every range.
constexpr int32_t LARGEST_EXPONENT = 1000;

/**
 * \param text A text.
 * \return The text without blanks at its ends.
 */
std::string
Trim(const std::string& text)
{
    const auto first = text.find_first_not_of(" \t");
    return first == std::string::npos
               ? ""
               : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/**
 * \param character A character.
 * \return True for 0 to 9, in every locale.
 */
bool
IsDigit(char character)
{
    return character >= '0' && character <= '9';
}

/**
 * \param quantity What was expected.
 * \param text The text.
 * \param reason What is wrong with it.
 */
[[noreturn]] void
Refuse(const Quantity& quantity, const std::string& text, const std::string& reason)
{
    throw std::invalid_argument(std::string("the ") + quantity.noun + " " +
                                FabricInputError::Quote(text) + " " + reason +
                                "; allowed: " + quantity.range);
}

/**
 * Takes the number from the start of a text.
 * \param text The text; the number is removed from it.
 * \return The number, or nothing when the text does not start with one.
 */
std::optional<Decimal>
TakeNumber(std::string& text)
{
    Decimal number{"", 0};
    std::size_t at = 0;
    bool point = false;
    bool any = false;
    for (; at < text.size() && (IsDigit(text[at]) || (text[at] == '.' && !point)); ++at)
    {
        if (text[at] == '.')
        {
            point = true;
            continue;
        }
        any = true;
        number.exponent -= point ? 1 : 0;
        if (text[at] != '0' || !number.digits.empty())
        {
            number.digits += text[at];
        }
    }
    if (!any)
    {
        return std::nullopt;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E'))
    {
        std::size_t digit = at + 1;
        const bool negative = digit < text.size() && text[digit] == '-';
        digit += digit < text.size() && (text[digit] == '-' || text[digit] == '+') ? 1 : 0;
        if (digit < text.size() && IsDigit(text[digit]))
        {
            int32_t exponent = 0;
            for (; digit < text.size() && IsDigit(text[digit]); ++digit)
            {
                exponent = std::min(exponent * 10 + (text[digit] - '0'), LARGEST_EXPONENT);
            }
            number.exponent += negative ? -exponent : exponent;
            at = digit;
        }
    }
    text.erase(0, at);
    return number;
}

/// Why a number has no value in base units.
enum class Trouble
{
    NONE,     //!< it has one
    FRACTION, //!< it is not a whole number of base units
    OVERFLOWS //!< it does not fit 64 bits
};

/**
 * \param digits The decimal digits of a number; set to those of a fifth of it.
 * \return True when nothing is left over.
 */
bool
DivideByFive(std::string& digits)
{
    int rest = 0;
    for (char& digit : digits)
    {
        rest = rest * 10 + (digit - '0');
        digit = static_cast<char>('0' + rest / 5);
        rest %= 5;
    }
    digits.erase(0, digits.find_first_not_of('0'));
    return rest == 0;
}

/**
 * Brings a number to base units.
 * \param number The number.
 * \param unit Its unit.
 * \param rest What happens to fractions of the base unit.
 * \param value Set to the value when there is one.
 * \return What is in the way.
 */
Trouble
Scale(Decimal number, const Unit& unit, FabricUnits::Rest rest, uint64_t& value)
{
    while (!number.digits.empty() && number.digits.back() == '0')
    {
        number.digits.pop_back();
        ++number.exponent;
    }
    value = 0;
    if (number.digits.empty())
    {
        return Trouble::NONE;
    }
    // With a binary unit 2^n, m x 10^-f x 2^n = m / 5^f x 2^(n - f), which keeps all steps whole.
    uint32_t shift = unit.binary;
    number.exponent += static_cast<int32_t>(unit.decimal);
    if (shift > 0 && number.exponent < 0)
    {
        auto fives = static_cast<uint32_t>(-number.exponent);
        if (fives > shift)
        {
            return Trouble::FRACTION;
        }
        shift -= fives;
        number.exponent = 0;
        for (; fives > 0; --fives)
        {
            if (!DivideByFive(number.digits))
            {
                return Trouble::FRACTION;
            }
        }
    }
    if (number.exponent < 0)
    {
        if (rest == FabricUnits::Rest::REFUSE)
        {
            return Trouble::FRACTION;
        }
        const auto cut = static_cast<std::size_t>(-number.exponent);
        number.digits.resize(number.digits.size() - std::min(cut, number.digits.size()));
        number.exponent = 0;
    }
    if (number.digits.size() + static_cast<std::size_t>(number.exponent) > 19)
    {
        return Trouble::OVERFLOWS;
    }
    number.digits.append(static_cast<std::size_t>(number.exponent), '0');
    for (const char digit : number.digits)
    {
        value = value * 10 + static_cast<uint64_t>(digit - '0');
    }
    if (value > (UINT64_MAX >> shift))
    {
        return Trouble::OVERFLOWS;
    }
    value <<= shift;
    return Trouble::NONE;
}

/**
 * \param quantity What is expected.
 * \param text The text.
 * \param defaultUnit The unit of a number that has none.
 * \param rest What happens to fractions of the base unit.
 * \return The value in base units, inside the range of the quantity.
 */
uint64_t
Parse(const Quantity& quantity,
      const std::string& text,
      const std::string& defaultUnit,
      FabricUnits::Rest rest)
{
    std::string name = Trim(text);
    if (name.empty())
    {
        Refuse(quantity, text, "is empty");
    }
    const bool negative = name[0] == '-';
    name.erase(0, negative ? 1 : 0);
    const auto number = TakeNumber(name);
    if (!number)
    {
        Refuse(quantity, text, "does not start with a number");
    }
    if (negative)
    {
        Refuse(quantity, text, "is negative");
    }
    name = Trim(name);
    name = name.empty() ? defaultUnit : name;
    const Unit* unit = nullptr;
    for (std::size_t i = 0; i < quantity.number; ++i)
    {
        unit = name == quantity.first[i].name ? &quantity.first[i] : unit;
    }
    if (!unit)
    {
        Refuse(quantity,
               text,
               (name.empty() ? std::string("has no unit")
                             : "has the unknown unit " + FabricInputError::Quote(name)) +
                   " (units: " + quantity.units + ")");
    }
    uint64_t value = 0;
    switch (Scale(*number, *unit, rest, value))
    {
    case Trouble::FRACTION:
        Refuse(quantity, text, quantity.whole);
    case Trouble::OVERFLOWS:
        Refuse(quantity, text, "is too large");
    case Trouble::NONE:
        break;
    }
    if (value < quantity.lowest || value > quantity.highest)
    {
        Refuse(quantity, text, value < quantity.lowest ? "is too small" : "is too large");
    }
    return value;
}

/**
 * \param quantity The kind of quantity.
 * \param value A value in base units.
 * \return The value with the largest decimal unit that keeps it whole.
 */
std::string
Format(const Quantity& quantity, uint64_t value)
{
    const Unit* best = quantity.first;
    uint64_t divisor = 1;
    for (std::size_t i = 1; i < quantity.number; ++i)
    {
        uint64_t power = 1;
        for (uint32_t zeros = 0; zeros < quantity.first[i].decimal; ++zeros)
        {
            power *= 10;
        }
        if (value != 0 && power > divisor && value % power == 0)
        {
            best = &quantity.first[i];
            divisor = power;
        }
    }
    return std::to_string(value / divisor) + best->name;
}

} // namespace

uint64_t
FabricUnits::ParseRate(const std::string& text)
{
    return Parse(RATE, text, "", Rest::REFUSE);
}

int64_t
FabricUnits::ParseTime(const std::string& text, const std::string& unit, Rest rest)
{
    return static_cast<int64_t>(Parse(TIME, text, unit, rest));
}

uint64_t
FabricUnits::ParseSize(const std::string& text)
{
    return Parse(SIZE, text, "", Rest::REFUSE);
}

uint64_t
FabricUnits::ParseDecimal(const std::string& text, uint32_t decimals, Rest rest)
{
    const std::string range = decimals == 0
                                  ? "whole numbers from 0 to 10^18"
                                  : "0 to 10^" + std::to_string(18 - decimals) + " with at most " +
                                        std::to_string(decimals) + " decimal digits";
    const Unit unit{"", decimals, 0};
    const Quantity quantity{"number",
                            "none",
                            range.c_str(),
                            decimals == 0 ? "is not whole" : "has too many decimal digits",
                            0,
                            MAX_SIZE,
                            &unit,
                            1};
    return Parse(quantity, text, "", rest);
}

std::string
FabricUnits::FormatRate(uint64_t bitsPerSecond)
{
    return Format(RATE, bitsPerSecond);
}

std::string
FabricUnits::FormatTime(int64_t ps)
{
    return Format(TIME, static_cast<uint64_t>(ps));
}

} // namespace ns3

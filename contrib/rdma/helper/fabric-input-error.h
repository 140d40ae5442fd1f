/* SPDX-License-Identifier: GPL-2.0-only */
/* The error that every reader of an input file throws. */

#ifndef FABRIC_INPUT_ERROR_H
#define FABRIC_INPUT_ERROR_H

#include <cstdint>
#include <stdexcept>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * A mistake in an input file, told in one sentence: what() is "file:line: sentence".
 *
 * The sentence names the offending value and what would be allowed.
 */
class FabricInputError : public std::runtime_error
{
  public:
    /**
     * \param file The file as the user named it.
     * \param line The line, counted from 1; 0 when the file as a whole is meant (it cannot be
     *        opened), and then what() is "file: sentence".
     * \param sentence What is wrong, and what is allowed.
     */
    FabricInputError(const std::string& file, uint64_t line, const std::string& sentence);

    /// \return The file as the user named it.
    const std::string& GetFile() const;

    /// \return The line, counted from 1, or 0 for the whole file.
    uint64_t GetLine() const;

    /**
     * Makes a piece of a file fit to be shown in a sentence.
     * \param text What stands in the file.
     * \return The text between quotation marks, cut after 60 characters; characters that a
     *         terminal does not show stand as \\x and two hexadecimal digits.
     */
    static std::string Quote(const std::string& text);

  private:
    std::string m_file; //!< the file as the user named it
    uint64_t m_line;    //!< the line, or 0
};

} // namespace ns3

#endif /* FABRIC_INPUT_ERROR_H */

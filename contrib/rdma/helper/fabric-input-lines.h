/* SPDX-License-Identifier: GPL-2.0-only */
/* A text file of columns, read line by line. */

#ifndef FABRIC_INPUT_LINES_H
#define FABRIC_INPUT_LINES_H

#include "ns3/fabric-input-error.h"

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Reads a text file whose lines hold columns between blanks, and words every complaint about it.
 *
 * Harmless and passed over without a word: a UTF-8 byte order mark, CR LF at the ends of lines, a
 * missing end of the last line, empty lines, and lines that start with #. Refused: what is not a
 * file that can be read, an empty file, NUL bytes (the file is binary or UTF-16), and lines of more
 * than MAX_LINE bytes.
 */
class FabricInputLines
{
  public:
    /// Longest line in bytes: 2^20.
    static constexpr std::size_t MAX_LINE = 1 << 20;

    /**
     * \param file The path, which also names the file in messages.
     * \throws FabricInputError when the file cannot be read.
     */
    explicit FabricInputLines(const std::string& file);

    /**
     * Goes to the next line that has columns.
     * \return False at the end of the file.
     */
    bool Next();

    /// \return The number of the line, counted from 1; at the end, that of the last line.
    uint64_t GetLine() const;

    /// \return The columns of the line.
    const std::vector<std::string>& GetColumns() const;

    /**
     * Refuses the line unless it has the right number of columns.
     * \param number How many there must be.
     * \param names Their names, for the message.
     */
    void Require(std::size_t number, const std::string& names) const;

    /**
     * \param column The number of a column, from 0.
     * \param name What it is called in messages.
     * \param parse Makes a value from the text of the column, or throws std::invalid_argument.
     * \return The value.
     */
    template <typename Parse>
    auto Read(std::size_t column, const std::string& name, const Parse& parse) const
    {
        try
        {
            return parse(m_columns[column]);
        }
        catch (const std::invalid_argument& error)
        {
            Refuse(name + ": " + error.what());
        }
    }

    /**
     * \param column The number of a column, from 0.
     * \param name What it is called in messages.
     * \param lowest The least allowed value.
     * \param highest The greatest allowed value.
     * \return The integer that stands there.
     */
    uint64_t ReadInteger(std::size_t column,
                         const std::string& name,
                         uint64_t lowest,
                         uint64_t highest) const;

    /**
     * \param text An integer.
     * \param name What it is called in messages.
     * \param lowest The least allowed value.
     * \param highest The greatest allowed value.
     * \return The integer.
     */
    uint64_t ParseInteger(const std::string& text,
                          const std::string& name,
                          uint64_t lowest,
                          uint64_t highest) const;

    /**
     * Refuses the current line.
     * \param sentence What is wrong with it.
     */
    [[noreturn]] void Refuse(const std::string& sentence) const;

    /**
     * Reads the file to its end and tells of lines after the announced ones that look like them:
     * right number of columns, the first two of them numbers.
     * \param columns How many columns the lines have.
     * \param noun What the lines are, in the plural.
     * \param announced How many were announced.
     * \param notes A remark "file:line: sentence" is appended when there are such lines; may be
     *        nullptr.
     */
    void NoteSurplus(std::size_t columns,
                     const std::string& noun,
                     uint64_t announced,
                     std::vector<std::string>* notes);

  private:
    /**
     * \param text Set to the next line, without its end.
     * \return False when there is none.
     */
    bool ReadLine(std::string& text);

    std::string m_file;                 //!< as the user named it
    std::ifstream m_stream;             //!< the file
    uint64_t m_line{0};                 //!< number of the line, from 1
    std::vector<std::string> m_columns; //!< columns of the line
};

} // namespace ns3

#endif /* FABRIC_INPUT_LINES_H */

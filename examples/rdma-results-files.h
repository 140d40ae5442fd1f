/* SPDX-License-Identifier: GPL-2.0-only */
/* Result files that appear complete or not at all. */

#ifndef RDMA_RESULTS_FILES_H
#define RDMA_RESULTS_FILES_H

#include <cstdint>
#include <fstream>
#include <list>
#include <string>

namespace ns3::rdma::runner
{

/**
 * The files of one output directory. Each is written under a temporary name and gets its own when
 * Commit() is called; without that nothing is left behind.
 */
class ResultFiles
{
  public:
    /**
     * \param directory where the files belong; created, with its parents, by the first Open()
     */
    explicit ResultFiles(const std::string& directory);
    ~ResultFiles();

    ResultFiles(const ResultFiles&) = delete;
    ResultFiles& operator=(const ResultFiles&) = delete;

    /**
     * \param name the file's final name in the directory
     * \return a stream to write it, valid until Commit()
     * \throws std::runtime_error when directory or file cannot be created
     */
    std::ostream& Open(const std::string& name);

    /**
     * Closes all files and gives them their names.
     * \throws std::runtime_error when something could not be written or renamed
     */
    void Commit();

    /** \return the directory */
    const std::string& Directory() const;

  private:
    /** A file under its temporary name. */
    struct Pending
    {
        std::string name;      //!< its final path
        std::string temporary; //!< its path for now
        std::ofstream stream;  //!< open until Commit()
    };

    std::string m_directory;
    std::string m_created; //!< topmost directory that did not exist before, empty when all did
    std::list<Pending> m_pending;
};

/**
 * \param ps a time in picoseconds
 * \return the same in microseconds, exact, with six decimals
 */
std::string FormatMicroseconds(int64_t ps);

} // namespace ns3::rdma::runner

#endif // RDMA_RESULTS_FILES_H

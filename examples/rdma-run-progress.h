/* SPDX-License-Identifier: GPL-2.0-only */
/* One line on the terminal that tells how far a run is. */

#ifndef RDMA_RUN_PROGRESS_H
#define RDMA_RUN_PROGRESS_H

#include <chrono>
#include <cstdint>
#include <string>

namespace ns3::rdma::runner
{

/**
 * Prints and overwrites a line on standard error, at most a few times per second.
 */
class RunProgress
{
  public:
    /**
     * \param enabled false: never prints anything
     * \param name what the line begins with
     */
    RunProgress(bool enabled, const std::string& name);
    ~RunProgress();

    RunProgress(const RunProgress&) = delete;
    RunProgress& operator=(const RunProgress&) = delete;

    /**
     * \param delivered payload bytes delivered
     * \param total payload bytes to deliver
     * \param nowPs the simulated time in picoseconds
     */
    void Update(uint64_t delivered, uint64_t total, int64_t nowPs);

    /** \return seconds since this object was made */
    double GetElapsed() const;

  private:
    using Clock = std::chrono::steady_clock;

    std::string m_name;        //!< what the line begins with
    Clock::time_point m_start; //!< when the run began
    Clock::time_point m_next;  //!< when the line may be printed again
    bool m_enabled;            //!< whether anything is printed
    bool m_printed{false};     //!< whether there is a line to wipe out
};

} // namespace ns3::rdma::runner

#endif // RDMA_RUN_PROGRESS_H

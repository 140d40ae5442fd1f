/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-results-files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace ns3::rdma::runner
{

namespace fs = std::filesystem;

ResultFiles::ResultFiles(const std::string& directory)
    : m_directory(directory)
{
}

ResultFiles::~ResultFiles()
{
    std::error_code ignored;
    for (Pending& file : m_pending)
    {
        file.stream.close();
        fs::remove(file.temporary, ignored);
    }
    if (!m_pending.empty() && !m_created.empty())
    {
        // Only our own empty directories go: remove() refuses one in which somebody put a file.
        for (fs::path path = m_directory; fs::remove(path, ignored); path = path.parent_path())
        {
            if (path == m_created)
            {
                break;
            }
        }
    }
}

std::ostream&
ResultFiles::Open(const std::string& name)
{
    std::error_code error;
    for (fs::path path = m_directory; !path.empty() && !fs::exists(path, error);
         path = path.parent_path())
    {
        m_created = path.string();
    }
    fs::create_directories(m_directory, error);
    if (error || !fs::is_directory(m_directory, error))
    {
        throw std::runtime_error("the output directory '" + m_directory + "' cannot be created: " +
                                 (error ? error.message() : "a file of that name is in the way"));
    }
    m_pending.emplace_back();
    Pending& file = m_pending.back();
    file.name = (fs::path(m_directory) / name).string();
    file.temporary = file.name + ".part";
    file.stream.open(file.temporary, std::ios::binary | std::ios::trunc);
    if (!file.stream)
    {
        throw std::runtime_error("'" + file.temporary +
                                 "' cannot be written: " + std::strerror(errno));
    }
    return file.stream;
}

void
ResultFiles::Commit()
{
    for (Pending& file : m_pending)
    {
        file.stream.close();
        if (!file.stream)
        {
            throw std::runtime_error("'" + file.temporary + "' could not be written completely");
        }
    }
    for (const Pending& file : m_pending)
    {
        fs::rename(file.temporary, file.name);
    }
    m_pending.clear();
    m_created.clear();
}

const std::string&
ResultFiles::Directory() const
{
    return m_directory;
}

std::string
FormatMicroseconds(int64_t ps)
{
    constexpr int64_t PS_PER_US = 1'000'000;
    char text[32];
    std::snprintf(text,
                  sizeof(text),
                  "%s%lld.%06lld",
                  ps < 0 ? "-" : "",
                  static_cast<long long>(std::abs(ps / PS_PER_US)),
                  static_cast<long long>(std::abs(ps % PS_PER_US)));
    return text;
}

} // namespace ns3::rdma::runner

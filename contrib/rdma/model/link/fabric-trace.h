/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_TRACE_H
#define FABRIC_TRACE_H

#include "ns3/traced-callback.h"

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * A TracedCallback that raises a flag when somebody connects, so that the hot path tests one flag
 * for many trace sources.
 */
template <typename... Ts>
class FabricTrace : public TracedCallback<Ts...>
{
  public:
    /// \param flag Set to true by the first listener, and never cleared.
    explicit FabricTrace(bool& flag)
        : m_flags{&flag, &flag}
    {
    }

    /**
     * For a source that two paths fire.
     * \param first Set to true by the first listener.
     * \param second As well.
     */
    FabricTrace(bool& first, bool& second)
        : m_flags{&first, &second}
    {
    }

    /// \param callback See TracedCallback::ConnectWithoutContext.
    void ConnectWithoutContext(const CallbackBase& callback)
    {
        *m_flags[0] = *m_flags[1] = true;
        TracedCallback<Ts...>::ConnectWithoutContext(callback);
    }

    /**
     * \param callback See TracedCallback::Connect.
     * \param path The context string.
     */
    void Connect(const CallbackBase& callback, std::string path)
    {
        *m_flags[0] = *m_flags[1] = true;
        TracedCallback<Ts...>::Connect(callback, path);
    }

  private:
    bool* m_flags[2]; //!< whether anybody ever listened
};

} // namespace rdma
} // namespace ns3

#endif /* FABRIC_TRACE_H */

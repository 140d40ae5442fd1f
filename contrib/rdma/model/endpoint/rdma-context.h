/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONTEXT_H
#define RDMA_CONTEXT_H

#include "ns3/rdma-nic.h"
#include "ns3/simple-ref-count.h"

#include <optional>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * The verbs of a NIC, under the names of libibverbs (ibv_context). Calls take effect at the
 * simulator's current time and return 0 or an errno value, as theirs do.
 */
class RdmaContext : public SimpleRefCount<RdmaContext>
{
  public:
    /**
     * ibv_open_device.
     * \param nic The NIC.
     */
    explicit RdmaContext(Ptr<RdmaNic> nic);

    /// \return ibv_query_device: what the NIC can do.
    const RdmaDeviceAttributes& QueryDevice() const;
    /**
     * ibv_get_async_event, as a callback instead of a queue.
     * \param callback Called with each event from now on.
     */
    void OnAsyncEvent(Callback<void, const RdmaAsyncEvent&> callback);
    /**
     * ibv_alloc_pd.
     * \return A protection domain.
     */
    Ptr<RdmaProtectionDomain> AllocPd();
    /**
     * ibv_reg_mr.
     * \param domain Protection domain.
     * \param address First address.
     * \param length Bytes.
     * \param access Rights, RdmaAccess bits; remote write needs local write.
     * \return The region with its keys, or nothing (EINVAL, ENOMEM).
     */
    std::optional<RdmaMemoryRegion> RegMr(Ptr<RdmaProtectionDomain> domain,
                                          uint64_t address,
                                          uint64_t length,
                                          uint32_t access);
    /**
     * ibv_reg_mr with bytes: what is sent from the region, and written to it, is real.
     * \param domain Protection domain.
     * \param address First address.
     * \param bytes The bytes; they are the length of the region.
     * \param access Rights.
     * \return The region with its keys, or nothing (EINVAL, ENOMEM).
     */
    std::optional<RdmaMemoryRegion> RegMr(Ptr<RdmaProtectionDomain> domain,
                                          uint64_t address,
                                          RdmaBackingBytes bytes,
                                          uint32_t access);
    /**
     * ibv_rereg_mr.
     * \param [in,out] region A region of this NIC, with the new values; gets the new keys.
     * \param changes Which of the values count, RdmaReregister bits.
     * \return 0, or EINVAL with nothing changed.
     */
    int ReregMr(RdmaMemoryRegion& region, uint32_t changes);
    /**
     * ibv_dereg_mr.
     * \param region A region of this NIC.
     * \return 0, or EINVAL when there is no such region any more.
     */
    int DeregMr(const RdmaMemoryRegion& region);
    /**
     * ibv_create_cq.
     * \param capacity Completions that it holds, at least 1.
     * \return A completion queue, or nullptr when the NIC has none so large (EINVAL).
     */
    Ptr<RdmaCompletionQueue> CreateCq(uint32_t capacity);
    /**
     * ibv_create_srq.
     * \param domain Protection domain.
     * \param maxWr Receives that may be posted.
     * \param maxSge Pieces of memory of a receive.
     * \return A shared receive queue, or nullptr when the NIC has none so large (EINVAL).
     */
    Ptr<RdmaSharedReceiveQueue> CreateSrq(Ptr<RdmaProtectionDomain> domain,
                                          uint32_t maxWr,
                                          uint32_t maxSge = 1);
    /**
     * ibv_create_ah.
     * \param domain Protection domain.
     * \param address Where datagrams go.
     * \return The handle, or nullptr (EINVAL).
     */
    Ptr<RdmaAddressHandle> CreateAh(Ptr<RdmaProtectionDomain> domain, const RdmaAddress& address);
    /**
     * ibv_create_qp.
     * \param init Attributes; domain and completion queues are needed.
     * \return A queue pair in state RESET, or nullptr (EINVAL).
     */
    Ptr<RdmaQueuePair> CreateQp(const RdmaQpInitAttributes& init);
    /**
     * ibv_destroy_qp.
     * \param queuePair A queue pair of this NIC; its work is discarded.
     */
    void DestroyQp(Ptr<RdmaQueuePair> queuePair);
    /**
     * ibv_modify_qp.
     * \param queuePair The queue pair.
     * \param attributes New values.
     * \param mask Which of them count, RdmaQpAttrMask bits.
     * \return 0, or EINVAL with nothing changed.
     */
    int ModifyQp(Ptr<RdmaQueuePair> queuePair, const RdmaQpAttributes& attributes, uint32_t mask);
    /**
     * ibv_query_qp; RdmaQueuePair::GetInit has what it was created with.
     * \param queuePair The queue pair.
     * \return Its attributes.
     */
    RdmaQpAttributes QueryQp(Ptr<RdmaQueuePair> queuePair) const;

    /**
     * Takes a queue pair from RESET to RTS with one set of attributes.
     * \param queuePair The queue pair.
     * \param attributes All attributes; the state is ignored.
     * \return 0, or EINVAL of the transition that failed.
     */
    int Connect(Ptr<RdmaQueuePair> queuePair, const RdmaQpAttributes& attributes);

    /**
     * efadv_create_qp_ex: an SRD queue pair.
     * \param init Attributes; domain and completion queues are needed.
     * \return A queue pair in state RTS, or nullptr (EINVAL).
     */
    Ptr<RdmaSrdQueuePair> CreateSrdQp(const RdmaSrdQpInitAttributes& init);
    /**
     * ibv_destroy_qp.
     * \param queuePair An SRD queue pair of this NIC; its work is discarded.
     */
    void DestroySrdQp(Ptr<RdmaSrdQueuePair> queuePair);
    /**
     * ibv_create_ah, for SRD.
     * \param endpoint Endpoint number of the remote NIC.
     * \return An address handle.
     */
    Ptr<RdmaSrdAddressHandle> CreateSrdAh(uint32_t endpoint);
    /**
     * ibv_destroy_ah: work requests with it end with an error.
     * \param handle An address handle of this NIC.
     */
    void DestroySrdAh(Ptr<RdmaSrdAddressHandle> handle);

    /// \return The NIC.
    Ptr<RdmaNic> GetNic() const;
    /// \return The endpoint number that others put into RdmaAddress to reach this NIC.
    uint32_t GetEndpoint() const;

  private:
    Ptr<RdmaNic> m_nic; //!< the NIC
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_CONTEXT_H */

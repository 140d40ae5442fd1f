/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_BYTE_IO_H
#define RDMA_BYTE_IO_H

#include "ns3/assert.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace rdma
{

/**
 * \ingroup rdma
 * Appends fields in network byte order to a byte vector.
 */
class ByteWriter
{
  public:
    /// \param bytes Where to append; must outlive the writer.
    explicit ByteWriter(std::vector<uint8_t>& bytes)
        : m_bytes(bytes)
    {
    }

    /// \param value The byte to append.
    void WriteU8(uint8_t value)
    {
        m_bytes.push_back(value);
    }

    /// \param value The 16 bit field to append.
    void WriteU16(uint16_t value)
    {
        WriteBigEndian(value, 2);
    }

    /// \param value The 24 bit field to append; must fit.
    void WriteU24(uint32_t value)
    {
        NS_ASSERT_MSG(value <= 0xffffff, "24 bit header field holds " << value);
        WriteBigEndian(value, 3);
    }

    /// \param value The 32 bit field to append.
    void WriteU32(uint32_t value)
    {
        WriteBigEndian(value, 4);
    }

    /// \param value The 16 bit field to append, least significant byte first (CRCs).
    void WriteU16LittleEndian(uint16_t value)
    {
        m_bytes.push_back(static_cast<uint8_t>(value));
        m_bytes.push_back(static_cast<uint8_t>(value >> 8));
    }

    /// \param value The 32 bit field to append, least significant byte first (CRCs).
    void WriteU32LittleEndian(uint32_t value)
    {
        for (unsigned shift = 0; shift < 32; shift += 8)
        {
            m_bytes.push_back(static_cast<uint8_t>(value >> shift));
        }
    }

    /// \param value The 64 bit field to append.
    void WriteU64(uint64_t value)
    {
        WriteBigEndian(value, 8);
    }

    /// \param count How many zero bytes to append.
    void WriteZeros(std::size_t count)
    {
        m_bytes.insert(m_bytes.end(), count, 0);
    }

    /**
     * \param data Bytes to append.
     * \param size How many.
     */
    void WriteBytes(const uint8_t* data, std::size_t size)
    {
        m_bytes.insert(m_bytes.end(), data, data + size);
    }

  private:
    /**
     * \param value The field.
     * \param width Its width in bytes; higher bits of the value are dropped.
     */
    void WriteBigEndian(uint64_t value, unsigned width)
    {
        for (unsigned i = width; i-- > 0;)
        {
            m_bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
        }
    }

    std::vector<uint8_t>& m_bytes; //!< destination
};

/**
 * \ingroup rdma
 * Reads fields in network byte order from bytes that somebody else holds.
 *
 * A codec asks Has() once for the length of its header. A read past the end is still safe: it
 * gives zero and moves to the end.
 */
class ByteReader
{
  public:
    /**
     * \param data First byte; must outlive the reader.
     * \param size Number of bytes.
     */
    ByteReader(const uint8_t* data, std::size_t size)
        : m_data(data),
          m_size(size)
    {
    }

    /// \param bytes What to read; must outlive the reader.
    explicit ByteReader(const std::vector<uint8_t>& bytes)
        : ByteReader(bytes.data(), bytes.size())
    {
    }

    /// \return Bytes not yet read.
    std::size_t GetRemaining() const
    {
        return m_size;
    }

    /// \param count A number of bytes. \return Whether that many are left.
    bool Has(std::size_t count) const
    {
        return count <= m_size;
    }

    /// \return The next unread byte's address; GetRemaining() bytes are valid from there.
    const uint8_t* GetData() const
    {
        return m_data;
    }

    /// \param count Bytes to step over; not beyond the end.
    void Skip(std::size_t count)
    {
        const std::size_t step = count < m_size ? count : m_size;
        m_data += step;
        m_size -= step;
    }

    /**
     * Forgets what lies beyond a length, such as the padding of a short frame.
     * \param count Bytes to keep; no effect if fewer are left.
     */
    void Truncate(std::size_t count)
    {
        m_size = count < m_size ? count : m_size;
    }

    /// \return The next byte.
    uint8_t ReadU8()
    {
        return static_cast<uint8_t>(ReadBigEndian(1));
    }

    /// \return The next 16 bit field.
    uint16_t ReadU16()
    {
        return static_cast<uint16_t>(ReadBigEndian(2));
    }

    /// \return The next 24 bit field.
    uint32_t ReadU24()
    {
        return static_cast<uint32_t>(ReadBigEndian(3));
    }

    /// \return The next 32 bit field.
    uint32_t ReadU32()
    {
        return static_cast<uint32_t>(ReadBigEndian(4));
    }

    /// \return The next 16 bit field, least significant byte first (CRCs).
    uint16_t ReadU16LittleEndian()
    {
        const uint8_t low = ReadU8();
        return static_cast<uint16_t>(ReadU8() << 8 | low);
    }

    /// \return The next 32 bit field, least significant byte first (CRCs).
    uint32_t ReadU32LittleEndian()
    {
        uint32_t value = 0;
        for (unsigned shift = 0; shift < 32; shift += 8)
        {
            value |= static_cast<uint32_t>(ReadU8()) << shift;
        }
        return value;
    }

    /// \return The next 64 bit field.
    uint64_t ReadU64()
    {
        return ReadBigEndian(8);
    }

    /**
     * \param to Where to copy.
     * \param count How many bytes; zeros stand in for those beyond the end.
     */
    void ReadBytes(uint8_t* to, std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i)
        {
            to[i] = ReadU8();
        }
    }

  private:
    /// \param width Bytes to read. \return The field, or 0 if fewer are left.
    uint64_t ReadBigEndian(unsigned width)
    {
        if (!Has(width))
        {
            Skip(width);
            return 0;
        }
        uint64_t value = 0;
        for (unsigned i = 0; i < width; ++i)
        {
            value = value << 8 | m_data[i];
        }
        Skip(width);
        return value;
    }

    const uint8_t* m_data; //!< next byte
    std::size_t m_size;    //!< bytes left
};

} // namespace rdma
} // namespace ns3

#endif /* RDMA_BYTE_IO_H */

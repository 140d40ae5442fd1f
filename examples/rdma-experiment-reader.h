/* SPDX-License-Identifier: GPL-2.0-only */
/* Typed, checked access to one map of an experiment file. */

#ifndef RDMA_EXPERIMENT_READER_H
#define RDMA_EXPERIMENT_READER_H

#include "rdma-experiment-tree.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

namespace ns3::rdma::runner
{

/**
 * Reads the keys of one map into variables.
 *
 * A ReadX() leaves its variable alone when the key is absent, so that the variable's initial value
 * is the default. Every key that was asked for counts as known; Finish() refuses the others. All
 * errors are FabricInputError with file, line, the full key, the value, and what is allowed.
 */
class ExperimentReader
{
  public:
    /**
     * \param file the file's name for messages
     * \param map the map to read; anything but a map is refused
     * \param path the key of the map from the root, e.g. "topology.link"; empty for the root
     */
    ExperimentReader(const std::string& file, const ExperimentNode& map, const std::string& path);

    /**
     * Refuses the map when a key is missing.
     * \param keys the keys that must be there
     */
    void Require(std::initializer_list<const char*> keys);

    /**
     * \param key a key, known from now on
     * \returns true when the map has it
     */
    bool Has(const std::string& key);

    /**
     * \param key a key
     * \param value set to an integer in [lowest, highest]
     * \param lowest the smallest allowed
     * \param highest the largest allowed
     */
    template <typename T>
    void ReadInteger(const std::string& key, T& value, int64_t lowest, int64_t highest)
    {
        value = static_cast<T>(Integer(key, static_cast<int64_t>(value), lowest, highest));
    }

    /**
     * \param key a key
     * \param value set to a number in [lowest, highest]; fractions like 1/8 are accepted
     * \param lowest the smallest allowed
     * \param highest the largest allowed
     */
    void ReadNumber(const std::string& key, double& value, double lowest, double highest);

    /**
     * \param key a key
     * \param value set to true or false (true, false, yes, no, on, off)
     */
    void ReadSwitch(const std::string& key, bool& value);

    /**
     * \param key a key
     * \param value set to one of the words
     * \param words what is allowed
     */
    void ReadWord(const std::string& key,
                  std::string& value,
                  std::initializer_list<const char*> words);

    /**
     * \param key a key
     * \param value set to any text that is not empty
     */
    void ReadText(const std::string& key, std::string& value);

    /**
     * \param key a key
     * \param value set to a data rate in bit/s
     */
    void ReadRate(const std::string& key, uint64_t& value);

    /**
     * \param key a key
     * \param value set to a duration in picoseconds
     * \param lowest the smallest allowed, in picoseconds
     * \param highest the largest allowed, in picoseconds
     */
    void ReadTime(const std::string& key, int64_t& value, int64_t lowest, int64_t highest);

    /**
     * \param key a key
     * \param value set to a number of bytes
     * \param lowest the smallest allowed
     * \param highest the largest allowed
     */
    void ReadBytes(const std::string& key, uint64_t& value, uint64_t lowest, uint64_t highest);

    /**
     * \param key a key
     * \param values set to the integers of a list, or to the one integer given
     * \param lowest the smallest allowed for each
     * \param highest the largest allowed for each
     */
    void ReadIntegers(const std::string& key,
                      std::vector<uint32_t>& values,
                      int64_t lowest,
                      int64_t highest);

    /**
     * Reads a nested map.
     * \param key a key
     * \param read called with a reader of the map when the key is there; its unknown keys are
     *        refused afterwards
     */
    void ReadMap(const std::string& key, const std::function<void(ExperimentReader&)>& read);

    /**
     * Reads a list of maps.
     * \param key a key
     * \param read called for every item; its unknown keys are refused afterwards
     */
    void ReadMaps(const std::string& key, const std::function<void(ExperimentReader&)>& read);

    /**
     * \param key a key, known from now on
     * \returns its value, or nullptr
     */
    const ExperimentNode* Find(const std::string& key);

    /** \returns all values of the map, each of them known from now on */
    const std::vector<ExperimentNode>& All();

    /** Refuses keys that nobody asked for, with the nearest known one. */
    void Finish() const;

    /**
     * Refuses a value.
     * \param key the key of the value
     * \param reason e.g. "is not a rate"
     * \param allowed what would be right; may be empty
     */
    [[noreturn]] void RefuseValue(const std::string& key,
                                  const std::string& reason,
                                  const std::string& allowed) const;

    /**
     * Refuses the map as a whole.
     * \param sentence what is wrong with it
     */
    [[noreturn]] void RefuseMap(const std::string& sentence) const;

    /** \returns the line of the map */
    int Line() const;

    /**
     * \param key a key
     * \returns the line of its value, or of the map when the key is absent
     */
    int LineOf(const std::string& key) const;

    /** \returns the name of the file */
    const std::string& File() const;

    /**
     * \param key a key of this map
     * \returns the key from the root, e.g. "topology.link.rate"
     */
    std::string FullKey(const std::string& key) const;

  private:
    int64_t Integer(const std::string& key, int64_t value, int64_t lowest, int64_t highest);

    /** \returns the scalar under \p key, or nullptr when the key is absent */
    const ExperimentNode* Scalar(const std::string& key);

    const std::string& m_file;
    const ExperimentNode& m_map;
    std::string m_path;
    std::set<std::string> m_known;
};

} // namespace ns3::rdma::runner

#endif // RDMA_EXPERIMENT_READER_H

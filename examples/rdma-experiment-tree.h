/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of an experiment file as a tree that knows its lines. */

#ifndef RDMA_EXPERIMENT_TREE_H
#define RDMA_EXPERIMENT_TREE_H

#include <string>
#include <vector>

namespace ns3::rdma::runner
{

/**
 * One value of an experiment file: a scalar, a list or a map.
 *
 * The parser keeps its own tree rather than YAML::Node, because every error has to name a line,
 * duplicate keys have to be seen, and aliases have to be bounded before anything is expanded.
 */
struct ExperimentNode
{
    /** What the value is. */
    enum class Kind
    {
        NOTHING, //!< a key without a value
        SCALAR,  //!< text
        LIST,    //!< children in order
        MAP      //!< children with distinct keys, in file order
    };

    Kind kind{Kind::NOTHING}; //!< what the value is
    std::string key;          //!< the key in the enclosing map, else empty
    std::string text;         //!< the scalar's text
    int line{0};              //!< the line of the key, or of the value in a list, from 1
    std::vector<ExperimentNode> children; //!< the items of a list or the values of a map

    /**
     * \param name a key
     * \returns the child with that key, or nullptr
     */
    const ExperimentNode* Find(const std::string& name) const;
};

/** The bounds that keep a hostile file from taking the memory of the machine. */
struct ExperimentTreeLimits
{
    std::size_t bytes{4u << 20}; //!< largest file
    std::size_t nodes{200000};   //!< most values after aliases are expanded
    std::size_t depth{24};       //!< deepest nesting
};

/**
 * Reads an experiment file into a tree.
 *
 * A UTF-8 byte order mark at the start and CRLF line ends are accepted. Refused are: a directory,
 * an unreadable or empty file, control characters, text that is not UTF-8, two documents, duplicate
 * keys, keys that are not scalars, an alias inside the value that it names, and anything beyond the
 * limits.
 *
 * \param file the path, also used in messages
 * \param limits the bounds
 * \returns the root, always a map
 * \throws FabricInputError naming file and line
 */
ExperimentNode ReadExperimentTree(const std::string& file, const ExperimentTreeLimits& limits = {});

/**
 * Overlays one tree on another: maps merge key by key, everything else replaces.
 *
 * \param base the tree that is changed
 * \param overlay the values that win; each keeps its own line
 */
void OverlayExperimentTree(ExperimentNode& base, const ExperimentNode& overlay);

} // namespace ns3::rdma::runner

#endif // RDMA_EXPERIMENT_TREE_H

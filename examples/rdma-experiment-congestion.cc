/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-experiment-congestion.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-units.h"
#include "ns3/nstime.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-loss-recovery.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <stdexcept>

namespace ns3::rdma::runner
{

namespace
{

/** \return the text in lower case without hyphens: "min-rate" and "MinRate" become the same */
std::string
Fold(const std::string& text)
{
    std::string folded;
    for (const char c : text)
    {
        if (c != '-')
        {
            folded += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return folded;
}

/** \return "MinRate" as "min-rate" */
std::string
Hyphenate(const std::string& name)
{
    std::string word;
    for (std::size_t i = 0; i < name.size(); ++i)
    {
        const auto c = static_cast<unsigned char>(name[i]);
        const bool begins = std::isupper(c) && i > 0 &&
                            (std::islower(static_cast<unsigned char>(name[i - 1])) != 0);
        word += begins ? "-" : "";
        word += static_cast<char>(std::tolower(c));
    }
    return word;
}

/** \return the name of a class without the module's prefix */
std::string
ShortName(const std::string& name)
{
    const std::string prefix = "ns3::rdma::Rdma";
    return name.compare(0, prefix.size(), prefix) == 0 ? name.substr(prefix.size()) : name;
}

/** \return all classes of a base that can be created, by their folded short name */
std::map<std::string, TypeId>
KnownAlgorithms(TypeId parent)
{
    std::map<std::string, TypeId> known;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (!tid.IsChildOf(parent) || !tid.HasConstructor())
        {
            continue;
        }
        known[Fold(ShortName(tid.GetName()))] = tid;
    }
    const auto lineRate = known.find("nocongestion");
    if (lineRate != known.end())
    {
        known["none"] = lineRate->second;
    }
    return known;
}

std::string
Names(const std::map<std::string, TypeId>& known)
{
    std::string names;
    for (const auto& algorithm : known)
    {
        names += (names.empty() ? "" : ", ") + algorithm.first;
    }
    return names;
}

/** \return all attributes of a class, its own and inherited ones, by their folded name */
std::map<std::string, TypeId::AttributeInformation>
AttributesOf(TypeId tid)
{
    std::map<std::string, TypeId::AttributeInformation> attributes;
    for (; tid != Object::GetTypeId(); tid = tid.GetParent())
    {
        for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            attributes.emplace(Fold(tid.GetAttribute(i).name), tid.GetAttribute(i));
        }
    }
    return attributes;
}

/** \return the text as ns-3 writes it, e.g. without the blank of "40 Mb/s" */
std::string
ToAttributeText(ExperimentReader& reader, const std::string& key, const std::string& type)
{
    if (type == "TimeValue")
    {
        int64_t ps = 0;
        reader.ReadTime(key, ps, 0, FabricUnits::MAX_TIME_PS);
        return std::to_string(ps) + "ps";
    }
    if (type == "DataRateValue")
    {
        // A rate of 0 turns some parameters off, which no link's rate may be.
        std::string text;
        reader.ReadText(key, text);
        uint64_t rate = 0;
        if (text != "0")
        {
            reader.ReadRate(key, rate);
        }
        return std::to_string(rate) + "bps";
    }
    if (type == "UintegerValue")
    {
        uint64_t number = 0;
        reader.ReadBytes(key, number, 0, FabricUnits::MAX_SIZE);
        return std::to_string(number);
    }
    if (type == "DoubleValue")
    {
        double number = 0;
        reader.ReadNumber(key, number, -1e300, 1e300);
        char text[40];
        std::snprintf(text, sizeof(text), "%.17g", number);
        return text;
    }
    if (type == "BooleanValue")
    {
        bool on = false;
        reader.ReadSwitch(key, on);
        return on ? "true" : "false";
    }
    std::string text;
    reader.ReadText(key, text);
    return text;
}

void
ReadParameters(ExperimentReader& parameters, AlgorithmSpec& algorithm)
{
    const auto attributes = AttributesOf(TypeId::LookupByName(algorithm.typeId));
    // Asking for every spelling once makes all of them known for the suggestion of a near one.
    for (const auto& attribute : attributes)
    {
        parameters.Has(Hyphenate(attribute.second.name));
    }
    for (const auto& [folded, attribute] : attributes)
    {
        bool given = false;
        for (const std::string& spelling : {Hyphenate(attribute.name), attribute.name})
        {
            if (!parameters.Has(spelling))
            {
                continue;
            }
            if (given)
            {
                parameters.RefuseValue(spelling, "repeats " + Hyphenate(attribute.name), "");
            }
            given = true;
            // Some checkers name their value with the namespace, some without.
            std::string type = attribute.checker->GetValueTypeName();
            type.erase(0, type.find("ns3::") == 0 ? 5 : 0);
            const std::string text = ToAttributeText(parameters, spelling, type);
            const Ptr<AttributeValue> value =
                attribute.checker->CreateValidValue(StringValue(text));
            if (!value)
            {
                parameters.RefuseValue(spelling,
                                       "is out of range",
                                       attribute.checker->HasUnderlyingTypeInformation()
                                           ? attribute.checker->GetUnderlyingTypeInformation() +
                                                 " (" + attribute.help + ")"
                                           : attribute.help);
            }
            algorithm.attributes.emplace_back(attribute.name, value);
        }
    }
}

void
ChooseType(ExperimentReader& reader,
           const std::string& key,
           const std::string& type,
           const std::string& preset,
           AlgorithmSpec& algorithm)
{
    const auto known = KnownAlgorithms(RdmaCongestionOps::GetTypeId());
    const auto base = known.find(Fold(ShortName(type)));
    if (base == known.end())
    {
        reader.RefuseValue(key, "is not a congestion control", Names(known));
    }
    algorithm.name = type;
    algorithm.typeId = base->second.GetName();
    if (preset.empty() || preset == "paper")
    {
        return;
    }
    const auto variant = known.find(base->first + Fold(preset));
    if (variant == known.end())
    {
        std::string presets = "paper";
        for (const auto& other : known)
        {
            if (other.first != base->first &&
                other.first.compare(0, base->first.size(), base->first) == 0)
            {
                presets += ", " + other.first.substr(base->first.size());
            }
        }
        reader.RefuseValue("preset", "is not a preset of " + type, presets);
    }
    algorithm.name += "-" + preset;
    algorithm.typeId = variant->second.GetName();
}

} // namespace

void
ReadCongestion(ExperimentReader& reader, const std::string& key, AlgorithmSpec& congestion)
{
    const ExperimentNode* node = reader.Find(key);
    if (node == nullptr)
    {
        return;
    }
    congestion = AlgorithmSpec();
    if (node->kind != ExperimentNode::Kind::MAP)
    {
        std::string type;
        reader.ReadText(key, type);
        ChooseType(reader, key, type, "", congestion);
        return;
    }
    reader.ReadMap(key, [&](ExperimentReader& map) {
        map.Require({"type"});
        std::string type;
        std::string preset;
        map.ReadText("type", type);
        map.ReadText("preset", preset);
        ChooseType(map, "type", type, preset, congestion);
        map.ReadMap("parameters",
                    [&](ExperimentReader& parameters) { ReadParameters(parameters, congestion); });
    });
}

void
ReadRecovery(ExperimentReader& reader, const std::string& key, AlgorithmSpec& recovery)
{
    const ExperimentNode* node = reader.Find(key);
    if (node == nullptr)
    {
        return;
    }
    const auto choose = [&](ExperimentReader& map, const std::string& typeKey) {
        const auto known = KnownAlgorithms(RdmaLossRecovery::GetTypeId());
        std::string type;
        map.ReadText(typeKey, type);
        const auto chosen = known.find(Fold(ShortName(type)));
        if (chosen == known.end())
        {
            std::string names;
            for (const auto& [folded, tid] : known)
            {
                names += (names.empty() ? "" : ", ") + Hyphenate(ShortName(tid.GetName()));
            }
            map.RefuseValue(typeKey, "is not a loss recovery", names);
        }
        recovery.name = type;
        recovery.typeId = chosen->second.GetName();
        recovery.attributes.clear();
    };
    if (node->kind != ExperimentNode::Kind::MAP)
    {
        choose(reader, key);
        return;
    }
    reader.ReadMap(key, [&](ExperimentReader& map) {
        map.Require({"type"});
        choose(map, "type");
        map.ReadMap("parameters",
                    [&](ExperimentReader& parameters) { ReadParameters(parameters, recovery); });
    });
}

} // namespace ns3::rdma::runner

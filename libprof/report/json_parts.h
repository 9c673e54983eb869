// The pieces of the JSON report that repeat: distributions, phase maps, requests, iterations. Used by json.cc.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/options.h"

namespace slowtoken::report {

using Json = nlohmann::ordered_json;

// One line; a text that is no UTF-8 in spite of all is repaired, never an exception.
std::string Dump(const Json& value);

Json TextOrNull(const std::string& text);
Json DistributionJson(const v1::Distribution& distribution);

// The phases that can be told, by name.
template <size_t N>
Json PhasesJson(const google::protobuf::RepeatedField<uint64_t>& phases, uint32_t told, const char* const (&names)[N]) {
  Json out = Json::object();
  for (int i = 0; i < phases.size() && i < static_cast<int>(N); ++i) {
    if ((told >> i & 1) != 0) out[names[i]] = phases[i];
  }
  return out;
}

Json RequestJson(const v1::RequestReport& request, const Options& options);
Json IterationJson(const v1::Iteration& iteration);

}  // namespace slowtoken::report

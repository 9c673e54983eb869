// Short ways to register payload schemas and to write down what was decoded. For tests.
#pragma once

#include <string>
#include <vector>

#include "nvtx_fixture.h"

namespace slowtoken::nvtx {

inline uint64_t Register(nvtxDomainHandle_t domain, const char* name,
                         const std::vector<nvtxPayloadSchemaEntry_t>& entries, size_t size,
                         uint64_t type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, uint64_t id = 0) {
  nvtxPayloadSchemaAttr_t a{};
  a.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
  if (size != 0) a.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
  if (id != 0) a.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  a.name = name;
  a.type = type;
  a.entries = entries.data();
  a.numEntries = entries.size();
  a.payloadStaticSize = size;
  a.schemaId = id;
  return nvtxPayloadSchemaRegister(domain, &a);
}

inline nvtxPayloadSchemaEntry_t Entry(uint64_t type, const char* name, uint64_t offset = 0, uint64_t flags = 0,
                                      uint64_t detail = 0) {
  return {flags, type, name, nullptr, detail, offset, nullptr, nullptr};
}

inline std::string Describe(const std::vector<LoggedField>& fields) {
  std::string all;
  for (const LoggedField& f : fields) {
    all += f.name + "=";
    switch (f.type) {
      case record::PayloadType::kInt:
        all += std::to_string(f.as_int());
        break;
      case record::PayloadType::kUint:
        all += std::to_string(f.bits) + "u";
        break;
      case record::PayloadType::kDouble:
        all += std::to_string(f.as_double());
        break;
      case record::PayloadType::kText:
        all += "'" + f.text + "'";
        break;
      case record::PayloadType::kAddress:
        all += "@" + std::to_string(f.bits);
        break;
    }
    all += " ";
  }
  return all;
}

}  // namespace slowtoken::nvtx

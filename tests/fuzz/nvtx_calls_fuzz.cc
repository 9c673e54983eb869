// Fuzzes NVTX from the host's side: the input is a program of NVTX calls, made through the real headers: attributes of
// any content, domains, registered strings, schemas and enumerations, payloads with what they point to. Host half and
// worker half both run; the handlers only read what the call gave them.
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <array>

#include "nvtx/range_calls.h"
#include "nvtx_world.h"

namespace slowtoken::fuzz {
namespace {

constexpr size_t kDomains = 4, kSchemas = 8, kMostCalls = 200;

// The predefined types, and the program's own schemas.
constexpr uint64_t kTypes[] = {0,
                               NVTX_PAYLOAD_ENTRY_TYPE_CHAR,
                               NVTX_PAYLOAD_ENTRY_TYPE_UCHAR,
                               NVTX_PAYLOAD_ENTRY_TYPE_INT,
                               NVTX_PAYLOAD_ENTRY_TYPE_UINT16,
                               NVTX_PAYLOAD_ENTRY_TYPE_INT64,
                               NVTX_PAYLOAD_ENTRY_TYPE_UINT64,
                               NVTX_PAYLOAD_ENTRY_TYPE_FLOAT,
                               NVTX_PAYLOAD_ENTRY_TYPE_LONGDOUBLE,
                               NVTX_PAYLOAD_ENTRY_TYPE_ADDRESS,
                               NVTX_PAYLOAD_ENTRY_TYPE_WCHAR,
                               NVTX_PAYLOAD_ENTRY_TYPE_CHAR16,
                               NVTX_PAYLOAD_ENTRY_TYPE_FLOAT16,
                               NVTX_PAYLOAD_ENTRY_TYPE_BF16,
                               NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY,
                               NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB,
                               NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT32,
                               NVTX_PAYLOAD_ENTRY_TYPE_CSTRING,
                               NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8,
                               NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16,
                               NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32,
                               NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE};

class Program {
 public:
  explicit Program(FuzzInput& input) : in_(input) {}

  void Run() {
    for (size_t i = 0; i < kMostCalls && !in_.AtEnd(); ++i) Call();
    world_.Collect();
  }

 private:
  void Call() {
    switch (in_.Below(16)) {
      case 0:
        return MakeDomain();
      case 1:
        return RegisterSchema();
      case 2:
        return RegisterEnum();
      case 3:
        strings_[in_.Below(kDomains)] = in_.Below(2) != 0 ? nvtxDomainRegisterStringA(Domain(), in_.Text<char>())
                                                          : nvtxDomainRegisterStringW(Domain(), in_.Text<wchar_t>());
        return;
      case 4:
        return NameThings();
      case 5:
        nvtxDomainRangePop(Domain());
        return;
      case 6:
        return nvtxDomainRangeEnd(Domain(), range_);
      case 7:
        nvtxRangePushA(in_.Text<char>());
        return;
      case 8:
        return nvtxMarkW(in_.Text<wchar_t>());
      case 9:
        return world_.Collect();
      case 10:
      case 11:
        return AttributesCall(Domain());
      default:
        return PayloadCall(Domain());
    }
  }

  void AttributesCall(nvtxDomainHandle_t domain) {
    const size_t call = in_.Below(3);
    const nvtxEventAttributes_t* attributes = Attributes(domain);
    if (call == 0) nvtxDomainRangePushEx(domain, attributes);
    if (call == 1) range_ = nvtxDomainRangeStartEx(domain, attributes);
    if (call == 2) nvtxDomainMarkEx(domain, attributes);
  }

  void MakeDomain() {
    nvtxDomainHandle_t& domain = domains_[in_.Below(kDomains)];
    const size_t form = in_.Below(3);
    domain = form == 0   ? nvtxDomainCreateA("llmserve")
             : form == 1 ? nvtxDomainCreateA(in_.Text<char>())
                         : nvtxDomainCreateW(in_.Text<wchar_t>());
  }

  void NameThings() {
    if (in_.Below(2) != 0) return nvtxDomainNameCategoryA(Domain(), in_.Byte(), in_.Text<char>());
    nvtxNameOsThreadA(in_.Byte(), in_.Text<char>());
  }

  nvtxDomainHandle_t Domain() {
    const size_t i = in_.Below(kDomains + 1);
    return i < kDomains ? domains_[i] : reinterpret_cast<nvtxDomainHandle_t>(in_.Number<uintptr_t>());
  }

  uint64_t Type() {
    const size_t i = in_.Below(std::size(kTypes) + kSchemas + 1);
    if (i < std::size(kTypes)) return kTypes[i];
    return i < std::size(kTypes) + kSchemas ? schemas_[i - std::size(kTypes)] : in_.Number<uint64_t>();
  }

  const nvtxEventAttributes_t* Attributes(nvtxDomainHandle_t domain) {
    auto* a = reinterpret_cast<nvtxEventAttributes_t*>(in_.Block(sizeof(nvtxEventAttributes_t)));
    // What the header lets a host say in truth stays as the input has it; what is an address becomes one.
    switch (a->messageType) {
      case NVTX_MESSAGE_TYPE_ASCII:
        a->message.ascii = in_.Text<char>();
        break;
      case NVTX_MESSAGE_TYPE_UNICODE:
        a->message.unicode = in_.Text<wchar_t>();
        break;
      case NVTX_MESSAGE_TYPE_REGISTERED:
        if (in_.Below(4) != 0) a->message.registered = strings_[in_.Below(kDomains)];
        break;
      default:
        break;
    }
    if (a->payloadType == NVTX_PAYLOAD_TYPE_EXT) {
      a->reserved0 = static_cast<int32_t>(in_.Below(4)) - 1;
      const auto pieces = static_cast<size_t>(a->reserved0 > 0 ? a->reserved0 : 0);
      a->payload.ullValue = reinterpret_cast<uintptr_t>(Pieces(domain, pieces));
    }
    return a;
  }

  nvtxPayloadData_t* Pieces(nvtxDomainHandle_t domain, size_t count) {
    constexpr size_t kNoPayload = 255, kUnknownSize = 254;
    auto* pieces = reinterpret_cast<nvtxPayloadData_t*>(in_.Block(count * sizeof(nvtxPayloadData_t)));
    for (size_t i = 0; i < count; ++i) {
      pieces[i].schemaId = Type();
      const nvtx::Schema* schema = FindSchema(domain, pieces[i].schemaId);
      size_t size = in_.Byte();
      pieces[i].size = size == kUnknownSize ? SIZE_MAX : size;
      pieces[i].payload = nullptr;
      if (size == kNoPayload) continue;
      if (size == kUnknownSize && schema != nullptr) size = schema->static_size < 40000 ? schema->static_size : 0;
      const bool text = size == kUnknownSize && schema == nullptr;
      pieces[i].payload = text ? static_cast<const void*>(in_.Text<char32_t>()) : Payload(schema, size);
    }
    return pieces;
  }

  static const nvtx::Schema* FindSchema(nvtxDomainHandle_t domain, uint64_t id) {
    return nvtx::g_recorder.load()->names->schemas.Find(nvtx::DomainOf(domain), id);
  }

  // Pointers stand where the registered schema says so, or nowhere: a host that lies about its addresses brings itself
  // down.
  const void* Payload(const nvtx::Schema* schema, size_t size) {
    uint8_t* bytes = in_.Block(size);
    if (schema == nullptr || schema->pointer_count == 0) return bytes;
    const std::span<const nvtx::PointerField> fields(schema->pointers.data(), schema->pointer_count);
    if (Overlap(fields)) {
      memset(bytes, 0, size);
      return bytes;
    }
    for (const nvtx::PointerField& field : fields) SetPointer(field, bytes, size);
    return bytes;
  }

  static bool Overlap(std::span<const nvtx::PointerField> fields) {
    for (size_t i = 0; i < fields.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const int64_t distance = int64_t{fields[i].offset} - int64_t{fields[j].offset};
        if (distance > -8 && distance < 8) return true;
      }
    }
    return false;
  }

  void SetPointer(const nvtx::PointerField& field, uint8_t* bytes, size_t size) {
    if (size < sizeof(void*) || field.offset > size - sizeof(void*)) return;
    const void* target = field.bytes != 0 ? static_cast<const void*>(in_.Block(field.bytes)) : in_.Text<char>();
    memcpy(bytes + field.offset, &target, sizeof target);
  }

  void RegisterSchema() {
    const size_t count = 1 + in_.Below(6);
    auto* entries = reinterpret_cast<nvtxPayloadSchemaEntry_t*>(in_.Block(count * sizeof(nvtxPayloadSchemaEntry_t)));
    for (size_t i = 0; i < count; ++i) {
      entries[i] = {};
      entries[i].flags = in_.Number<uint16_t>();
      entries[i].type = Type();
      entries[i].arrayOrUnionDetail = in_.Byte() == 255 ? in_.Number<uint64_t>() : in_.Byte();
      entries[i].offset = in_.Byte() == 255 ? in_.Number<uint64_t>() : in_.Byte();
      entries[i].name = in_.Below(8) == 0 ? nullptr : in_.Text<char>();
    }
    nvtxPayloadSchemaAttr_t a{};
    a.fieldMask = in_.Number<uint16_t>() | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES;
    a.name = in_.Text<char>();
    a.type = in_.Below(6);
    a.entries = entries;
    a.numEntries = count;
    a.payloadStaticSize = in_.Byte() == 255 ? in_.Number<uint64_t>() : in_.Byte();
    a.packAlign = in_.Byte();
    a.schemaId = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + in_.Byte();
    schemas_[in_.Below(kSchemas)] = nvtxPayloadSchemaRegister(Domain(), &a);
  }

  void RegisterEnum() {
    const size_t count = 1 + in_.Below(4);
    auto* entries = reinterpret_cast<nvtxPayloadEnum_t*>(in_.Block(count * sizeof(nvtxPayloadEnum_t)));
    for (size_t i = 0; i < count; ++i) {
      entries[i] = {};
      entries[i].name = in_.Below(8) == 0 ? nullptr : in_.Text<char>();
      entries[i].value = in_.Byte();
    }
    nvtxPayloadEnumAttr_t a{};
    a.fieldMask = in_.Number<uint16_t>() | NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES;
    a.name = in_.Text<char>();
    a.entries = entries;
    a.numEntries = count;
    a.sizeOfEnum = in_.Byte();
    a.schemaId = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + in_.Byte();
    schemas_[in_.Below(kSchemas)] = nvtxPayloadEnumRegister(Domain(), &a);
  }

  void PayloadCall(nvtxDomainHandle_t domain) {
    const size_t call = in_.Below(5);
    const size_t count = in_.Below(4);
    nvtxPayloadData_t* pieces = Pieces(domain, count);
    if (call == 0) nvtxMarkPayload(domain, pieces, count);
    if (call == 1) nvtxRangePushPayload(domain, pieces, count);
    if (call == 2) nvtxRangePopPayload(domain, pieces, count);
    if (call == 3) range_ = nvtxRangeStartPayload(domain, pieces, count);
    if (call == 4) nvtxRangeEndPayload(domain, range_, pieces, count);
  }

  FuzzInput& in_;
  NvtxWorld world_;
  std::array<nvtxDomainHandle_t, kDomains> domains_{};
  std::array<nvtxStringHandle_t, kDomains> strings_{};
  std::array<uint64_t, kSchemas> schemas_{};
  nvtxRangeId_t range_ = 0;
};

}  // namespace
}  // namespace slowtoken::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  slowtoken::fuzz::FuzzInput input(data, size);
  slowtoken::fuzz::Program(input).Run();
  return 0;
}

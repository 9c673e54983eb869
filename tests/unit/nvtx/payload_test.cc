// NVTX's payload extension through the real header: schemas, enumerations, all forms of events, llmserve payloads.
#include <thread>

#include "payload_fixture.h"

namespace slowtoken::nvtx {
namespace {

using base::Loss;
using record::PayloadType;

class NvtxPayload : public NvtxTest {
 protected:
  // Marks with one payload and returns what was decoded.
  std::string Decoded(uint64_t schema, const void* data, size_t size) {
    nvtxEventAttributes_t a = Attributes("event");
    nvtxPayloadData_t payload{schema, size, data};
    a.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    a.reserved0 = 1;
    a.payload.ullValue = NVTX_POINTER_AS_PAYLOAD_ULLVALUE(&payload);
    nvtxDomainMarkEx(domain_, &a);
    const EventLog& log = Collect();
    EXPECT_FALSE(log.marks.empty());
    return log.marks.empty() ? std::string() : Describe(log.marks.back().fields);
  }

  nvtxDomainHandle_t domain_ = nvtxDomainCreateA("payload");
};

TEST_F(NvtxPayload, EveryScalarType) {
  struct Data {
    char c;
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f;
    double d;
    long double ld;
    size_t size;
    void* address;
    short s;
    unsigned short us;
    int i;
    unsigned ui;
    long l;
    unsigned long ul;
    long long ll;
    unsigned long long ull;
    unsigned char byte;
    uint16_t half;
    uint16_t brain;
    uint64_t tid;
  };
  const Data data{'c',         -8,         200,    -300,   60000, -70000, 4000000000u,
                  -5000000000, UINT64_MAX, 0.5f,   -0.25,  1.5L,  77,     reinterpret_cast<void*>(uintptr_t{4096}),
                  -1,          65535,      -2,     3,      -4,    5,      -6,
                  7,           255,        0x3e00, 0x3fc0, 12};
#define FIELD(type, member) Entry(NVTX_PAYLOAD_ENTRY_TYPE_##type, #member, offsetof(Data, member))
  const uint64_t schema = Register(
      domain_, "scalars",
      {FIELD(CHAR, c),        FIELD(INT8, i8),       FIELD(UINT8, u8),  FIELD(INT16, i16),       FIELD(UINT16, u16),
       FIELD(INT32, i32),     FIELD(UINT32, u32),    FIELD(INT64, i64), FIELD(UINT64, u64),      FIELD(FLOAT, f),
       FIELD(DOUBLE, d),      FIELD(LONGDOUBLE, ld), FIELD(SIZE, size), FIELD(ADDRESS, address), FIELD(SHORT, s),
       FIELD(USHORT, us),     FIELD(INT, i),         FIELD(UINT, ui),   FIELD(LONG, l),          FIELD(ULONG, ul),
       FIELD(LONGLONG, ll),   FIELD(ULONGLONG, ull), FIELD(BYTE, byte), FIELD(FLOAT16, half),    FIELD(BF16, brain),
       FIELD(TID_UINT64, tid)},
      sizeof(Data));
#undef FIELD
  EXPECT_GE(schema, NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START);
  EXPECT_EQ(Decoded(schema, &data, sizeof data),
            "c='c' i8=-8 u8=200u i16=-300 u16=60000u i32=-70000 u32=4000000000u i64=-5000000000 "
            "u64=18446744073709551615u f=0.500000 d=-0.250000 ld=1.500000 size=77u address=@4096 s=-1 us=65535u i=-2 "
            "ui=3u l=-4 ul=5u ll=-6 ull=7u byte=255u half=1.500000 brain=1.500000 tid=12u ");
  EXPECT_EQ(Lost(Loss::kPayloadUndecoded), 0u);
}

TEST_F(NvtxPayload, OffsetsFollowFromAlignmentWhereNoneAreGiven) {
  struct Data {
    uint8_t a = 1;
    uint32_t b = 2;
    uint8_t c = 3;
    uint64_t d = 4;
    uint16_t e = 5;
  } data;
  const uint64_t schema =
      Register(domain_, "aligned",
               {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "a"), Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "b"),
                Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "c"), Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "d"),
                Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT16, "e")},
               0);
  EXPECT_EQ(Decoded(schema, &data, sizeof data), "a=1u b=2u c=3u d=4u e=5u ");
  EXPECT_EQ(Decoded(schema, &data, SIZE_MAX), "a=1u b=2u c=3u d=4u e=5u ") << "the schema tells the size";
  const uint8_t packed[] = {1, 2, 0, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 0, 5, 0};
  nvtxPayloadSchemaEntry_t entries[] = {
      Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "a"), Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "b"),
      Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "c"), Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "d"),
      Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT16, "e")};
  nvtxPayloadSchemaAttr_t a{};
  a.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT;
  a.entries = entries;
  a.numEntries = std::size(entries);
  a.packAlign = 1;
  EXPECT_EQ(Decoded(nvtxPayloadSchemaRegister(domain_, &a), packed, sizeof packed), "a=1u b=2u c=3u d=4u e=5u ");
}

TEST_F(NvtxPayload, TextsOfEveryKind) {
  struct Data {
    const char* pointer;
    char fixed[8];
    nvtxStringHandle_t registered;
    char16_t wide16[4];
    char32_t wide32[4];
    const char* null;
    char chars[4];
  };
  const Data data{"pointed to",           {'f', 'i', 'x', 'e', 'd'},   nvtxDomainRegisterStringA(domain_, "registered"),
                  {0xd83d, 0xde00, u'x'}, {U'\u00e9', 0x110000, U'z'}, nullptr,
                  {'a', 'b', 'c', 'd'}};
  const uint64_t schema =
      Register(domain_, "texts",
               {Entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "pointer", offsetof(Data, pointer)),
                Entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "fixed", offsetof(Data, fixed), 0, 8),
                Entry(NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE, "registered", offsetof(Data, registered)),
                Entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16, "wide16", offsetof(Data, wide16), 0, 4),
                Entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32, "wide32", offsetof(Data, wide32), 0, 4),
                Entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "null", offsetof(Data, null)),
                Entry(NVTX_PAYLOAD_ENTRY_TYPE_CHAR, "chars", offsetof(Data, chars),
                      NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, 4)},
               sizeof(Data));
  EXPECT_EQ(Decoded(schema, &data, sizeof data),
            "pointer='pointed to' fixed='fixed' registered='registered' wide16='\U0001F600x' "
            "wide32='\u00e9\uFFFDz' null=@0 chars='abcd' ");
}

TEST_F(NvtxPayload, PointersAreCopiedOnTheHostThread) {
  struct Data {
    const char* text;
    const int32_t* numbers;
    const void* opaque;
  };
  auto text = std::make_unique<std::string>("gone before the worker looks");
  auto numbers = std::make_unique<std::array<int32_t, 3>>(std::array<int32_t, 3>{7, -8, 9});
  const Data data{text->c_str(), numbers->data(), reinterpret_cast<const void*>(uintptr_t{16})};
  const uint64_t schema = Register(
      domain_, "pointers",
      {Entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text", offsetof(Data, text)),
       Entry(NVTX_PAYLOAD_ENTRY_TYPE_INT32, "numbers", offsetof(Data, numbers),
             NVTX_PAYLOAD_ENTRY_FLAG_POINTER | NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY |
                 NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE,
             3),
       Entry(NVTX_PAYLOAD_ENTRY_TYPE_INT32, "opaque", offsetof(Data, opaque), NVTX_PAYLOAD_ENTRY_FLAG_POINTER)},
      sizeof(Data));
  nvtxPayloadData_t payload{schema, sizeof data, &data};
  nvtxMarkPayload(domain_, &payload, 1);
  text.reset();
  numbers.reset();
  const EventLog& log = Collect();
  ASSERT_EQ(log.marks.size(), 1u);
  EXPECT_EQ(Describe(log.marks[0].fields),
            "text='gone before the worker looks' numbers=7 numbers=-8 numbers=9 opaque=@16 ");
}

TEST_F(NvtxPayload, ArraysNestedSchemasAndEnumerations) {
  struct Inner {
    uint16_t x;
    int32_t y[2];
  };
  struct Data {
    Inner one;
    Inner two[2];
    int32_t op;
    int32_t other_op;
  };
  const nvtxPayloadEnum_t values[] = {{"Sum", 0, 0}, {"Max", 3, 0}};
  nvtxPayloadEnumAttr_t e{};
  e.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES |
                NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE;
  e.entries = values;
  e.numEntries = 2;
  e.sizeOfEnum = 4;
  const uint64_t op = nvtxPayloadEnumRegister(domain_, &e);
  const uint64_t inner = Register(
      domain_, "inner",
      {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT16, "x", offsetof(Inner, x)),
       Entry(NVTX_PAYLOAD_ENTRY_TYPE_INT32, "y", offsetof(Inner, y), NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, 2)},
      sizeof(Inner));
  const uint64_t schema =
      Register(domain_, "outer",
               {Entry(inner, "one", offsetof(Data, one)),
                Entry(inner, "two", offsetof(Data, two), NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, 2),
                Entry(op, "op", offsetof(Data, op)), Entry(op, "other_op", offsetof(Data, other_op))},
               sizeof(Data));
  const Data data{{1, {-1, -2}}, {{2, {3, 4}}, {5, {6, 7}}}, 3, 2};
  EXPECT_EQ(Decoded(schema, &data, sizeof data),
            "one.x=1u one.y=-1 one.y=-2 two.x=2u two.y=3 two.y=4 two.x=5u two.y=6 two.y=7 op='Max' other_op=2u ");
}

TEST_F(NvtxPayload, DynamicLayouts) {
  // {uint32 count; uint64 values[count]; char text[] up to zero; uint16 last}
  const uint64_t schema =
      Register(domain_, "dynamic",
               {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "count"),
                Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "values", 0, NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX, 0),
                Entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text", 0, NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED),
                Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT16, "last")},
               0, NVTX_PAYLOAD_SCHEMA_TYPE_DYNAMIC);
  alignas(8) unsigned char bytes[32] = {2, 0, 0, 0, 0, 0, 0, 0, 11};
  bytes[16] = 22;
  memcpy(bytes + 24, "abc", 4);
  bytes[28] = 9;
  EXPECT_EQ(Decoded(schema, bytes, sizeof bytes), "count=2u values=11u values=22u text='abc' last=9u ");
}

TEST_F(NvtxPayload, PredefinedTypesNeedNoSchema) {
  const int32_t number = -12;
  EXPECT_EQ(Decoded(NVTX_PAYLOAD_ENTRY_TYPE_INT32, &number, sizeof number), "=-12 ");
  EXPECT_EQ(Decoded(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "as text", SIZE_MAX), "='as text' ");
  EXPECT_EQ(Decoded(NVTX_TYPE_PAYLOAD_SCHEMA_RAW, &number, sizeof number), "");
  EXPECT_EQ(Lost(Loss::kPayloadUndecoded), 0u);
}

TEST_F(NvtxPayload, WhatCannotBeDecodedIsCounted) {
  const uint64_t one = 1;
  const uint64_t two = Register(
      domain_, "two", {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "a"), Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "b", 8)}, 16);
  EXPECT_EQ(Decoded(two, &one, sizeof one), "a=1u ") << "the bytes end early: what is there is kept";
  EXPECT_EQ(Lost(Loss::kPayloadUndecoded), 1u);
  EXPECT_EQ(Decoded(NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 999, &one, sizeof one), "") << "never registered";
  EXPECT_EQ(Decoded(NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START + 400, &one, sizeof one), "");
  EXPECT_EQ(Decoded(0, &one, sizeof one), "");
  EXPECT_EQ(Decoded(two, nullptr, 16), "");
  EXPECT_EQ(Decoded(NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 999, &one, SIZE_MAX), "") << "size unknown";
  EXPECT_EQ(Lost(Loss::kPayloadUndecoded), 6u);
  const std::vector<char> large(100000, 'x');
  EXPECT_EQ(Decoded(two, large.data(), large.size()), "") << "larger than what we copy";
  EXPECT_EQ(Lost(Loss::kPayloadUndecoded), 7u);
}

TEST_F(NvtxPayload, MalformedRegistrationsAreRefused) {
  EXPECT_EQ(nvtxPayloadSchemaRegister(domain_, nullptr), 0u);
  EXPECT_EQ(nvtxPayloadEnumRegister(domain_, nullptr), 0u);
  nvtxPayloadSchemaAttr_t none{};
  EXPECT_EQ(nvtxPayloadSchemaRegister(domain_, &none), 0u);
  none.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES;
  none.numEntries = 5;
  EXPECT_EQ(nvtxPayloadSchemaRegister(domain_, &none), 0u);
  nvtxPayloadEnumAttr_t empty{};
  EXPECT_EQ(nvtxPayloadEnumRegister(domain_, &empty), 0u);
  EXPECT_EQ(Lost(Loss::kNamesFull), 3u);
}

TEST_F(NvtxPayload, PopAndEndPayloadsExtendTheRange) {
  const uint64_t at_push = Register(domain_, "at push", {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "before")}, 8);
  const uint64_t at_pop =
      Register(domain_, "at pop",
               {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "after"),
                Entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "m", 8, NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE)},
               16);
  const uint64_t before = 1;
  const struct {
    uint64_t after;
    const char* message;
  } after{2, "message at pop"}, unnamed{3, nullptr};
  nvtxPayloadData_t push{at_push, sizeof before, &before}, pop{at_pop, sizeof after, &after};
  nvtxPayloadData_t end{at_pop, sizeof unnamed, &unnamed};
  EXPECT_EQ(nvtxRangePushPayload(domain_, &push, 1), 0);
  EXPECT_EQ(nvtxRangePopPayload(domain_, &pop, 1), 0);
  const nvtxRangeId_t id = nvtxRangeStartPayload(domain_, &push, 1);
  std::thread([&] { nvtxRangeEndPayload(domain_, id, &end, 1); }).join();
  EXPECT_EQ(nvtxRangePopPayload(domain_, &pop, 1), -1) << "a pop without push";
  const EventLog& log = Collect();
  ASSERT_EQ(log.RangeMessages(), (std::vector<std::string>{"message at pop", "at push"}));
  EXPECT_EQ(Describe(log.ranges[0].fields), "before=1u after=2u ");
  EXPECT_EQ(Describe(log.ranges[1].fields), "before=1u after=3u m=@0 ");
}

TEST_F(NvtxPayload, EntriesMayCarryCategoryAndColor) {
  struct Data {
    uint32_t category = 5, color = 0xff00ff00;
    uint32_t value = 1;
  } data;
  const uint64_t schema =
      Register(domain_, "painted",
               {Entry(NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY, "c"), Entry(NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB, "p"),
                Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "v")},
               sizeof data);
  nvtxPayloadData_t payload{schema, sizeof data, &data};
  nvtxMarkPayload(domain_, &payload, 1);
  const EventLog& log = Collect();
  ASSERT_EQ(log.marks.size(), 1u);
  EXPECT_EQ(log.marks[0].event.category, 5u);
  EXPECT_EQ(log.marks[0].event.color, 0xff00ff00u);
  EXPECT_EQ(Describe(log.marks[0].fields), "v=1u ");
}

// As NCCL does it: an id chosen by the host, entries by offset, the payload at the push, the communicator at the pop.
TEST_F(NvtxPayload, SchemasOfTheKindNcclRegisters) {
  struct AllReduce {
    uint64_t comm;
    size_t bytes;
    int op;
  };
  const nvtxDomainHandle_t nccl = nvtxDomainCreateA("payload.nccl");
  const uint64_t id = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 5;
  EXPECT_EQ(Register(nccl, "AllReduce",
                     {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "NCCL communicator ID", offsetof(AllReduce, comm)),
                      Entry(NVTX_PAYLOAD_ENTRY_TYPE_SIZE, "Message size [bytes]", offsetof(AllReduce, bytes)),
                      Entry(NVTX_PAYLOAD_ENTRY_TYPE_INT, "Reduction operation", offsetof(AllReduce, op))},
                     sizeof(AllReduce), NVTX_PAYLOAD_SCHEMA_TYPE_STATIC, id),
            id);
  const AllReduce data{0xabcdef, 1 << 20, 2};
  nvtxEventAttributes_t a = Attributes("ncclAllReduce");
  NVTX_PAYLOAD_EVTATTR_SET(&a, id, &data, sizeof data);
  EXPECT_EQ(nvtxDomainRangePushEx(nccl, &a), 0);
  EXPECT_EQ(nvtxDomainRangePop(nccl), 0);
  const EventLog& log = Collect();
  ASSERT_EQ(log.RangeMessages(), (std::vector<std::string>{"ncclAllReduce"}));
  EXPECT_EQ(Describe(log.ranges[0].fields),
            "NCCL communicator ID=11259375u Message size [bytes]=1048576u Reduction operation=2 ");
  EXPECT_EQ(Decoded(id, &data, sizeof data), "") << "the id is unique within its domain only";
}

}  // namespace
}  // namespace slowtoken::nvtx

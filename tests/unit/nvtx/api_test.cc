// Every function of NVTX's core, called through the real header, gives exactly the event it should.
#include <unistd.h>

#include <thread>

#include "nvtx_fixture.h"

namespace slowtoken::nvtx {
namespace {

class NvtxApi : public NvtxTest {};

TEST_F(NvtxApi, PushPopInTheDefaultDomain) {
  const base::TimeNs before = base::MonotonicNow();
  EXPECT_EQ(nvtxRangePushA("outer"), 0);
  EXPECT_EQ(nvtxRangePushW(L"inn\u00e9r"), 1);
  EXPECT_EQ(nvtxRangePop(), 1);
  EXPECT_EQ(nvtxRangePop(), 0);
  const base::TimeNs after = base::MonotonicNow();
  const EventLog& log = Collect();
  ASSERT_EQ(log.RangeMessages(), (std::vector<std::string>{"inn\u00e9r", "outer"}));
  const record::NvtxRange& inner = log.ranges[0].event;
  const record::NvtxRange& outer = log.ranges[1].event;
  EXPECT_LE(outer.start, inner.start);
  EXPECT_LE(inner.start, inner.end);
  EXPECT_LE(inner.end, outer.end);
  constexpr base::TimeNs kClockError = 20'000;
  EXPECT_GE(outer.start + kClockError, before);
  EXPECT_LE(outer.end, after + kClockError);
  EXPECT_EQ(outer.thread, static_cast<record::ThreadId>(gettid()));
  EXPECT_EQ(outer.end_thread, outer.thread);
  EXPECT_EQ(outer.domain, 0u);
  EXPECT_EQ(outer.range_id, 0u);
}

TEST_F(NvtxApi, PushExKeepsCategoryAndColor) {
  nvtxEventAttributes_t a = Attributes("painted");
  a.category = 7;
  a.colorType = NVTX_COLOR_ARGB;
  a.color = 0xff102030;
  EXPECT_EQ(nvtxRangePushEx(&a), 0);
  EXPECT_EQ(nvtxRangePop(), 0);
  const EventLog& log = Collect();
  ASSERT_EQ(log.ranges.size(), 1u);
  EXPECT_EQ(log.ranges[0].message, "painted");
  EXPECT_EQ(log.ranges[0].event.category, 7u);
  EXPECT_EQ(log.ranges[0].event.color, 0xff102030u);
}

TEST_F(NvtxApi, DomainsHaveTheirOwnStacksAndNames) {
  const nvtxDomainHandle_t one = nvtxDomainCreateA("api.one");
  const nvtxDomainHandle_t two = nvtxDomainCreateW(L"api.two");
  EXPECT_NE(one, two);
  EXPECT_EQ(nvtxDomainCreateA("api.one"), one) << "another module asks for the same domain";
  const nvtxEventAttributes_t a = Attributes("a"), b = Attributes("b");
  EXPECT_EQ(nvtxDomainRangePushEx(one, &a), 0);
  EXPECT_EQ(nvtxDomainRangePushEx(two, &b), 0);
  EXPECT_EQ(nvtxDomainRangePushEx(one, &b), 1);
  EXPECT_EQ(nvtxDomainRangePop(two), 0);
  EXPECT_EQ(nvtxDomainRangePop(one), 1);
  EXPECT_EQ(nvtxDomainRangePop(one), 0);
  nvtxDomainDestroy(two);
  const EventLog& log = Collect();
  ASSERT_EQ(log.RangeMessages(), (std::vector<std::string>{"b", "b", "a"}));
  EXPECT_EQ(log.ranges[0].event.domain, log.domains.at("api.two"));
  EXPECT_EQ(log.ranges[1].event.domain, log.domains.at("api.one"));
  EXPECT_EQ(log.ranges[2].event.domain, log.domains.at("api.one"));
}

TEST_F(NvtxApi, StartEndMayOverlap) {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("api.se");
  const nvtxEventAttributes_t in_domain = Attributes("in domain");
  nvtxEventAttributes_t ex = Attributes("ex");
  const nvtxRangeId_t a = nvtxRangeStartA("ascii");
  const nvtxRangeId_t w = nvtxRangeStartW(L"wide");
  const nvtxRangeId_t e = nvtxRangeStartEx(&ex);
  const nvtxRangeId_t d = nvtxDomainRangeStartEx(domain, &in_domain);
  EXPECT_NE(a, 0u);
  EXPECT_EQ((std::map<nvtxRangeId_t, int>{{a, 0}, {w, 0}, {e, 0}, {d, 0}}.size()), 4u) << "ids are unique";
  nvtxRangeEnd(a);
  nvtxRangeEnd(e);
  nvtxDomainRangeEnd(domain, d);
  nvtxRangeEnd(w);
  const EventLog& log = Collect();
  ASSERT_EQ(log.RangeMessages(), (std::vector<std::string>{"ascii", "ex", "in domain", "wide"}));
  EXPECT_EQ(log.ranges[0].event.range_id, a);
  EXPECT_EQ(log.ranges[2].event.domain, log.domains.at("api.se"));
  EXPECT_GE(log.ranges[3].event.end, log.ranges[0].event.end);
}

TEST_F(NvtxApi, Marks) {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("api.marks");
  const nvtxEventAttributes_t ex = Attributes("ex"), in_domain = Attributes("in domain");
  nvtxMarkA("ascii");
  nvtxMarkW(L"wide");
  nvtxMarkEx(&ex);
  nvtxDomainMarkEx(domain, &in_domain);
  const EventLog& log = Collect();
  ASSERT_EQ(log.MarkMessages(), (std::vector<std::string>{"ascii", "wide", "ex", "in domain"}));
  EXPECT_EQ(log.marks[3].event.domain, log.domains.at("api.marks"));
  EXPECT_LE(log.marks[0].event.time, log.marks[3].event.time);
  EXPECT_EQ(log.marks[0].event.thread, static_cast<record::ThreadId>(gettid()));
}

TEST_F(NvtxApi, RegisteredStrings) {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("api.strings");
  const nvtxStringHandle_t a = nvtxDomainRegisterStringA(domain, "registered");
  const nvtxStringHandle_t w = nvtxDomainRegisterStringW(domain, L"r\u00e9gistered");
  EXPECT_EQ(nvtxDomainRegisterStringA(domain, "registered"), a) << "the same text is kept once";
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  for (const nvtxStringHandle_t handle : {a, w, a}) {
    event.message.registered = handle;
    nvtxDomainMarkEx(domain, &event);
  }
  EXPECT_EQ(Collect().MarkMessages(), (std::vector<std::string>{"registered", "r\u00e9gistered", "registered"}));
}

TEST_F(NvtxApi, WideStringsWithoutMeaningBecomeReplacementCharacters) {
  const wchar_t text[] = {L'a',
                          static_cast<wchar_t>(0xd800),
                          static_cast<wchar_t>(0x110000),
                          static_cast<wchar_t>(0xffffffffu),
                          static_cast<wchar_t>(0x1f600),
                          0};
  nvtxMarkW(text);
  EXPECT_EQ(Collect().MarkMessages(), (std::vector<std::string>{"a\uFFFD\uFFFD\uFFFD\U0001F600"}));
}

TEST_F(NvtxApi, BugLog106_InvalidBytesAreKeptAsTheyAre) {
  const std::string hostile = "q\"b\\c\x01\x1f\xff\xc3(\xed\xa0\x80 \xe2\x80\xa8 end";
  nvtxMarkA(hostile.c_str());
  nvtxMarkA("");
  nvtxMarkA(nullptr);
  nvtxMarkW(nullptr);
  EXPECT_EQ(Collect().MarkMessages(), (std::vector<std::string>{hostile, "", "", ""}));
}

TEST_F(NvtxApi, LongTextIsCutAndCounted) {
  const std::string megabyte(1u << 20, 'x');
  nvtxMarkA(megabyte.c_str());
  nvtxMarkA(std::string(5000, 'y').c_str());
  nvtxMarkW(std::wstring(5000, L'z').c_str());
  EXPECT_EQ(Collect().MarkMessages(),
            (std::vector<std::string>{std::string(1024, 'x'), std::string(1024, 'y'), std::string(256, 'z')}));
  EXPECT_EQ(Lost(base::Loss::kNvtxTextTruncated), 3u);
}

TEST_F(NvtxApi, CategoriesAreNamedPerDomain) {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("api.categories");
  nvtxNameCategoryA(3, "io");
  nvtxNameCategoryW(4, L"net");
  nvtxDomainNameCategoryA(domain, 3, "disk");
  nvtxDomainNameCategoryW(domain, 4, L"wire");
  const EventLog& log = Collect();
  const record::DomainId id = log.domains.at("api.categories");
  EXPECT_EQ(log.categories.at({0, 3}), "io");
  EXPECT_EQ(log.categories.at({0, 4}), "net");
  EXPECT_EQ(log.categories.at({id, 3}), "disk");
  EXPECT_EQ(log.categories.at({id, 4}), "wire");
}

TEST_F(NvtxApi, ThreadsAreNamedByTheKernelThenByNvtx) {
  const auto me = static_cast<uint32_t>(gettid());
  nvtxMarkA("first");
  ASSERT_EQ(Collect().threads.size(), 1u);
  EXPECT_EQ(log_->threads[0].first, me);
  EXPECT_EQ(log_->threads[0].second.substr(0, 9), "nvtx_test");
  nvtxNameOsThreadA(me, "scheduler");
  nvtxNameOsThreadW(me + 100000, L"l\u00e4ter");
  const auto& threads = Collect().threads;
  ASSERT_EQ(threads.size(), 3u);
  EXPECT_EQ(threads[1], (std::pair<record::ThreadId, std::string>{me, "scheduler"}));
  EXPECT_EQ(threads[2], (std::pair<record::ThreadId, std::string>{me + 100000, "l\u00e4ter"}));
}

TEST_F(NvtxApi, ResourcesGetHandlesAndNameThreads) {
  nvtxResourceAttributes_t a{};
  a.version = NVTX_VERSION;
  a.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
  a.identifierType = NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE;
  a.identifier.ullValue = 4242;
  a.messageType = NVTX_MESSAGE_TYPE_ASCII;
  a.message.ascii = "by resource";
  const nvtxResourceHandle_t thread = nvtxDomainResourceCreate(nullptr, &a);
  EXPECT_NE(thread, nullptr);
  int mutex = 0;
  a.identifierType = NVTX_RESOURCE_TYPE_GENERIC_POINTER;
  a.identifier.pValue = &mutex;
  EXPECT_NE(nvtxDomainResourceCreate(nullptr, &a), nullptr);
  EXPECT_EQ(nvtxDomainResourceCreate(nullptr, nullptr), nullptr);
  nvtxDomainResourceDestroy(thread);
  const auto& threads = Collect().threads;
  ASSERT_EQ(threads.size(), 2u) << "this thread, and the named one";
  EXPECT_EQ(threads[1], (std::pair<record::ThreadId, std::string>{4242, "by resource"}));
}

TEST_F(NvtxApi, PlainPayloadsOfEveryType) {
  const auto mark = [](int32_t type, auto set) {
    nvtxEventAttributes_t a = Attributes("p");
    a.payloadType = type;
    a.payload.ullValue = 0xffffffffffffffffu;  // what the value does not cover must not leak in
    set(a.payload);
    nvtxMarkEx(&a);
  };
  using Payload = decltype(nvtxEventAttributes_t::payload);
  mark(NVTX_PAYLOAD_TYPE_UNSIGNED_INT64, [](Payload& p) { p.ullValue = 0x8000000000000001u; });
  mark(NVTX_PAYLOAD_TYPE_INT64, [](Payload& p) { p.llValue = -5; });
  mark(NVTX_PAYLOAD_TYPE_DOUBLE, [](Payload& p) { p.dValue = -2.5; });
  mark(NVTX_PAYLOAD_TYPE_UNSIGNED_INT32, [](Payload& p) { p.uiValue = 0x80000001u; });
  mark(NVTX_PAYLOAD_TYPE_INT32, [](Payload& p) { p.iValue = -7; });
  mark(NVTX_PAYLOAD_TYPE_FLOAT, [](Payload& p) { p.fValue = 0.25f; });
  const EventLog& log = Collect();
  ASSERT_EQ(log.marks.size(), 6u);
  for (const LoggedMark& m : log.marks) {
    ASSERT_EQ(m.fields.size(), 1u);
    EXPECT_EQ(m.fields[0].name, "");
  }
  EXPECT_EQ(log.marks[0].fields[0].type, record::PayloadType::kUint);
  EXPECT_EQ(log.marks[0].fields[0].bits, 0x8000000000000001u);
  EXPECT_EQ(log.marks[1].fields[0].type, record::PayloadType::kInt);
  EXPECT_EQ(log.marks[1].fields[0].as_int(), -5);
  EXPECT_EQ(log.marks[2].fields[0].as_double(), -2.5);
  EXPECT_EQ(log.marks[3].fields[0].bits, 0x80000001u);
  EXPECT_EQ(log.marks[4].fields[0].as_int(), -7);
  EXPECT_EQ(log.marks[5].fields[0].type, record::PayloadType::kDouble);
  EXPECT_EQ(log.marks[5].fields[0].as_double(), 0.25);
}

TEST_F(NvtxApi, AttributesWithoutSizeAreReadAndShortOnesAreNot) {
  nvtxEventAttributes_t a = Attributes("no size");
  a.version = 0;
  a.size = 0;
  nvtxMarkEx(&a);
  a.size = 8;
  nvtxMarkEx(&a);
  nvtxMarkEx(nullptr);
  a = Attributes("odd");
  a.messageType = 99;
  a.payloadType = 77;
  nvtxMarkEx(&a);
  EXPECT_EQ(Collect().MarkMessages(), (std::vector<std::string>{"no size", "", "", ""}));
}

TEST_F(NvtxApi, NeverGivenHandlesDoNoHarm) {
  nvtxEventAttributes_t a = Attributes("x");
  a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  a.message.registered = reinterpret_cast<nvtxStringHandle_t>(uintptr_t{0xdeadbeef});
  const auto domain = reinterpret_cast<nvtxDomainHandle_t>(uintptr_t{0x7fff00001234});
  nvtxDomainMarkEx(domain, &a);
  EXPECT_EQ(nvtxDomainRangePushEx(domain, &a), 0);
  EXPECT_EQ(nvtxDomainRangePop(domain), 0);
  const EventLog& log = Collect();
  ASSERT_EQ(log.marks.size(), 1u);
  EXPECT_EQ(log.marks[0].message, "");
  EXPECT_EQ(log.marks[0].event.domain, kOverflowDomain);
  EXPECT_EQ(log.ranges.size(), 1u);
}

TEST_F(NvtxApi, BugLog121_PushAndPopReturnTheSameLevels) {
  EXPECT_EQ(nvtxRangePop(), -1) << "a pop without push";
  EXPECT_EQ(nvtxRangePushA("a"), 0);
  EXPECT_EQ(nvtxRangePushA("b"), 1);
  EXPECT_EQ(nvtxRangePop(), 1);
  EXPECT_EQ(nvtxRangePop(), 0);
  EXPECT_EQ(nvtxRangePop(), -1);
  EXPECT_EQ(Lost(base::Loss::kNvtxUnbalanced), 2u);
  // A host that pops only what it knows it pushed stays balanced.
  if (nvtxRangePushA("c") >= 0) nvtxRangePop();
  EXPECT_EQ(Collect().RangeMessages(), (std::vector<std::string>{"b", "a", "c"}));
}

TEST_F(NvtxApi, ErrnoIsKept) {
  errno = 4711;
  std::thread([] {
    errno = 4712;
    nvtxMarkA("first of its thread");
    EXPECT_EQ(errno, 4712);
  }).join();
  nvtxRangePushA("x");
  nvtxRangePop();
  EXPECT_EQ(errno, 4711);
}

TEST_F(NvtxApi, TotalsCountEvents) {
  nvtxMarkA("m");
  nvtxRangePushA("r");
  nvtxRangePop();
  nvtxMarkA("llmserve/req.queued|req=a");
  Collect();
  record::CaptureTotals totals;
  source_->AddTotals(totals);
  EXPECT_EQ(totals.nvtx_events, 4u);
  EXPECT_EQ(totals.annotations, 1u);
}

}  // namespace
}  // namespace slowtoken::nvtx

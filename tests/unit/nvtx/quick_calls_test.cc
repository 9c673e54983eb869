// The quick way of a push and a pop (quick_calls.h) and the general one record the same. A recorder without a usable
// TSC goes the general way; on a machine without one both runs do.
#include <string>
#include <tuple>

#include "nvtx/recorder.h"
#include "nvtx_fixture.h"

namespace slowtoken::nvtx {
namespace {

using Recorded = std::tuple<std::string, uint32_t, uint32_t, uint32_t>;  // message, category, color, domain

class QuickCalls : public NvtxTest {
 protected:
  void GoTheGeneralWay() {
    Restart(SmallOptions());
    g_recorder.load()->SetTsc(false);
  }

  // What `calls` records, in the order in which the ranges end.
  template <typename Calls>
  std::vector<Recorded> Record(Calls calls) {
    calls();
    std::vector<Recorded> recorded;
    for (const LoggedRange& range : Collect().ranges)
      recorded.emplace_back(range.message, range.event.category, range.event.color, range.event.domain);
    return recorded;
  }
  template <typename Calls>
  void ExpectTheSameBothWays(Calls calls, size_t ranges) {
    const std::vector<Recorded> quick = Record(calls);
    GoTheGeneralWay();
    EXPECT_EQ(quick.size(), ranges);
    EXPECT_EQ(quick, Record(calls));
  }
};

TEST_F(QuickCalls, TextsAndRegisteredStringsWithAllThatBelongsToThem) {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("quick.calls");
  const nvtxStringHandle_t registered = nvtxDomainRegisterStringA(domain, "registered");
  const std::string long_text(900, 'x');
  const auto calls = [&] {
    for (const char* text : {"", "seven..", "eight...", "nine.....", long_text.c_str()}) {
      nvtxEventAttributes_t a = Attributes(text);
      a.category = 3;
      a.color = 0xff010203;
      EXPECT_EQ(nvtxDomainRangePushEx(domain, &a), 0);
      a.colorType = NVTX_COLOR_ARGB;
      a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
      a.message.registered = registered;
      EXPECT_EQ(nvtxDomainRangePushEx(domain, &a), 1);
      EXPECT_EQ(nvtxRangePushEx(&a), 0);
      EXPECT_EQ(nvtxRangePop(), 0);
      EXPECT_EQ(nvtxDomainRangePop(domain), 1);
      EXPECT_EQ(nvtxDomainRangePop(domain), 0);
    }
  };
  ExpectTheSameBothWays(calls, 15);
}

TEST_F(QuickCalls, WhatIsNotQuickBetweenWhatIs) {
  const std::string too_long(3000, 'y');
  const auto calls = [&] {
    nvtxEventAttributes_t plain = Attributes("plain"), wide = plain, paid = Attributes("paid"),
                          cut = Attributes(too_long.c_str()), none = Attributes(nullptr);
    wide.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    wide.message.unicode = L"wide";
    paid.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    paid.payload.ullValue = 9;
    int level = 0;
    for (const nvtxEventAttributes_t* a : {&plain, &wide, &paid, &cut, &none, &plain})
      EXPECT_EQ(nvtxRangePushEx(a), level++);
    while (level > 0) EXPECT_EQ(nvtxRangePop(), --level);
    EXPECT_LT(nvtxRangePop(), 0);
  };
  ExpectTheSameBothWays(calls, 6);
}

TEST_F(QuickCalls, ManyChunksFull) {
  const auto calls = [] {
    const nvtxEventAttributes_t a = Attributes("a text of some length, so that records end at any place of a chunk");
    for (int i = 0; i < 3000; ++i) {
      EXPECT_EQ(nvtxRangePushEx(&a), 0);
      EXPECT_EQ(nvtxRangePop(), 0);
    }
  };
  ExpectTheSameBothWays(calls, 3000);
}

}  // namespace
}  // namespace slowtoken::nvtx

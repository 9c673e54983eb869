// The llmserve vocabulary as NVTX payloads: the schemas llmserve.<name>.v1 give the same annotations as the text form.
#include "base/siphash.h"
#include "payload_fixture.h"

namespace slowtoken::nvtx {
namespace {

using base::Loss;

class NvtxLlmservePayload : public NvtxTest {};

TEST_F(NvtxLlmservePayload, LlmservePayloadsAreAnnotations) {
  const nvtxDomainHandle_t llmserve = nvtxDomainCreateA("llmserve");
  struct Token {
    const char* req;
    int64_t n, n_new, iter;
  };
  const uint64_t token = Register(llmserve, "llmserve.req.token.v1",
                                  {Entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "req", offsetof(Token, req)),
                                   Entry(NVTX_PAYLOAD_ENTRY_TYPE_INT64, "n", offsetof(Token, n)),
                                   Entry(NVTX_PAYLOAD_ENTRY_TYPE_INT64, "n_new", offsetof(Token, n_new)),
                                   Entry(NVTX_PAYLOAD_ENTRY_TYPE_INT64, "iter", offsetof(Token, iter))},
                                  sizeof(Token));
  struct Batch {
    uint64_t iter;
    const char* set;
  };
  const uint64_t batch = Register(llmserve, "llmserve.batch.v1",
                                  {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "iter", offsetof(Batch, iter)),
                                   Entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "set", offsetof(Batch, set))},
                                  sizeof(Batch));
  struct Numbered {
    uint64_t req;
  };
  const uint64_t queued =
      Register(llmserve, "llmserve.req.queued.v1", {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "req")}, 8);
  const Token t{"cmpl-7", 3, -1, 41};
  const Batch b{41, "cmpl-7:1:d;x:9:p"};
  const Numbered q{77};
  nvtxPayloadData_t payloads[] = {{token, sizeof t, &t}, {batch, sizeof b, &b}, {queued, sizeof q, &q}};
  for (nvtxPayloadData_t& p : payloads) nvtxMarkPayload(llmserve, &p, 1);
  nvtxMarkA("llmserve/req.token|req=cmpl-7,n=3,iter=41");
  const EventLog& log = Collect();
  ASSERT_EQ(log.annotations.size(), 4u);
  const record::Annotation& from_payload = log.annotations[0].event;
  const record::Annotation& from_text = log.annotations[3].event;
  EXPECT_EQ(from_payload.name, from_text.name);
  EXPECT_EQ(from_payload.present, from_text.present) << "a negative number means not known";
  EXPECT_EQ(from_payload.values, from_text.values);
  EXPECT_EQ(log.annotations[1].rows.size(), 2u);
  EXPECT_TRUE(log.annotations[1].event.batch_is_set);
  EXPECT_EQ(log.annotations[2].event.req(), base::SipHash({1, 2}, "77"));
  EXPECT_TRUE(log.marks.empty());
}

TEST_F(NvtxLlmservePayload, LongRowsInPayloadsArriveWholeOrNotAtAll) {
  const nvtxDomainHandle_t llmserve = nvtxDomainCreateA("llmserve");
  struct Batch {
    uint64_t iter;
    const char* set;
  };
  const uint64_t schema = Register(llmserve, "llmserve.batch.v1",
                                   {Entry(NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "iter", offsetof(Batch, iter)),
                                    Entry(NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "set", offsetof(Batch, set))},
                                   sizeof(Batch));
  for (const int rows : {1000, 5000}) {
    std::string set;
    for (int i = 0; i < rows; ++i) set += (i != 0 ? ";req-" : "req-") + std::to_string(i) + ":1:d";
    const Batch b{1, set.c_str()};
    nvtxPayloadData_t payload{schema, sizeof b, &b};
    nvtxMarkPayload(llmserve, &payload, 1);
  }
  const EventLog& log = Collect();
  ASSERT_EQ(log.annotations.size(), 1u);
  EXPECT_EQ(log.annotations[0].rows.size(), 1000u);
  EXPECT_EQ(Lost(Loss::kPayloadUndecoded), 1u);
}

TEST_F(NvtxLlmservePayload, MalformedLlmservePayloadsStayPlainAndAreCounted) {
  const nvtxDomainHandle_t llmserve = nvtxDomainCreateA("llmserve");
  const uint64_t schema = Register(llmserve, "llmserve.req.token.v1", {Entry(NVTX_PAYLOAD_ENTRY_TYPE_INT64, "n")}, 8);
  const uint64_t unknown = Register(llmserve, "llmserve.req.dance.v1", {Entry(NVTX_PAYLOAD_ENTRY_TYPE_INT64, "n")}, 8);
  const int64_t n = 3;
  nvtxPayloadData_t payloads[] = {{schema, 8, &n}, {unknown, 8, &n}};
  for (nvtxPayloadData_t& p : payloads) nvtxMarkPayload(llmserve, &p, 1);
  const EventLog& log = Collect();
  EXPECT_TRUE(log.annotations.empty());
  EXPECT_EQ(log.MarkMessages(), (std::vector<std::string>{"llmserve.req.token.v1", "llmserve.req.dance.v1"}));
  EXPECT_EQ(Lost(Loss::kMalformedAnnotation), 2u);
}

}  // namespace
}  // namespace slowtoken::nvtx

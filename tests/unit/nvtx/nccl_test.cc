// The toolkit's own libnccl, without a GPU: its ranges appear in domain NCCL and their payloads are decoded by the
// schemas it registers. Skipped where there is no libnccl.
#include <dlfcn.h>
#include <stdlib.h>

#include "nvtx/install.h"
#include "nvtx_fixture.h"

extern "C" __attribute__((visibility("default"), used)) int slowtoken_test_nvtx(const void* (*table)(uint32_t)) {
  return slowtoken::nvtx::InstallHandlers(table) ? 1 : 0;
}
extern "C" __attribute__((visibility("default"), used)) int slowtoken_test_nvtx_extension(void* info) {
  return slowtoken::nvtx::InstallExtension(info) ? 1 : 0;
}

namespace slowtoken::nvtx {
namespace {

// nccl.h, as far as needed: all enumerations are ints.
struct UniqueId {
  char internal[128];
};
constexpr int kNcclSuccess = 0, kNcclFloat32 = 7, kNcclMax = 2;

class NvtxNccl : public NvtxTest {
 protected:
  void SetUp() override {
    setenv("NVTX_INJECTION64_PATH", SLOWTOKEN_TEST_INJECTION, 1);
    nccl_ = dlopen(SLOWTOKEN_NCCL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (nccl_ == nullptr) GTEST_SKIP() << "no libnccl here: " << dlerror();
  }

  template <typename Signature>
  Signature* Find(const char* name) {
    auto* function = reinterpret_cast<Signature*>(dlsym(nccl_, name));
    EXPECT_NE(function, nullptr) << name;
    return function;
  }

  static const LoggedField* Field(const LoggedRange& range, std::string_view part) {
    for (const LoggedField& field : range.fields) {
      if (field.name.find(part) != std::string::npos) return &field;
    }
    return nullptr;
  }

  void* nccl_ = nullptr;
};

TEST_F(NvtxNccl, RangesAndPayloadsOfTheRealLibrary) {
  UniqueId id{};
  // NCCL emits no range for this call, but sets itself up in it.
  ASSERT_EQ(Find<int(UniqueId*)>("ncclGetUniqueId")(&id), kNcclSuccess);
  EXPECT_EQ(Collect().domains.count("NCCL"), 1u);
  void* communicator = nullptr;
  EXPECT_NE(Find<int(void**, int, UniqueId, int)>("ncclCommInitRank")(&communicator, 2, id, 1), kNcclSuccess)
      << "there is no GPU here";
  float data[16] = {};
  EXPECT_NE((Find<int(const void*, void*, size_t, int, int, void*, void*)>("ncclAllReduce")(
                data, data, 16, kNcclFloat32, kNcclMax, nullptr, nullptr)),
            kNcclSuccess);
  const EventLog& log = Collect();
  const LoggedRange* init = log.FindRange("ncclCommInitRank");
  const LoggedRange* reduce = log.FindRange("ncclAllReduce");
  ASSERT_NE(init, nullptr);
  ASSERT_NE(reduce, nullptr);
  for (const LoggedRange* range : {init, reduce}) {
    EXPECT_EQ(range->event.domain, log.domains.at("NCCL"));
    EXPECT_GT(range->event.end, range->event.start);
  }
  EXPECT_TRUE(init->fields.empty()) << "NCCL tells the ranks only where the initialisation succeeded";
  const LoggedField* bytes = Field(*reduce, "size");
  const LoggedField* op = Field(*reduce, "eduction");
  ASSERT_NE(bytes, nullptr);
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(bytes->bits, 16 * sizeof(float));
  EXPECT_EQ(op->type, record::PayloadType::kText) << "by the enumeration that NCCL registers";
  EXPECT_EQ(op->text, "Max");
  EXPECT_EQ(Lost(base::Loss::kPayloadUndecoded), 0u);
}

}  // namespace
}  // namespace slowtoken::nvtx

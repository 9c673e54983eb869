// Connecting to a module's tables: every slot we accept is filled, all others are left alone, nonsense is refused.
#include "nvtx/install.h"

#include <array>

#include "nvtx_fixture.h"

namespace slowtoken::nvtx {
namespace {

class NvtxInstall : public NvtxTest {
 protected:
  NvtxInstall() { Reset(); }

  // A module with tables of its own, as another copy of the NVTX headers would have.
  static void Reset() {
    for (auto& module : functions_) module.fill(nullptr);
    for (size_t m = 0; m < functions_.size(); ++m) {
      for (size_t i = 1; i < functions_[m].size(); ++i) slots_[m][i] = &functions_[m][i];
    }
    sizes_ = {0,
              NVTX_CBID_CORE_SIZE,
              NVTX_CBID_CUDA_SIZE,
              NVTX_CBID_OPENCL_SIZE,
              NVTX_CBID_CUDART_SIZE,
              NVTX_CBID_CORE2_SIZE,
              NVTX_CBID_SYNC_SIZE};
    told_version_ = 0;
  }

  static int GetTable(NvtxCallbackModule module, NvtxFunctionTable* table, unsigned* size) {
    if (module <= NVTX_CB_MODULE_INVALID || module >= NVTX_CB_MODULE_SIZE) return 0;
    *table = slots_[module].data();
    *size = sizes_[module];
    return 1;
  }
  static const void* GetExportTable(uint32_t id) {
    static const NvtxExportTableCallbacks callbacks{sizeof callbacks, GetTable};
    static const NvtxExportTableVersionInfo version{sizeof version, NVTX_VERSION, 0,
                                                    [](uint32_t v) { told_version_ = v; }};
    if (id == NVTX_ETID_CALLBACKS) return &callbacks;
    return id == NVTX_ETID_VERSIONINFO ? &version : nullptr;
  }

  static size_t Filled(NvtxCallbackModule module) {
    return static_cast<size_t>(std::count_if(functions_[module].begin(), functions_[module].end(),
                                             [](NvtxFunctionPointer f) { return f != nullptr; }));
  }

  using Functions = std::array<NvtxFunctionPointer, 20>;
  static inline std::array<Functions, NVTX_CB_MODULE_SIZE> functions_;
  static inline std::array<std::array<NvtxFunctionPointer*, 20>, NVTX_CB_MODULE_SIZE> slots_;
  static inline std::array<unsigned, NVTX_CB_MODULE_SIZE> sizes_;
  static inline uint32_t told_version_;
};

TEST_F(NvtxInstall, BugLog71_EverySlotWeAcceptIsFilledAndOthersAreLeft) {
  ASSERT_TRUE(InstallHandlers(GetExportTable));
  EXPECT_EQ(Filled(NVTX_CB_MODULE_CORE), size_t{NVTX_CBID_CORE_SIZE - 1});
  EXPECT_EQ(Filled(NVTX_CB_MODULE_CORE2), size_t{NVTX_CBID_CORE2_SIZE - 1});
  for (const auto module : {NVTX_CB_MODULE_CUDA, NVTX_CB_MODULE_OPENCL, NVTX_CB_MODULE_CUDART, NVTX_CB_MODULE_SYNC}) {
    EXPECT_EQ(Filled(module), 0u);
  }
  EXPECT_EQ(told_version_, uint32_t{NVTX_VERSION});
}

TEST_F(NvtxInstall, BugLog71_OlderAndEmptyTablesAreNotOverrun) {
  sizes_[NVTX_CB_MODULE_CORE] = NVTX_CBID_CORE_RangePop;  // an older header: RangePop does not exist yet
  sizes_[NVTX_CB_MODULE_CORE2] = 0;
  slots_[NVTX_CB_MODULE_CORE][NVTX_CBID_CORE_MarkW] = nullptr;
  ASSERT_TRUE(InstallHandlers(GetExportTable));
  EXPECT_EQ(Filled(NVTX_CB_MODULE_CORE), size_t{NVTX_CBID_CORE_RangePop - 2});
  EXPECT_EQ(Filled(NVTX_CB_MODULE_CORE2), 0u);
  sizes_[NVTX_CB_MODULE_CORE] = 0;
  Reset();
  sizes_[NVTX_CB_MODULE_CORE] = sizes_[NVTX_CB_MODULE_CORE2] = 0;
  EXPECT_FALSE(InstallHandlers(GetExportTable));
}

TEST_F(NvtxInstall, NonsenseIsRefused) {
  EXPECT_FALSE(InstallHandlers(nullptr));
  EXPECT_FALSE(InstallHandlers([](uint32_t) -> const void* { return nullptr; }));
  EXPECT_FALSE(InstallHandlers([](uint32_t) -> const void* {
    static const NvtxExportTableCallbacks too_small{8, GetTable};
    return &too_small;
  }));
  EXPECT_FALSE(InstallHandlers([](uint32_t id) -> const void* {
    static const NvtxExportTableCallbacks refusing{sizeof refusing,
                                                   [](NvtxCallbackModule, NvtxFunctionTable*, unsigned*) { return 0; }};
    return id == NVTX_ETID_CALLBACKS ? &refusing : nullptr;
  }));
}

// Two modules (the test program's own header copy, and this one) feed the same recorder.
TEST_F(NvtxInstall, ModulesShareDomainsAndThreads) {
  ASSERT_TRUE(InstallHandlers(GetExportTable));
  const auto create =
      reinterpret_cast<nvtxDomainCreateA_impl_fntype>(functions_[NVTX_CB_MODULE_CORE2][NVTX_CBID_CORE2_DomainCreateA]);
  const auto push =
      reinterpret_cast<nvtxRangePushA_impl_fntype>(functions_[NVTX_CB_MODULE_CORE][NVTX_CBID_CORE_RangePushA]);
  EXPECT_EQ(create("install.shared"), nvtxDomainCreateA("install.shared"));
  EXPECT_EQ(push("from the other module"), 0);
  EXPECT_EQ(nvtxRangePushA("from this one"), 1);
  EXPECT_EQ(nvtxRangePop(), 1);
  EXPECT_EQ(nvtxRangePop(), 0);
  EXPECT_EQ(Collect().RangeMessages(), (std::vector<std::string>{"from this one", "from the other module"}));
}

TEST_F(NvtxInstall, ThePayloadExtensionFillsItsSlotsOnly) {
  std::array<intptr_t, 63> slots{};
  nvtxExtModuleSegment_t segment{0, slots.size(), slots.data()};
  nvtxExtModuleInfo_t info{};
  info.nvtxVer = NVTX_VERSION;
  info.structSize = sizeof info;
  info.moduleId = NVTX_EXT_PAYLOAD_MODULEID;
  info.segmentsCount = 1;
  info.segments = &segment;
  ASSERT_TRUE(InstallExtension(&info));
  for (size_t i = 0; i < slots.size(); ++i) EXPECT_EQ(slots[i] != 0, i <= NVTX3EXT_CBID_nvtxDomainIsEnabled) << i;
  slots.fill(0);
  segment.slotCount = 3;
  EXPECT_TRUE(InstallExtension(&info));
  EXPECT_EQ(slots[2] != 0, true);
  EXPECT_EQ(slots[3], 0) << "beyond the count";
}

TEST_F(NvtxInstall, BugLog71_UnknownExtensionsAreLeftAloneAndNonsenseRefused) {
  std::array<intptr_t, 8> slots{};
  nvtxExtModuleSegment_t segment{0, slots.size(), slots.data()};
  nvtxExtModuleInfo_t info{};
  info.structSize = sizeof info;
  info.moduleId = 77;
  info.segmentsCount = 1;
  info.segments = &segment;
  EXPECT_TRUE(InstallExtension(&info));
  EXPECT_EQ(slots, (std::array<intptr_t, 8>{}));
  info.moduleId = NVTX_EXT_PAYLOAD_MODULEID;
  info.segmentsCount = 0;
  EXPECT_FALSE(InstallExtension(&info));
  info.segmentsCount = 1;
  info.segments = nullptr;
  EXPECT_FALSE(InstallExtension(&info));
  info.structSize = 4;
  EXPECT_FALSE(InstallExtension(&info));
  EXPECT_FALSE(InstallExtension(nullptr));
}

}  // namespace
}  // namespace slowtoken::nvtx

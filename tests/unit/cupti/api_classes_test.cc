#include "cupti/api_classes.h"

#include <gtest/gtest.h>

#include "fake_cupti.h"

namespace slowtoken::cupti {
namespace {

using record::ApiClass;
using record::ApiDomain;

class ApiClassesTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(arena.Reserve(16 << 20, false));
    ASSERT_TRUE(dictionary.Init(arena, {}, losses));
    ASSERT_TRUE(classes.Init(arena));
  }
  void TearDown() override { arena.Release(); }

  base::Arena arena;
  base::LossCounters losses;
  record::Dictionary dictionary;
  FakeCupti fake;
  ApiClasses classes;
};

TEST_F(ApiClassesTest, BugLog34_DriverAndRuntimeAndPerThreadStreamVariants) {
  classes.Fill(fake.Table());
  for (uint32_t id : {211u, 311u, 505u, 506u}) EXPECT_TRUE(classes.Of(ApiDomain::kRuntime, id).wanted()) << id;
  for (uint32_t id : {307u, 514u, 515u, 652u}) EXPECT_TRUE(classes.Of(ApiDomain::kDriver, id).wanted()) << id;
  EXPECT_FALSE(classes.Of(ApiDomain::kRuntime, 1).wanted());
  EXPECT_TRUE(classes.Of(ApiDomain::kRuntime, 1).unwanted());
  EXPECT_FALSE(classes.Of(ApiDomain::kRuntime, 2000).unwanted()) << "unnamed is not unwanted";
}

TEST_F(ApiClassesTest, NewIdsOfANewerCuptiAreFound) {
  for (uint32_t id = 507; id < 600; ++id) fake.names[{CUPTI_CB_DOMAIN_RUNTIME_API, id}] = "cudaSomething_v14000";
  fake.names[{CUPTI_CB_DOMAIN_RUNTIME_API, 599}] = "cudaLaunchKernelNext_v14000";
  classes.Fill(fake.Table());
  EXPECT_TRUE(classes.Of(ApiDomain::kRuntime, 599).wanted());
  EXPECT_EQ(classes.Of(ApiDomain::kRuntime, 599).api_class, ApiClass::kKernelLaunch);
}

TEST_F(ApiClassesTest, WithoutNamesTheKnownLaunchesRemain) {
  ApiTable table = fake.Table();
  table.get_callback_name = nullptr;
  classes.Fill(table);
  EXPECT_EQ(classes.Of(ApiDomain::kRuntime, 505).api_class, ApiClass::kKernelLaunch);
  EXPECT_EQ(classes.Of(ApiDomain::kRuntime, 312).api_class, ApiClass::kGraphLaunch);
  EXPECT_EQ(classes.Of(ApiDomain::kDriver, 653).api_class, ApiClass::kKernelLaunch);
  EXPECT_EQ(classes.Of(ApiDomain::kDriver, 515).api_class, ApiClass::kGraphLaunch);
  EXPECT_EQ(classes.Known(ApiDomain::kDriver, 515, table, dictionary).name, 0u);
  EXPECT_FALSE(classes.Of(ApiDomain::kRuntime, 41).wanted());
}

TEST_F(ApiClassesTest, NamesAreAskedOnce) {
  const ApiTable table = fake.Table();
  const record::StringId first = classes.Known(ApiDomain::kRuntime, 41, table, dictionary).name;
  const int asked = fake.Count("cuptiGetCallbackName");
  EXPECT_EQ(classes.Known(ApiDomain::kRuntime, 41, table, dictionary).name, first);
  EXPECT_EQ(fake.Count("cuptiGetCallbackName"), asked);
  EXPECT_EQ(dictionary.text(first), "cudaMemcpyAsync");
}

}  // namespace
}  // namespace slowtoken::cupti

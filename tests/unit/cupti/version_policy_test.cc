#include "cupti/version_policy.h"

#include <gtest/gtest.h>

namespace slowtoken::cupti {
namespace {

TEST(VersionPolicy, BugLog62_OlderThanCuda12_4IsRefused) {
  EXPECT_FALSE(VersionPolicy::For(0).supported);
  EXPECT_FALSE(VersionPolicy::For(21).supported);
  EXPECT_TRUE(VersionPolicy::For(22).supported);
  EXPECT_TRUE(VersionPolicy::For(130501).supported);
}

TEST(VersionPolicy, BugLog43_NullBuffersFrom27On) {
  EXPECT_FALSE(VersionPolicy::For(26).null_buffer);
  EXPECT_TRUE(VersionPolicy::For(27).null_buffer);
  EXPECT_TRUE(VersionPolicy::For(130000).null_buffer);
}

TEST(VersionPolicy, PerThreadBuffersOnlyWhereRequestsCanBeDeclined) {
  for (uint32_t version : {22u, 26u, 27u, 28u, 130001u, 130400u}) {
    EXPECT_EQ(VersionPolicy::For(version).per_thread_buffers, VersionPolicy::For(version).null_buffer);
  }
}

TEST(VersionPolicy, BugLog29_BuffersAreTakenUpAgainFromCuda12_6On) {
  EXPECT_FALSE(VersionPolicy::For(23).rearm);
  EXPECT_TRUE(VersionPolicy::For(24).rearm);
  EXPECT_TRUE(VersionPolicy::For(130001).rearm);
}

TEST(VersionPolicy, GraphLaunchIdsOfASecondSessionAreWrongInCuda13_0) {
  EXPECT_TRUE(VersionPolicy::For(28).graph_ids_after_rearm);
  EXPECT_FALSE(VersionPolicy::For(130000).graph_ids_after_rearm);
  EXPECT_FALSE(VersionPolicy::For(130100).graph_ids_after_rearm);
  EXPECT_TRUE(VersionPolicy::For(130101).graph_ids_after_rearm);
}

TEST(VersionPolicy, BugLog28_SingleGraphNodesFromCuda12_6On) {
  EXPECT_FALSE(VersionPolicy::For(23).graph_nodes);
  EXPECT_TRUE(VersionPolicy::For(24).graph_nodes);
}

}  // namespace
}  // namespace slowtoken::cupti

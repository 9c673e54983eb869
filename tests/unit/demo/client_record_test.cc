#include "replay/client_record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace slowtoken::demo {
namespace {

using nlohmann::json;

TEST(ClientRecord, AnsweredRequest) {
  ClientRecord record;
  record.id = "r-000001";
  record.due = 9;
  record.send = 10;
  record.connected = 11;
  record.chunks = {20, 25, 31};
  record.tokens = 4;
  record.finish = "length";
  record.status = 200;
  EXPECT_EQ(
      json::parse(ToJson(record)),
      json::parse(
          R"({"req":"r-000001","send":10,"connected":11,"first":20,"last":31,"chunks":[20,25,31],"status":200,"due":9,
                            "tokens":4,"finish":"length"})"));
}

TEST(ClientRecord, FailedRequestHasNoTimes) {
  ClientRecord record;
  record.id = "r";
  record.send = 10;
  record.error = "Couldn't connect to \"server\"";
  const json line = json::parse(ToJson(record));
  EXPECT_TRUE(line["connected"].is_null());
  EXPECT_TRUE(line["first"].is_null());
  EXPECT_TRUE(line["last"].is_null());
  EXPECT_TRUE(line["chunks"].empty());
  EXPECT_EQ(line["status"], 0);
  EXPECT_EQ(line["error"], "Couldn't connect to \"server\"");
}

}  // namespace
}  // namespace slowtoken::demo

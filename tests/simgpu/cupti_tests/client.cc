#include "client.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace simgpu_test {

Client& Client::Get() {
  static auto* client = new Client;
  return *client;
}

void Client::Register() { EXPECT_EQ(cuptiActivityRegisterCallbacks(OnRequest, OnComplete), CUPTI_SUCCESS); }

void Client::Enable(std::initializer_list<CUpti_ActivityKind> kinds) {
  for (const CUpti_ActivityKind kind : kinds) EXPECT_EQ(cuptiActivityEnable(kind), CUPTI_SUCCESS) << kind;
}

void Client::OnRequest(uint8_t** buffer, size_t* size, size_t* max_records) {
  Client& client = Get();
  if (client.in_request != nullptr) client.in_request();
  {
    const std::lock_guard lock(client.mutex_);
    client.request_threads_.push_back(gettid());
  }
  if (client.decline) {
    *buffer = nullptr;
    *size = 0;
    return;
  }
  auto* memory = static_cast<uint8_t*>(std::malloc(client.buffer_bytes + 64));
  std::memset(memory, client.fill_byte, client.buffer_bytes + 64);
  *buffer = client.misalign ? memory + 4 : memory;
  {
    const std::lock_guard lock(client.mutex_);
    client.given_.push_back(*buffer);
  }
  *size = client.buffer_bytes;
  *max_records = client.max_records;
}

// The memory stays allocated: a test may look for writes into it after its return.
void Client::OnComplete(CUcontext context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid) {
  Client& client = Get();
  if (client.in_complete != nullptr) client.in_complete();
  const std::lock_guard lock(client.mutex_);
  const size_t index = client.buffers_.size();
  client.buffers_.push_back({context, stream, buffer, size, valid, gettid()});
  CUpti_Activity* record = nullptr;
  while ((client.last_walk_ = cuptiActivityGetNextRecord(buffer, valid, &record)) == CUPTI_SUCCESS) {
    auto* bytes = reinterpret_cast<uint8_t*>(record);
    CUpti_Activity* next = record;
    const bool more = cuptiActivityGetNextRecord(buffer, valid, &next) == CUPTI_SUCCESS;
    const uint8_t* end = more ? reinterpret_cast<uint8_t*>(next) : buffer + valid;
    client.records_.push_back({index, {bytes, bytes + (end - bytes)}});
  }
}

std::vector<Record> Client::Records() const {
  const std::lock_guard lock(mutex_);
  return records_;
}

std::vector<Record> Client::Of(std::initializer_list<CUpti_ActivityKind> kinds) const {
  std::vector<Record> out;
  for (const Record& record : Records()) {
    if (std::find(kinds.begin(), kinds.end(), record.kind()) != kinds.end()) out.push_back(record);
  }
  return out;
}

std::vector<Returned> Client::Buffers() const {
  const std::lock_guard lock(mutex_);
  return buffers_;
}

std::vector<uint8_t*> Client::Given() const {
  const std::lock_guard lock(mutex_);
  return given_;
}

std::vector<int> Client::RequestThreads() const {
  const std::lock_guard lock(mutex_);
  return request_threads_;
}

}  // namespace simgpu_test

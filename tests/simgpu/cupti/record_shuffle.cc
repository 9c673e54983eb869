#include "simgpu/cupti/record_shuffle.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "simgpu/cupti/faults.h"
#include "simgpu/cupti/records.h"

namespace simgpu::cupti {
namespace {

using Bytes = std::vector<uint8_t>;

template <class Items>
void Permute(Items* items) {
  for (size_t i = items->size(); i > 1; --i) std::swap((*items)[i - 1], (*items)[RandomBelow(i)]);
}

// Start and size of each record of a buffer.
std::vector<std::pair<uint8_t*, size_t>> Walk(const ActivityBuffer::Closed& buffer) {
  std::vector<std::pair<uint8_t*, size_t>> records;
  for (size_t at = 0; at < buffer.valid;) {
    const size_t size = RecordSize(KindOf(buffer.data + at));
    if (size == 0) break;
    records.emplace_back(buffer.data + at, size);
    at += size;
  }
  return records;
}

void ShuffleInside(const ActivityBuffer::Closed& buffer) {
  std::vector<Bytes> records;
  for (const auto& [at, size] : Walk(buffer)) records.emplace_back(at, at + size);
  Permute(&records);
  uint8_t* out = buffer.data;
  for (const Bytes& record : records) out = std::copy(record.begin(), record.end(), out);
}

void ShuffleAcross(const std::vector<ActivityBuffer::Closed>& buffers) {
  std::map<size_t, std::vector<uint8_t*>> places;
  for (const auto& buffer : buffers) {
    for (const auto& [at, size] : Walk(buffer)) places[size].push_back(at);
  }
  for (const auto& [size, at] : places) {
    std::vector<Bytes> records;
    for (const uint8_t* place : at) records.emplace_back(place, place + size);
    Permute(&records);
    for (size_t i = 0; i < at.size(); ++i) std::memcpy(at[i], records[i].data(), size);
  }
}

}  // namespace

void ShuffleRecords(std::vector<ActivityBuffer::Closed>* buffers) {
  if (Faults().shuffle_across) ShuffleAcross(*buffers);
  if (Faults().shuffle_in) {
    for (const auto& buffer : *buffers) ShuffleInside(buffer);
  }
  if (Faults().shuffle_buffers) Permute(buffers);
}

}  // namespace simgpu::cupti

#include "attribution/packed_gap.h"

namespace slowtoken::attribution {
namespace {

constexpr uint8_t kHasInterference = 1;
constexpr uint8_t kIsStall = 2;

// A buffer that holds any packed gap: at most 39 numbers of 10 bytes.
struct Packer {
  std::array<uint8_t, 400> bytes{};
  size_t size = 0;

  void Put(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes[size++] = static_cast<uint8_t>(value | 0x80);
    bytes[size++] = static_cast<uint8_t>(value);
  }
};

uint64_t Get(ByteStore::Reader& reader) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const uint8_t byte = reader.Next();
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

void PutFinding(Packer& packer, const record::CauseFinding& finding) {
#define SLOWTOKEN_PUT(number, column, member, coding) packer.Put(static_cast<uint64_t>(finding.member));
  SLOWTOKEN_FINDING_MEMBERS(SLOWTOKEN_PUT, 0, )
#undef SLOWTOKEN_PUT
}

record::CauseFinding GetFinding(ByteStore::Reader& reader) {
  record::CauseFinding finding;
#define SLOWTOKEN_GET(number, column, member, coding) \
  finding.member = static_cast<decltype(finding.member)>(Get(reader));
  SLOWTOKEN_FINDING_MEMBERS(SLOWTOKEN_GET, 0, )
#undef SLOWTOKEN_GET
  return finding;
}

}  // namespace

bool ByteStore::Append(ByteChain& chain, std::span<const uint8_t> bytes) {
  const size_t block_size = blocks_[0].bytes.size();
  const size_t room = chain.tail == 0 ? 0 : block_size - chain.tail_used;
  const size_t missing = bytes.size() > room ? (bytes.size() - room + block_size - 1) / block_size : 0;
  if (blocks_.capacity() - blocks_.in_use() < missing) return false;
  for (const uint8_t byte : bytes) {
    if (chain.tail == 0 || chain.tail_used == block_size) {
      const PoolIndex fresh = blocks_.Take();
      (chain.tail == 0 ? chain.head : blocks_[chain.tail].next) = fresh;
      chain.tail = fresh;
      chain.tail_used = 0;
    }
    blocks_[chain.tail].bytes[chain.tail_used++] = byte;
  }
  return true;
}

void ByteStore::Clear(ByteChain& chain) {
  for (PoolIndex i = chain.head; i != 0;) {
    const PoolIndex next = blocks_[i].next;
    blocks_.Give(i);
    i = next;
  }
  chain = {};
}

uint8_t ByteStore::Reader::Next() {
  if (at_ == store_.blocks_[block_].bytes.size()) {
    block_ = store_.blocks_[block_].next;
    at_ = 0;
  }
  return store_.blocks_[block_].bytes[at_++];
}

bool AppendGap(ByteStore& store, ByteChain& chain, const record::GapSummary& gap, uint64_t n_before) {
  Packer packer;
  packer.Put(gap.n - n_before);
  packer.Put(gap.n_new);
  packer.Put(gap.flags);
  packer.Put((gap.has_interference ? kHasInterference : 0u) | (gap.is_stall ? kIsStall : 0u));
  uint32_t present = 0;
  for (size_t i = 0; i < gap.phases.size(); ++i) present |= gap.phases[i] != 0 ? 1u << i : 0u;
  packer.Put(present);
  for (const uint64_t phase : gap.phases) {
    if (phase != 0) packer.Put(phase);
  }
  if (gap.has_interference) {
    packer.Put(gap.interference_est_ns);
    packer.Put(gap.median_used_ns);
  }
  if (gap.is_stall) {
    packer.Put(static_cast<uint64_t>(gap.largest_phase));
    packer.Put(gap.excess_ns);
    PutFinding(packer, gap.finding);
  }
  return store.Append(chain, std::span<const uint8_t>(packer.bytes).first(packer.size));
}

void ReadGap(ByteStore::Reader& reader, uint64_t* n, record::GapSummary* gap) {
  *n += Get(reader);
  gap->n = static_cast<uint32_t>(*n);
  gap->n_new = static_cast<uint32_t>(Get(reader));
  gap->flags = static_cast<uint16_t>(Get(reader));
  const uint64_t kind = Get(reader);
  const uint64_t present = Get(reader);
  gap->gap_ns = 0;
  for (size_t i = 0; i < gap->phases.size(); ++i) {
    gap->phases[i] = (present >> i & 1) != 0 ? Get(reader) : 0;
    gap->gap_ns += gap->phases[i];
  }
  gap->has_interference = (kind & kHasInterference) != 0;
  gap->interference_est_ns = gap->has_interference ? Get(reader) : 0;
  gap->median_used_ns = gap->has_interference ? Get(reader) : 0;
  gap->is_stall = (kind & kIsStall) != 0;
  gap->largest_phase = gap->is_stall ? static_cast<record::GapPhase>(Get(reader)) : record::GapPhase::kUnattributed;
  gap->excess_ns = gap->is_stall ? Get(reader) : 0;
  gap->finding = gap->is_stall ? GetFinding(reader) : record::CauseFinding{};
}

}  // namespace slowtoken::attribution

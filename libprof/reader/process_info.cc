#include "reader/process_info.h"

#include "absl/strings/str_cat.h"

namespace slowtoken::reader {
namespace {

const char* KindText(Damage::Kind kind) {
  switch (kind) {
    case Damage::Kind::kChecksum:
      return "checksum error";
    case Damage::Kind::kGarbage:
      return "garbage";
    case Damage::Kind::kMissingChunks:
      return "missing chunks";
    case Damage::Kind::kMalformed:
      return "malformed chunk";
    case Damage::Kind::kUnknownCodec:
      return "unknown compression";
    case Damage::Kind::kNewerVersion:
      return "newer format";
    case Damage::Kind::kTruncated:
      return "truncated";
    case Damage::Kind::kKilled:
      return "no end";
  }
  return "damage";
}

}  // namespace

std::string Damage::Text() const {
  return absl::StrCat(KindText(kind), " at byte ", offset, bytes != 0 ? absl::StrCat(" (", bytes, " bytes)") : "", ": ",
                      detail);
}

bool ProcessInfo::HasInsideDamage() const { return inside_damage_count != 0; }

}  // namespace slowtoken::reader

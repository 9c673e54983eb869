#include "reader/damage.h"

#include "absl/strings/str_cat.h"

namespace slowtoken::reader {

const char* Damage::KindText() const {
  switch (kind) {
    case Kind::kChecksum:
      return "checksum error";
    case Kind::kGarbage:
      return "garbage";
    case Kind::kMissingChunks:
      return "missing chunks";
    case Kind::kMalformed:
      return "malformed chunk";
    case Kind::kUnknownCodec:
      return "unknown compression";
    case Kind::kNewerVersion:
      return "newer format";
    case Kind::kTruncated:
      return "truncated";
    case Kind::kKilled:
      return "no end";
    case Kind::kRunning:
      return "no end yet";
  }
  return "damage";
}

std::string Damage::Text() const {
  return absl::StrCat(KindText(), " at byte ", offset, bytes != 0 ? absl::StrCat(" (", bytes, " bytes)") : "", ": ",
                      detail);
}

}  // namespace slowtoken::reader

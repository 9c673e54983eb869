// PackageScan: versions of engines and frameworks from the metadata of the Python packages that lie beside the
// libraries the process has mapped (site-packages/NAME-VERSION.dist-info/METADATA), without Python and its lock. Reads
// folders a piece at a time. Worker thread; a piece costs some 100 µs, and 30 µs for each package that is known.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/kept_descriptor.h"
#include "capture/condition_teller.h"

namespace slowtoken::conditions {

class PackageScan {
 public:
  // Notes the folder of packages that `path` lies in, if it lies in one.
  void AddFolderOf(std::string_view path);

  // Begins with the first folder noted.
  void Begin() { next_ = 0; }

  // Looks at one piece of a folder. False when all are through.
  bool Step(capture::ConditionTeller& teller);

  void Close() { folder_.Close(); }

 private:
  struct Folder {
    char path[512];
  };

  bool OpenNext();
  void Entry(std::string_view entry, capture::ConditionTeller& teller) const;

  static constexpr size_t kMostFolders = 4;

  std::array<Folder, kMostFolders> folders_{};
  size_t count_ = 0;
  size_t next_ = 0;  // folder that is opened next; the one before it is being read
  base::KeptDescriptor folder_;
};

}  // namespace slowtoken::conditions

// WriteTrace: an imported process as a trace file of the ordinary format. Called once a process. Single threaded,
// offline; about 9 MiB besides the names.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "import/imported_process.h"

namespace slowtoken::importing {

// Of all processes that are imported together.
struct ImportRun {
  std::string id;              // 16 hexadecimal digits
  std::string writer_version;  // of slowtoken
  uint32_t processes = 0;      // written so far; tells processes of one pid apart (containers)
};

// Writes `process` to the new file `path`, which must not exist; removed again where that fails. Gives its size.
absl::StatusOr<uint64_t> WriteTrace(const ImportedProcess& process, ImportNames& names, ImportRun& run,
                                    const std::string& path);

}  // namespace slowtoken::importing

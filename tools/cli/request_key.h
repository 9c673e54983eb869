// From the id of a request as its user knows it to its pseudonym in the traces. Pure but for the environment.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "reader/process_info.h"
#include "record/ids.h"

namespace slowtoken::cli {

// `request` is a pseudonym (16 hexadecimal digits, as reports print it) or a clear id, which is hashed with `key` (32
// hexadecimal digits), else with SLOWTOKEN_KEY, else with the file SLOWTOKEN_KEY_FILE, else with the key that `run`
// left in the run's folder in the default place. Refuses a key that is not the one behind the pseudonyms of any of
// `processes`.
absl::StatusOr<record::RequestId> FindRequestId(const std::string& request, const std::string& key,
                                                const std::vector<reader::ProcessInfo>& processes);

}  // namespace slowtoken::cli

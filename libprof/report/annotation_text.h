// What an annotation of the vocabulary says beside its name, as text. Used by `why`. Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "record/annotation.h"
#include "record/dictionary.h"

namespace slowtoken::report {

using NameOfRequest = std::function<std::string(record::RequestId)>;

// "bytes 1.50 MiB", "reason kv_space" …: of each field that was given, in the order of the vocabulary, but `req` where
// it is `but`.
std::vector<std::string> FieldTexts(const record::Annotation& annotation, const record::Dictionary& dictionary,
                                    const NameOfRequest& name_of, record::RequestId but = 0);

}  // namespace slowtoken::report

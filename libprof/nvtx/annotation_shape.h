// What may be kept of an llmserve text that does not parse: its name and its keys, never a value, for the fields may
// hold a request's id or what a user wrote. Pure function; worker; about 30 ns a field.
#pragma once

#include <span>
#include <string_view>

namespace slowtoken::nvtx {

// "req.token|req=,n=?,?": keys of the vocabulary with "=", a "?" behind it where the value is not what the key takes; a
// lone "?" for anything else. The name is kept if it consists of small letters, '.' and '_', at most 64 bytes of it.
// Cut where `room` ends. The result points into `room`.
std::string_view AnnotationShape(std::string_view text, std::span<char> room);

}  // namespace slowtoken::nvtx

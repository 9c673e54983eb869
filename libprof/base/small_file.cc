#include "base/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/kept_descriptor.h"

namespace slowtoken::base {

size_t ReadSmallFile(const char* path, char* out, size_t capacity) {
  out[0] = 0;
  KeptDescriptor file;
  if (file.Open(path, O_RDONLY | O_NOCTTY) != 0) return 0;
  size_t size = 0;
  while (size < capacity - 1 && file.Ours()) {
    const ssize_t n = read(file.get(), out + size, capacity - 1 - size);
    if (n <= 0) break;
    size += static_cast<size_t>(n);
  }
  file.Close();
  out[size] = 0;
  return size;
}

std::string_view Take(std::string_view& text, char end) {
  const size_t at = text.find(end);
  const std::string_view taken = Part(text, 0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return taken;
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\"";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == text.npos) return {};
  return Part(text, first, text.find_last_not_of(kBlank) - first + 1);
}

std::string_view LineAfter(std::string_view text, std::string_view prefix) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    std::string_view line = Part(text, at, end == text.npos ? text.npos : end - at);
    if (BeginsWith(line, prefix)) {
      line.remove_prefix(prefix.size());
      const size_t value = line.find_first_not_of(" \t:");
      return value == line.npos ? std::string_view() : Trimmed(Part(line, value));
    }
    if (end == text.npos) break;
    at = end + 1;
  }
  return {};
}

}  // namespace slowtoken::base

#include "replay/client_record.h"

#include <nlohmann/json.hpp>

namespace slowtoken::demo {

std::string ToJson(const ClientRecord& record) {
  nlohmann::ordered_json line;
  line["req"] = record.id;
  line["send"] = record.send;
  line["connected"] = record.connected == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(record.connected);
  line["first"] = record.chunks.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(record.chunks.front());
  line["last"] = record.chunks.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(record.chunks.back());
  line["chunks"] = record.chunks;
  line["status"] = record.status;
  line["due"] = record.due;
  line["tokens"] = record.tokens;
  line["finish"] = record.finish;
  if (!record.error.empty()) line["error"] = record.error;
  return line.dump();
}

}  // namespace slowtoken::demo

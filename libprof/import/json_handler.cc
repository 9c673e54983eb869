#include "import/json_handler.h"

#include "absl/strings/str_cat.h"

namespace slowtoken::importing {
namespace {

uint32_t SmallNumber(std::string_view text) {
  uint64_t value = 0;
  for (const char c : text.substr(0, 10)) {
    if (c < '0' || c > '9') break;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return static_cast<uint32_t>(value);
}

constexpr uint64_t kEventsBetweenLooks = 4096;

}  // namespace

JsonHandler::EventKey JsonHandler::EventKeyOf(std::string_view key) {
  if (key == "ph") return EventKey::kPh;
  if (key == "ts") return EventKey::kTs;
  if (key == "cat") return EventKey::kCat;
  if (key == "pid") return EventKey::kPid;
  if (key == "tid") return EventKey::kTid;
  if (key == "dur") return EventKey::kDur;
  if (key == "name") return EventKey::kName;
  return key == "args" ? EventKey::kArgs : EventKey::kNone;
}

bool JsonHandler::Key(const char* text, Size size, bool) {
  if (skipped_ != 0) return true;
  const std::string_view key(text, size);
  if (place_ == Place::kEvent) {
    event_key_ = EventKeyOf(key);
  } else if (place_ == Place::kArgs) {
    arg_ = ArgOf(key);
  } else {
    key_ = key;
  }
  return true;
}

bool JsonHandler::Value(std::string_view text, const char* type) {
  if (skipped_ != 0) return true;
  switch (place_) {
    case Place::kEvent:
      return EventValue(text);
    case Place::kArgs:
      event_.Set(arg_, text);
      return true;
    case Place::kShape:
      if (shape_index_ < 3) event_.shape[arg_ == Arg::kGrid ? 0 : 1][shape_index_] = SmallNumber(text);
      ++shape_index_;
      return true;
    case Place::kRoot:
      result_.metadata.top.emplace_back(key_, text);
      return true;
    case Place::kDistributed:
      result_.metadata.distributed.emplace_back(key_, text);
      return true;
    case Place::kDevice:
      result_.metadata.devices.back().emplace_back(key_, text);
      return true;
    case Place::kEvents:
      ++result_.not_objects;
      return true;
    case Place::kOutside:
      return Refuse(absl::StrCat("a single ", type));
    case Place::kDevices:
      return true;
  }
  return true;
}

bool JsonHandler::EventValue(std::string_view text) {
  switch (event_key_) {
    case EventKey::kPh:
      event_.ph = text;
      break;
    case EventKey::kCat:
      event_.cat = text;
      break;
    case EventKey::kName:
      event_.name = text;
      break;
    case EventKey::kPid:
      event_.pid = text;
      break;
    case EventKey::kTid:
      event_.tid = text;
      break;
    case EventKey::kTs:
      event_.ts = text;
      break;
    case EventKey::kDur:
      event_.dur = text;
      break;
    case EventKey::kArgs:
    case EventKey::kNone:
      break;
  }
  return true;
}

bool JsonHandler::StartObject() {
  if (skipped_ != 0) return Skip();
  switch (place_) {
    case Place::kOutside:
      return Enter(Place::kRoot);
    case Place::kEvents:
      event_.Clear();
      event_key_ = EventKey::kNone;
      return Enter(Place::kEvent);
    case Place::kEvent:
      return event_key_ == EventKey::kArgs ? Enter(Place::kArgs) : Skip();
    case Place::kDevices:
      result_.metadata.devices.emplace_back();
      return Enter(Place::kDevice);
    case Place::kRoot:
      return key_ == "distributedInfo" ? Enter(Place::kDistributed) : Skip();
    default:
      return Skip();
  }
}

bool JsonHandler::StartArray() {
  if (skipped_ != 0) return Skip();
  switch (place_) {
    case Place::kOutside:
      return Refuse("a list");
    case Place::kRoot:
      if (key_ == "traceEvents") {
        saw_events_ = true;
        return Enter(Place::kEvents);
      }
      return key_ == "deviceProperties" ? Enter(Place::kDevices) : Skip();
    case Place::kArgs:
      if (arg_ != Arg::kGrid && arg_ != Arg::kBlock) return Skip();
      shape_index_ = 0;
      return Enter(Place::kShape);
    case Place::kEvents:
      ++result_.not_objects;
      return Skip();
    default:
      return Skip();
  }
}

bool JsonHandler::Leave() {
  if (skipped_ != 0) {
    --skipped_;
    return true;
  }
  switch (place_) {
    case Place::kEvent:
      Deliver();
      return Enter(Place::kEvents);
    case Place::kArgs:
      return Enter(Place::kEvent);
    case Place::kShape:
      return Enter(Place::kArgs);
    case Place::kDevice:
      return Enter(Place::kDevices);
    case Place::kEvents:
    case Place::kDevices:
    case Place::kDistributed:
      return Enter(Place::kRoot);
    default:
      return Enter(Place::kOutside);
  }
}

void JsonHandler::Deliver() {
  receiver_.On(event_);
  if (++result_.events % kEventsBetweenLooks == 0 && !event_.name.empty()) {
    receiver_.ReadUpTo(static_cast<uint64_t>(event_.name.data() - begin_));
  }
}

}  // namespace slowtoken::importing

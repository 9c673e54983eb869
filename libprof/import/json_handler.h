// JsonHandler: what JsonScan's reader calls for each piece of JSON; knows where in a Chrome trace it is and makes
// events of the pieces. Single threaded; a few ns a piece.
#pragma once

#include <string>
#include <string_view>

#include "import/json_scan.h"

namespace slowtoken::importing {

class JsonHandler {
 public:
  // RapidJSON calls the members below, by these names. A false ends the reading.
  using Ch = char;
  using Size = unsigned;  // rapidjson::SizeType

  JsonHandler(EventReceiver& receiver, ScanResult& result, const char* begin)
      : receiver_(receiver), result_(result), begin_(begin) {}

  bool saw_events() const { return saw_events_; }
  bool refused() const { return refused_; }

  // Before another text is read as if it were the rest.
  void BeginAnew() {
    place_ = Place::kOutside;
    skipped_ = 0;
  }

  bool Null() { return Value("", "null"); }
  bool Bool(bool value) { return Value(value ? "true" : "false", "true or false"); }
  bool RawNumber(const char* text, Size size, bool) { return Value({text, size}, "number"); }
  bool String(const char* text, Size size, bool) { return Value({text, size}, "text"); }
  // Not called with kParseNumbersAsStringsFlag.
  bool Int(int) { return true; }
  bool Uint(unsigned) { return true; }
  bool Int64(int64_t) { return true; }
  bool Uint64(uint64_t) { return true; }
  bool Double(double) { return true; }

  bool Key(const char* text, Size size, bool);
  bool StartObject();
  bool StartArray();
  bool EndObject(Size) { return Leave(); }
  bool EndArray(Size) { return Leave(); }

 private:
  // Where in the document the reader is. What is of no interest is skipped by counting its brackets.
  enum class Place : uint8_t {
    kOutside,
    kRoot,
    kEvents,
    kEvent,
    kArgs,
    kShape,  // the list behind "grid" or "block"
    kDevices,
    kDevice,
    kDistributed
  };

  enum class EventKey : uint8_t { kNone, kPh, kCat, kName, kPid, kTid, kTs, kDur, kArgs };

  static EventKey EventKeyOf(std::string_view key);
  bool Value(std::string_view text, const char* type);
  bool EventValue(std::string_view text);
  bool Leave();
  bool Skip() {
    ++skipped_;
    return true;
  }
  bool Enter(Place place) {
    place_ = place;
    return true;
  }
  bool Refuse(std::string what) {
    result_.what = std::move(what);
    refused_ = true;
    return false;
  }
  void Deliver();

  EventReceiver& receiver_;
  ScanResult& result_;
  const char* begin_;
  SourceEvent event_;
  std::string_view key_;  // in kRoot, kDistributed, kDevice
  Place place_ = Place::kOutside;
  EventKey event_key_ = EventKey::kNone;
  Arg arg_ = Arg::kOther;
  uint32_t shape_index_ = 0;
  uint64_t skipped_ = 0;  // brackets open around what is skipped
  bool saw_events_ = false, refused_ = false;
};

}  // namespace slowtoken::importing

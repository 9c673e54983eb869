// DumpWriter: copies the frames of the flight ring that overlap a trigger's window into a trace file of their own,
// `<dir>/dumps/<utc>-<kind>-<8 hex>/<role>-<pid>-<8 hex>.stt`, in bounded pieces, round by round, and ends it properly.
// One dump at a time. Worker thread; a megabyte takes about half a millisecond. No descriptor is kept between rounds:
// the file is opened by its path and its identity checked.
#pragma once

#include "base/kept_descriptor.h"
#include "base/loss.h"
#include "capture/ring_output.h"
#include "record/detail_events.h"

namespace slowtoken::capture {

class DumpWriter {
 public:
  bool Init(base::Arena& arena, const Config& config, const RingOutput& ring, base::LossCounters& losses);

  // Makes the folder and the file. False if that is refused, or a dump is being written.
  bool Begin(const record::Trigger& trigger, base::TimeNs utc);

  bool active() const { return active_; }
  const record::Trigger& trigger() const { return trigger_; }

  // Copies at most about `most_bytes` of what is in the ring and belongs into the dump; ends the dump when the window
  // is over, or `now` is so late that nothing more will come.
  void Copy(base::TimeNs now, uint64_t most_bytes);

  // Ends the dump as it is.
  void End();

  // The folder's name of a dump: "20261129T143000Z-slo_itl-0a1b2c3d". `out` holds kNameSize.
  static constexpr size_t kNameSize = 48;
  static void MakeName(const record::Trigger& trigger, base::TimeNs utc, char (&out)[kNameSize]);

 private:
  bool Reopen();
  bool CopyFrame(const RingOutput::Frame& frame);
  bool WriteEnd();
  bool Append(const uint8_t* data, size_t size);

  const Config* config_ = nullptr;
  const RingOutput* ring_ = nullptr;
  base::LossCounters* losses_ = nullptr;
  std::span<uint8_t> buffer_;
  bool active_ = false;
  bool begun_ = false;  // a frame has been copied
  record::Trigger trigger_;
  uint64_t next_ = 0;        // number of the next frame
  uint64_t size_ = 0;        // of the file
  base::KeptDescriptor to_;  // open while in a call
  int from_ = -1;            // the segment being read, while in Copy
  uint32_t from_segment_ = 0;
  char path_[sizeof Config::directory + 160] = {};
};

}  // namespace slowtoken::capture

// Kernels and API calls: the two batches with sites, and the ones that decide how fast a trace is read.
#include "reader/bind_columns.h"
#include "reader/chunk_decoder.h"

namespace slowtoken::reader {
namespace {

// The distinct sites of a batch, from 0. False if their columns contradict each other.
template <typename Site, typename BatchMessage>
bool ReadSites(const BatchMessage& batch, const ChunkTables& tables, std::vector<Site>& sites) {
  Cursors cursors;
  BindColumns(batch, cursors);
  if (!cursors.Check(trace::kFirstSiteColumn)) return false;
  RowReader reader(cursors, tables);
  sites.resize(cursors.rows);
  for (Site& site : sites) trace::Columns<Site>::Each(site, reader);
  return true;
}

// The columns outside the sites.
template <typename BatchMessage>
bool BindRows(const BatchMessage& batch, Cursors& cursors) {
  cursors[trace::kSiteColumn].Bind(batch.site());
  cursors[trace::kGapColumn].Bind(batch.gap());
  cursors[trace::kDurationColumn].Bind(batch.duration());
  cursors[trace::kCorrelationColumn].Bind(batch.correlation());
  return cursors.Check();
}

// Follows the site column; Next is false when it leaves the sites there are.
class SiteCursor {
 public:
  explicit SiteCursor(size_t sites) : durations_(sites) {}
  bool Next(uint64_t code) {
    index_ += 1 + code;
    return index_ < durations_.size();
  }
  size_t index() const { return static_cast<size_t>(index_); }
  uint64_t Duration(uint64_t code) { return durations_[index()] += code; }

 private:
  std::vector<uint64_t> durations_;
  uint64_t index_ = UINT64_MAX;
};

// Lanes of a kernel batch as the file numbers them: gaps are coded per lane, whatever the common dictionary says.
std::vector<uint64_t> SiteLanes(const v1::KernelBatch& batch, size_t sites, size_t lanes) {
  std::vector<uint64_t> result(sites);
  Cursor cursor;
  cursor.Bind(batch.site_lane());
  for (uint64_t& lane : result) {
    const uint64_t position = cursor.Next();
    lane = position <= lanes ? position : 0;
  }
  return result;
}

}  // namespace

void ChunkDecoder::Kernels(const v1::KernelBatch& batch, record::EventVisitor& out) {
  std::vector<trace::KernelSite> sites;
  Cursors cursors;
  if (!ReadSites(batch, tables_, sites) || !BindRows(batch, cursors)) return Problem("kernels");
  const std::vector<uint64_t> site_lanes = SiteLanes(batch, sites.size(), tables_.lane_count());
  std::vector<uint64_t> lane_end(tables_.lane_count() + 1);
  SiteCursor site(sites.size());
  record::Kernel kernel;
  kernel.process = tables_.process();
  for (size_t i = 0; i < cursors.rows; ++i) {
    if (!site.Next(cursors[trace::kSiteColumn].NextCode())) return Problem("kernels");
    const trace::KernelSite& where = sites[site.index()];
    uint64_t& end = lane_end[site_lanes[site.index()]];
    const uint64_t start = end + cursors[trace::kGapColumn].NextCode();
    end = start + site.Duration(cursors[trace::kDurationColumn].NextCode());
    kernel.start = tables_.HostTime(start);
    kernel.end = tables_.HostTime(end);
    kernel.correlation = static_cast<uint32_t>(cursors[trace::kCorrelationColumn].Next());
    kernel.shape = where.shape;
    kernel.lane = where.lane;
    kernel.graph_id = where.graph_id;
    kernel.graph_node_id = where.graph_node_id;
    out.On(kernel);
  }
}

void ChunkDecoder::ApiCalls(const v1::ApiCallBatch& batch, record::EventVisitor& out) {
  std::vector<trace::ApiCallSite> sites;
  Cursors cursors;
  if (!ReadSites(batch, tables_, sites) || !BindRows(batch, cursors)) return Problem("API calls");
  SiteCursor site(sites.size());
  uint64_t end = 0;
  for (size_t i = 0; i < cursors.rows; ++i) {
    if (!site.Next(cursors[trace::kSiteColumn].NextCode())) return Problem("API calls");
    const trace::ApiCallSite& where = sites[site.index()];
    const uint64_t start = end + cursors[trace::kGapColumn].NextCode();
    end = start + site.Duration(cursors[trace::kDurationColumn].NextCode());
    record::ApiCall call;
    call.start = tables_.HostTime(start);
    call.end = tables_.HostTime(end);
    call.correlation = static_cast<uint32_t>(cursors[trace::kCorrelationColumn].Next());
    call.cbid = where.cbid;
    call.return_value = where.return_value;
    call.thread = where.thread;
    call.name = where.name;
    call.domain = where.domain;
    call.api_class = where.api_class;
    call.captured = where.captured;
    call.process = tables_.process();
    out.On(call);
  }
}

}  // namespace slowtoken::reader

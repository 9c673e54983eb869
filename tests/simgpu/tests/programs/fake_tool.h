// A tool that only writes down what the engine tells it. One per process; the tests clear it between looks.
#pragma once

#include <dlfcn.h>

#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "simgpu/core/tool_interface.h"

struct SeenCall {
  uint32_t domain, cbid, correlation;
  std::string name, symbol;
  bool nested;
  int result;
  uint64_t correlation_data;
  uint64_t enter_ns, exit_ns;
};

struct SeenRecord {
  SimgpuRecord record;
  std::string name;
  bool done = false;
  int completions = 0;
  uint64_t start = 0, end = 0;
};

struct SeenResource {
  SimgpuResourceEvent event;
  uint64_t node_id, original_node_id;
  uint32_t graph_id, exec_id;
};

class FakeTool {
 public:
  static FakeTool& The() {
    static FakeTool* tool = new FakeTool;
    return *tool;
  }

  const SimgpuEngineApi* engine = nullptr;
  uint32_t wanted = 0;
  std::mutex mutex;
  std::vector<SeenCall> calls;
  std::vector<SeenRecord*> records;  // in order of reservation; leaked, as completions may come late
  std::vector<SeenResource> resources;
  void (*on_enter)() = nullptr;

  bool Attach() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    auto attach = reinterpret_cast<decltype(&simgpuAttachTool)>(dlsym(library, "simgpuAttachTool"));
    if (attach == nullptr) return false;
    static SimgpuToolHooks hooks{};
    hooks.struct_size = sizeof(hooks);
    hooks.version = SIMGPU_TOOL_INTERFACE_VERSION;
    hooks.wanted = &wanted;
    hooks.api_enter = Enter;
    hooks.api_exit = Exit;
    hooks.reserve = Reserve;
    hooks.complete = Complete;
    hooks.resource = Resource;
    engine = attach(&hooks);
    return engine != nullptr;
  }

  void Clear(uint32_t now_wanted) {
    std::lock_guard lock(mutex);
    wanted = now_wanted;
    calls.clear();
    records.clear();
    resources.clear();
    on_enter = nullptr;
  }

  std::vector<SeenRecord*> OfKind(SimgpuRecordKind kind) {
    std::lock_guard lock(mutex);
    std::vector<SeenRecord*> found;
    for (SeenRecord* record : records) {
      if (record->record.kind == static_cast<uint32_t>(kind)) found.push_back(record);
    }
    return found;
  }

  std::vector<SeenResource> Events(SimgpuResourceEventKind kind) {
    std::lock_guard lock(mutex);
    std::vector<SeenResource> found;
    for (const SeenResource& seen : resources) {
      if (seen.event.kind == static_cast<uint32_t>(kind)) found.push_back(seen);
    }
    return found;
  }

 private:
  static void Enter(SimgpuApiCall* call) {
    call->correlation_data = 4711;
    if (The().on_enter != nullptr) The().on_enter();
  }

  static void Exit(SimgpuApiCall* call) {
    std::lock_guard lock(The().mutex);
    int result = 0;
    std::memcpy(&result, call->return_value, sizeof(result));
    The().calls.push_back({call->domain, call->cbid, call->correlation_id, call->function_name,
                           call->symbol_name != nullptr ? call->symbol_name : "", call->nested != 0, result,
                           call->correlation_data, call->enter_ns, call->exit_ns});
  }

  static void* Reserve(const SimgpuRecord* record) {
    std::lock_guard lock(The().mutex);
    auto* seen = new SeenRecord{*record, record->name != nullptr ? record->name : ""};
    The().records.push_back(seen);
    return seen;
  }

  static void Complete(void* slot, uint64_t start, uint64_t end) {
    std::lock_guard lock(The().mutex);
    auto* seen = static_cast<SeenRecord*>(slot);
    seen->done = true;
    ++seen->completions;
    seen->start = start;
    seen->end = end;
  }

  static void Resource(const SimgpuResourceEvent* event) {
    const SimgpuEngineApi* api = The().engine;
    std::lock_guard lock(The().mutex);
    The().resources.push_back({*event, api->graph_node_id(event->node), api->graph_node_id(event->original_node),
                               api->graph_id(event->graph), api->graph_exec_id(event->exec)});
  }
};

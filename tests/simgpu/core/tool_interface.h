// The C interface between the simulated GPU's engine (inside libcuda.so.1) and a tool that watches it (the
// libcupti.so.13 stand-in). The engine calls SimgpuToolHooks, the tool calls SimgpuEngineApi; both are plain tables of
// functions.
//
// How a tool attaches: dlopen("libcuda.so.1", RTLD_NOW), dlsym("simgpuAttachTool"). Attaching initialises nothing and
// is legal before cuInit and from inside InitializeInjection. One tool at a time; a second attach replaces the first;
// NULL detaches.
//
// Cost: with no tool attached (or with `wanted` all zero) an API call pays one relaxed atomic load.
//
// Threads and locks: every hook says below on which thread it runs. "No engine lock" means the hook may call anything,
// CUDA included (calls made from inside a hook get no api_enter/api_exit of their own). "Engine lock held" means the
// hook must not wait, must not call CUDA or client code, and may only use the SimgpuEngineApi services marked [any
// lock].
//
// Times are CLOCK_MONOTONIC nanoseconds; SimgpuEngineApi::wall_ns converts to CLOCK_REALTIME and applies the fault
// plan's clock faults.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIMGPU_TOOL_INTERFACE_VERSION 1u

/* Opaque CUDA handles, so that this header needs no CUDA header. */
struct CUctx_st;
struct CUstream_st;
struct CUmod_st;
struct CUgraph_st;
struct CUgraphNode_st;
struct CUgraphExec_st;

/* ---------------------------------------------------------------- what the tool wants (SimgpuToolHooks::wanted) */

/* Bits of the word the tool publishes. The engine reads it relaxed; a bit may be changed at any time. */
enum SimgpuWant {
  SIMGPU_WANT_DRIVER_API = 1u << 0,  /* api_enter/api_exit for the driver domain */
  SIMGPU_WANT_RUNTIME_API = 1u << 1, /* ... for the runtime domain */
  SIMGPU_WANT_RESOURCE = 1u << 2,    /* resource() */
  SIMGPU_WANT_KERNEL = 1u << 3,      /* reserve() for kernels outside graphs and, with GRAPH_NODES, inside */
  SIMGPU_WANT_MEMCPY = 1u << 4,      /* copies, SIMGPU_RECORD_MEMCPY_PEER included */
  SIMGPU_WANT_MEMSET = 1u << 5,
  SIMGPU_WANT_SYNC = 1u << 6,        /* host waits and cross-stream waits */
  SIMGPU_WANT_EVENT = 1u << 7,       /* cudaEventRecord on the device */
  SIMGPU_WANT_GRAPH_TRACE = 1u << 8, /* one record per graph launch */
  SIMGPU_WANT_GRAPH_NODES =
      1u << 9, /* records of single nodes; a tool with GRAPH_TRACE on clears this bit, as CUPTI does */
  SIMGPU_WANT_MEMORY = 1u << 10, /* allocation and release */
  SIMGPU_WANT_HOST_FUNCTION = 1u << 11
};

/* ---------------------------------------------------------------- API calls */

/* Same values as CUpti_CallbackDomain. */
enum SimgpuDomain { SIMGPU_DOMAIN_DRIVER = 1, SIMGPU_DOMAIN_RUNTIME = 2 };

/* One API call in progress. Lives on the calling thread's stack from api_enter to api_exit: the same object is passed
 * to both. */
typedef struct SimgpuApiCall {
  uint32_t struct_size;
  uint32_t domain; /* enum SimgpuDomain */
  uint32_t cbid;   /* CUPTI_RUNTIME_TRACE_CBID_* or CUPTI_DRIVER_TRACE_CBID_*; 0 = the call has none: never reported */
  uint32_t correlation_id;   /* of the outermost call; a nested driver call has the id of its runtime call */
  const char* function_name; /* exported name, e.g. "cudaMemcpyAsync"; static storage */
  const void*
      params; /* <name>_params of generated_cuda_meta.h / generated_cuda_runtime_api_meta.h, or NULL (494-508) */
  void* return_value;         /* points at a CUresult or cudaError_t; its content is valid at exit only */
  const char* symbol_name;    /* mangled kernel name for launches, else NULL */
  struct CUctx_st* context;   /* current context; may be NULL and may differ between enter and exit */
  uint32_t context_uid;       /* 0 = none */
  uint32_t nested;            /* 1 = driver call made by the runtime library inside a runtime call */
  uint64_t correlation_data;  /* the slot whose address is CUpti_CallbackData::correlationData; 0 at enter */
  uint64_t enter_ns, exit_ns; /* set by the engine just before api_enter / api_exit (only if that hook is wanted) */
  uint64_t tool[4];           /* the tool's own, zero at enter, kept until exit */
} SimgpuApiCall;

/* ---------------------------------------------------------------- device records */

enum SimgpuRecordKind {
  SIMGPU_RECORD_KERNEL = 1,
  SIMGPU_RECORD_MEMCPY = 2,
  SIMGPU_RECORD_MEMCPY_PEER = 3,
  SIMGPU_RECORD_MEMSET = 4,
  SIMGPU_RECORD_SYNC = 5,
  SIMGPU_RECORD_EVENT = 6,
  SIMGPU_RECORD_GRAPH_TRACE = 7,
  SIMGPU_RECORD_MEMORY = 8,
  SIMGPU_RECORD_HOST_FUNCTION = 9
};

/* Values equal to CUpti_ActivityMemcpyKind / CUpti_ActivityMemoryKind / CUpti_ActivitySynchronizationType, so a tool
 * may cast. */

/* Everything a CUPTI record of any kind needs. Fields that a kind does not use are 0. */
typedef struct SimgpuRecord {
  uint32_t struct_size;
  uint32_t kind;           /* enum SimgpuRecordKind */
  uint32_t correlation_id; /* of the launching outermost call */
  uint32_t device_id;
  uint32_t context_id;
  uint32_t stream_id;
  uint32_t graph_id; /* 0 outside graphs. Inside: id of the executable graph */
  uint32_t channel_id;
  uint32_t channel_type;  /* CUpti_ChannelType */
  uint32_t flags;         /* memcpy: bit 0 asynchronous. memset: same */
  uint64_t graph_node_id; /* 0 outside graphs. Inside: id of the node in the executable graph */
  uint64_t queued_ns;     /* when the call queued it, monotonic */
  uint64_t submitted_ns;  /* when it reached the device, monotonic */

  /* kernels */
  const char*
      name; /* mangled; owned by the engine; lives until the process ends (recycling is a fault the tool plays) */
  int32_t grid[3], block[3];
  uint32_t static_shared, dynamic_shared;
  uint32_t registers_per_thread;
  uint32_t local_per_thread;
  uint64_t local_total;
  uint32_t shared_executed; /* total shared memory carve-out in bytes */
  uint32_t cluster[3];      /* 0 = none */
  uint32_t cooperative;
  uint32_t priority; /* CUpti stream priority value, as int */

  /* copies and sets */
  uint32_t copy_kind;          /* CUpti_ActivityMemcpyKind */
  uint32_t src_kind, dst_kind; /* CUpti_ActivityMemoryKind; memset uses dst_kind */
  uint32_t src_device_id, dst_device_id, src_context_id, dst_context_id; /* peer copies */
  uint32_t memset_value;
  uint64_t bytes;
  uint64_t copy_count;

  /* synchronisation, events, memory, host functions */
  uint32_t sync_type;        /* CUpti_ActivitySynchronizationType */
  uint32_t event_id;         /* CUDA event id; 0 = none */
  uint64_t event_sync_id;    /* serial of that event's record call; 0 = never recorded */
  uint64_t address;          /* memory: address. host function: the function */
  uint64_t pool_address;     /* memory: pool handle of stream-ordered allocations */
  uint32_t memory_operation; /* CUpti_ActivityMemoryOperationType */
  uint32_t memory_async;
} SimgpuRecord;

/* ---------------------------------------------------------------- resources */

/* Values below 100 equal CUpti_CallbackIdResource; above are CUPTI_CB_DOMAIN_SYNCHRONIZE, 100 + CUpti_CallbackIdSync.
 */
enum SimgpuResourceEventKind {
  SIMGPU_CONTEXT_CREATED = 1,
  SIMGPU_CONTEXT_DESTROY_STARTING = 2,
  SIMGPU_STREAM_CREATED = 3,
  SIMGPU_STREAM_DESTROY_STARTING = 4,
  SIMGPU_CU_INIT_FINISHED = 5,
  SIMGPU_MODULE_LOADED = 6,
  SIMGPU_MODULE_UNLOAD_STARTING = 7,
  SIMGPU_GRAPH_CREATED = 9,
  SIMGPU_GRAPH_DESTROY_STARTING = 10,
  SIMGPU_GRAPH_CLONED = 11,
  SIMGPU_GRAPHNODE_CREATE_STARTING = 12,
  SIMGPU_GRAPHNODE_CREATED = 13,
  SIMGPU_GRAPHNODE_DESTROY_STARTING = 14,
  SIMGPU_GRAPHNODE_DEPENDENCY_CREATED = 15,
  SIMGPU_GRAPHNODE_DEPENDENCY_DESTROY_STARTING = 16,
  SIMGPU_GRAPHEXEC_CREATE_STARTING = 17,
  SIMGPU_GRAPHEXEC_CREATED = 18,
  SIMGPU_GRAPHEXEC_DESTROY_STARTING = 19,
  SIMGPU_GRAPHNODE_CLONED = 20,
  SIMGPU_GRAPH_NODE_UPDATED = 22,
  SIMGPU_STREAM_SYNCHRONIZED = 101,
  SIMGPU_CONTEXT_SYNCHRONIZED = 102
};

/* Valid during the hook only. Handles are real driver handles, usable with the *_id services. */
typedef struct SimgpuResourceEvent {
  uint32_t struct_size;
  uint32_t kind; /* enum SimgpuResourceEventKind */
  struct CUctx_st* context;
  uint32_t context_uid;
  uint32_t device_id;
  struct CUstream_st* stream; /* NULL = the context's legacy default stream, which has stream_id 7 */
  uint32_t stream_id;
  struct CUmod_st* module;
  uint32_t module_id;
  const void* cubin; /* module image; lives as long as the module */
  size_t cubin_size;
  struct CUgraph_st* graph;
  struct CUgraph_st* original_graph; /* clones and instantiation */
  struct CUgraphNode_st* node;
  struct CUgraphNode_st* original_node; /* GRAPHNODE_CLONED */
  struct CUgraphNode_st* dependency;
  uint32_t node_type; /* CUgraphNodeType */
  struct CUgraphExec_st* exec;
} SimgpuResourceEvent;

/* ---------------------------------------------------------------- the tool's table */

typedef struct SimgpuToolHooks {
  uint32_t struct_size;
  uint32_t version; /* SIMGPU_TOOL_INTERFACE_VERSION */
  /* Word of SIMGPU_WANT_* bits, owned by the tool, alive until detach. Read with a relaxed atomic load. */
  const uint32_t* wanted;

  /* Calling thread, no engine lock. Per-cbid filtering is the tool's. */
  void (*api_enter)(SimgpuApiCall* call);
  void (*api_exit)(SimgpuApiCall* call);

  /* A piece of device work was accepted. Runs on the submitting thread inside its API call, no engine lock, before the
   * work is queued, so a record takes its place at launch. Returns the tool's slot, or NULL when it wants no
   * completion. Graph launches: GRAPH_TRACE first, then each node in topological order. `record` is valid during the
   * call only. */
  void* (*reserve)(const SimgpuRecord* record);

  /* The work of `slot` ended: called once per non-NULL slot, when the modelled end has passed, on whichever thread
   * advances the timeline (an observing application thread, or the engine's device thread). ENGINE LOCK HELD. Per
   * stream in order of end. */
  void (*complete)(void* slot, uint64_t start_ns, uint64_t end_ns);

  /* Thread that caused the event, no engine lock. */
  void (*resource)(const SimgpuResourceEvent* event);

  /* The process calls fork(): runs in the child's only thread, no lock is held. May be NULL. */
  void (*forked_child)(void);
  void* reserved[8]; /* NULL */
} SimgpuToolHooks;

/* ---------------------------------------------------------------- the engine's table */

typedef struct SimgpuDeviceInfo {
  uint32_t struct_size;
  uint32_t ordinal;
  char name[64];
  uint8_t uuid[16];
  int32_t compute_major, compute_minor;
  uint64_t global_memory_bytes, memory_bandwidth_kb_per_s;
  uint64_t constant_memory_bytes;
  uint32_t l2_bytes;
  uint32_t multiprocessors, warp_size, max_threads_per_block, max_threads_per_multiprocessor,
      max_blocks_per_multiprocessor;
  uint32_t max_shared_per_block, max_shared_per_multiprocessor, max_registers_per_block,
      max_registers_per_multiprocessor;
  uint32_t core_clock_khz, memory_clock_khz, memory_bus_bits;
  uint32_t copy_engines;
  uint32_t pci_domain, pci_bus, pci_device;
} SimgpuDeviceInfo;

/* Result of a fault look-up; see tests/simgpu/README.md for the plan's grammar. */
typedef struct SimgpuFault {
  int64_t value;     /* the number after '=', 0 if none */
  const char* text;  /* the text after '=', "" if none; lives for the process */
  uint64_t occasion; /* 1 for the first time this point was asked about */
} SimgpuFault;

/* All services are thread-safe. */
typedef struct SimgpuEngineApi {
  uint32_t struct_size;
  uint32_t version;

  /* --- time */
  uint64_t (*now_ns)(void); /* [any lock] CLOCK_MONOTONIC */
  uint64_t (*wall_ns)(
      uint64_t monotonic_ns); /* [any lock] CLOCK_REALTIME of that moment, clock faults applied; 0 stays 0 */
  void (*pump)(void); /* advances the timeline to now: every completion that is due is delivered before it returns */
  uint32_t (*outstanding)(void); /* [any lock] device work accepted and not yet completed */
  void (*synchronize)(void);     /* waits until all accepted work is done (no API records, no sync records) */

  /* --- state */
  int (*initialized)(void); /* [any lock] 1 = cuInit has succeeded in this process */
  int (*end_state)(void);   /* [any lock] 0 alive, 3 forked child (NOT_INITIALIZED), 4 exit began (DEINITIALIZED) */
  uint32_t (*current_correlation_id)(
      void); /* [any lock] of the calling thread's outermost API call in progress; 0 = none */
  uint32_t (*next_correlation_id)(
      void); /* [any lock] the id the next outermost call will get (for tests of wrap-around) */
  void (*set_correlation_id)(uint32_t next); /* [any lock] */

  /* --- API names. domain: enum SimgpuDomain. */
  const char* (*api_name)(uint32_t domain,
                          uint32_t cbid); /* [any lock] as in the cbid enum, "cudaMalloc_v3020"; NULL = unknown */
  uint32_t (*api_cbid)(uint32_t domain, const char* name); /* [any lock] enum name or exported name; 0 = unknown */
  uint32_t (*api_count)(uint32_t domain);                  /* [any lock] highest cbid + 1 */

  /* --- devices, contexts, streams. Enumerations write at most `capacity` entries and return the total. */
  uint32_t (*device_count)(void);
  int (*device_info)(uint32_t ordinal, SimgpuDeviceInfo* info); /* 0 ok, -1 no such device */
  struct CUctx_st* (*current_context)(void);
  uint32_t (*context_id)(struct CUctx_st* context);    /* NULL = current; 0 = unknown */
  int32_t (*context_device)(struct CUctx_st* context); /* ordinal, -1 = unknown */
  uint32_t (*contexts)(struct CUctx_st** out, uint32_t capacity);
  uint32_t (*streams)(struct CUctx_st* context, struct CUstream_st** out, uint32_t capacity); /* user-created streams */
  uint32_t (*stream_id)(struct CUctx_st* context, struct CUstream_st* stream,
                        int per_thread); /* NULL, 0x1, 0x2 understood; 0 = unknown */
  int (*stream_attributes)(struct CUctx_st* context, struct CUstream_st* stream, uint32_t* flags, int32_t* priority);

  /* --- graphs; 0 = unknown handle */
  uint32_t (*graph_id)(struct CUgraph_st* graph);
  uint32_t (*graph_exec_id)(struct CUgraphExec_st* exec);
  uint64_t (*graph_node_id)(struct CUgraphNode_st* node);

  /* --- fault plan. fault() counts one occasion of `point` and returns 1 if a rule fires for it; fault_peek() does not
   * count. */
  int (*fault)(const char* point, SimgpuFault* out);      /* [any lock] */
  int (*fault_peek)(const char* point, SimgpuFault* out); /* [any lock] */
  uint32_t (*seed)(void);                                 /* [any lock] SIMGPU_SEED or 1: for faults that shuffle */

  /* --- identity: file path of the loaded libcuda.so.1 stand-in */
  const char* (*library_path)(void); /* [any lock] */
} SimgpuEngineApi;

/* Exported by libcuda.so.1. NULL hooks detach. Returns NULL if hooks->version is unknown. The table lives for the
 * process. */
const SimgpuEngineApi* simgpuAttachTool(const SimgpuToolHooks* hooks);
/* The engine's table without attaching. */
const SimgpuEngineApi* simgpuEngine(void);

#ifdef __cplusplus
}
#endif

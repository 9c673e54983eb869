"""Every fault that the simulated GPU can be told to show, one plan each (tests/simgpu/README.md, tests/simgpu/cupti/README.md).

`problems` compares the list with those two documents, so that a new fault point cannot be forgotten here.
"""
import re

# CUPTI functions that libslowtoken.so calls, each failing with a code of its own, at the first call and for ever.
FUNCTIONS = {
    "cuptiSubscribe": 39, "cuptiSubscribe_v2": 39, "cuptiUnsubscribe": 2, "cuptiEnableCallback": 1, "cuptiActivityEnable": 7,
    "cuptiActivityRegisterCallbacks": 2, "cuptiActivityFlushAll": 999, "cuptiActivityGetNextRecord": 999,
    "cuptiActivityGetNumDroppedRecords": 14, "cuptiActivitySetAttribute": 1, "cuptiGetTimestamp": 15, "cuptiGetVersion": 999,
    "cuptiActivityEnableRuntimeApi": 1, "cuptiActivityEnableDriverApi": 1, "cuptiSetThreadIdType": 2, "cuptiGetGraphExecId": 1,
    "cuptiGetCallbackName": 1,
}

PLANS = [f"cupti.{function}={code}" for function, code in FUNCTIONS.items()] + [
    "cupti.any=35", "cupti.any=999@20", "cupti.kind_error=10:15+1:8", "cupti.version=26", "cupti.version=18", "cupti.version=99",
    "cupti.other_tool=nsys", "cupti.mix=all", "cupti.prefetch=16", "cupti.delay_complete=3", "cupti.keep=5",
    "cupti.write_after_stop=5", "cupti.withhold_partial", "cupti.incomplete_start", "cupti.shuffle=in+across+buffers",
    "cupti.repeat=all:30", "cupti.drop=kernel:50", "cupti.drop_counted=all:50", "cupti.zero=all:20", "cupti.zero_after=10",
    "cupti.shift=kernel:-5000", "cupti.jitter=300", "cupti.drift_ppm=50", "cupti.first_k=5:3600000000000", "cupti.share_id=50",
    "cupti.id_base=4294967290", "cupti.unknown_kind=3", "cupti.extra_bytes=64", "cupti.unknown_cbid=2", "cupti.recycle_names",
    "cupti.silent_after_disable", "cupti.lose_callbacks_after=3", "cupti.garbage", "cupti.fatal_after=20", "cupti.finalize_abort",
    "cupti.slow_complete=2", "cupti.slow_request=2", "cupti.abort_before_main|cupti.abort_after_exit|cupti.abort_in_child",
    "cupti.strict|cupti.abort_on_violation", "cupti.deadlock_ms=1000",
    "injection.missing", "clock.step=3600000000000@5", "clock.step=-3600000000000@5",
    "api.cuMemcpyDtoHAsync_v2=2", "api.cudaMalloc=2@2*1", "api.cudaLaunchKernel=700@5*1", "api.cudaGraphLaunch=1@2*1",
    "api.cuInit=100",
]


def is_engine_fault(plan):
    """The program itself sees it, with or without slowtoken."""
    return not plan.startswith("cupti.")


def problems(readme_texts):
    """Fault points that a README's tables name and no plan uses."""
    points = set()
    for text in readme_texts:
        for line in re.findall(r"^\| (`.*)$", text.split("Fault p")[1], re.M):
            points |= set(re.findall(r"`((?:cupti|api|injection|clock)\.[a-z_]+)", line.split("|")[0] + " "))
    used = " ".join(PLANS)
    return [f"no plan of faults.py uses {point}" for point in sorted(points) if point not in used]

"""What stands in a Kineto trace, counted with Python's json and decimal alone: what an import is held against."""
import collections
import decimal
import gzip
import json
import pathlib
import re

KINDS = {"kernel": "kernel", "Kernel": "kernel", "gpu_memcpy": "copy", "Memcpy": "copy", "gpu_memset": "set", "Memset": "set",
         "cuda_runtime": "call", "cuda_driver": "call", "Runtime": "call", "cpu_op": "cpu_op", "Operator": "cpu_op",
         "python_function": "python_function", "user_annotation": "user_annotation", "gpu_user_annotation": "gpu_user_annotation"}
LAUNCHES = re.compile(r"^(cuda|cu|hip)\w*Launch(?!HostFunc)")
STARTS_WORK = re.compile(r"^(cuda|cu|hip)\w*(Launch(?!HostFunc)|Mem(cpy|set))")
COPY_KINDS = ["", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"]


def load(path):
    data = pathlib.Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return json.loads(data, parse_float=decimal.Decimal)


def ns(microseconds):
    return int((decimal.Decimal(microseconds) * 1000).to_integral_value(decimal.ROUND_HALF_UP))


def last_number(text):
    return int(re.search(r"(\d*)$", str(text)).group(1) or 0)


class Counted:
    """The events of a file by kind, as lists of what tests/e2e/trace_dump.cc writes of them. Times are exact nanoseconds."""

    def __init__(self, path):
        self.trace = load(path)
        self.base = int(self.trace.get("baseTimeNanoseconds", 0))
        self.events = collections.defaultdict(list)
        self.collectives = 0
        for event in self.trace["traceEvents"]:
            if event.get("ph") == "X" and event.get("cat") in KINDS:
                self.take(KINDS[event["cat"]], event, event.get("args", {}))
        self.count_launches()

    def take(self, kind, event, args):
        start = self.base + ns(event["ts"])
        line = [start, start + ns(event["dur"])]
        correlation = int(args.get("correlation", 0))
        place = [int(args.get("device", event["pid"] if str(event["pid"]).isdigit() else 0)), last_number(args.get("stream", event["tid"]))]
        if kind == "kernel":
            line += [event["name"], correlation, *place]
            self.collectives += "Collective name" in args
        elif kind == "copy":
            found = re.match(r"Memcpy (\w+)", event["name"])
            copy = found.group(1) if found else args.get("kind", "")
            line += [COPY_KINDS.index(copy) if copy in COPY_KINDS else 0, correlation, *place, int(args.get("bytes", args.get("size", 0)))]
        elif kind == "set":
            line += [correlation, *place, int(args.get("bytes", 0))]
        elif kind == "call":
            line += [re.sub(r"_v\d{4,}$", "", event["name"]), correlation, int(event["tid"]) % 2**32]
        elif kind == "gpu_user_annotation":
            line += [event["name"], 0]
        elif kind == "python_function":
            line += [re.sub(r"^.*/([^/]*\.py\()", r"\1", event["name"], count=1), int(event["tid"]) % 2**32]
        else:
            line += [event["name"], int(event["tid"]) % 2**32]
        self.events[kind].append(line)

    def count_launches(self):
        of_kernels = {kernel[3] for kernel in self.events["kernel"]}
        of_work = of_kernels | {e[3] for e in self.events["copy"]} | {e[2] for e in self.events["set"]}
        launch_ids, graph_ids, starting_ids = set(), set(), set()
        for call in self.events["call"]:
            unknown_launch = call[3] in of_kernels and not STARTS_WORK.match(call[2])
            if LAUNCHES.match(call[2]) or unknown_launch:
                launch_ids.add(call[3])
            if "GraphLaunch" in call[2]:
                graph_ids.add(call[3])
            if STARTS_WORK.match(call[2]) or unknown_launch:
                starting_ids.add(call[3])
        self.launches = len(launch_ids)
        self.launches_matched = len(launch_ids & of_work)
        self.graph_launches = len(graph_ids)
        self.without_call = sum(e[3] not in starting_ids for e in self.events["kernel"] + self.events["copy"])
        self.without_call += sum(e[2] not in starting_ids for e in self.events["set"])
        per_graph = collections.Counter(kernel[3] for kernel in self.events["kernel"] if kernel[3] in graph_ids)
        self.kernels_of_graphs = sorted(per_graph.values(), reverse=True)
        self.kernels_without_launch = sum(kernel[3] not in launch_ids for kernel in self.events["kernel"])

    @property
    def rank(self):
        return self.trace.get("distributedInfo", {}).get("rank")

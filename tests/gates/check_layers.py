#!/usr/bin/env python3
"""The include rule of docs/ARCHITECTURE.md: a folder includes only itself and the layers below it.

usage: check_layers.py SOURCE_DIR
"""
import pathlib
import re
import sys

# folder -> folders it may include, besides itself
BELOW = {
    "base": [],
    "record": ["base"],
    "trace": ["base", "record"],
    "rules": ["base", "record"],
    "attribution": ["base", "record", "rules"],
    "capture": ["base", "record", "trace", "rules", "attribution"],
    "cupti": ["base", "record", "capture"],
    "nvtx": ["base", "record", "rules", "capture"],
    "sched": ["base", "record", "capture"],
    "nccl": ["base", "record", "capture"],
    "conditions": ["base", "record", "capture"],
    "nvml": ["base", "record", "capture"],
    "reader": ["base", "record", "trace", "attribution", "proto"],
    "import": ["base", "record", "trace", "rules"],
    "analysis": ["base", "record", "rules", "attribution", "reader"],
    "report": ["base", "record", "rules", "attribution", "reader", "analysis", "proto"],
    "export": ["base", "record", "rules", "attribution", "reader", "analysis", "proto"],
}
# Headers that only one folder may include (the others must not know them).
OWNERS = {"cupti": re.compile(r"cupti.*\.h"), "nvtx": re.compile(r"nvtx3/.*"), "nccl": re.compile(r"nccl.*\.h"), "nvml": re.compile(r"nvml\.h")}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def folder_violations(root, folder, allowed):
    for path in sorted((root / "libprof" / folder).rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        for name in INCLUDE.findall(path.read_text()):
            first = name.split("/")[0]
            if first in BELOW and "/" in name and first != folder and first not in allowed:
                yield f"{path.relative_to(root)}: {folder}/ may not include {name}"
            for owner, pattern in OWNERS.items():
                if folder != owner and pattern.fullmatch(name) and not name.startswith(owner + "/"):
                    yield f"{path.relative_to(root)}: only {owner}/ may include {name}"


def main():
    root = pathlib.Path(sys.argv[1])
    unknown = {p.name for p in (root / "libprof").iterdir() if p.is_dir()} - set(BELOW) - {"include"}
    problems = [f"libprof/{name}: a folder without a place among the layers" for name in sorted(unknown)]
    for folder, allowed in BELOW.items():
        problems += folder_violations(root, folder, allowed)
    print("\n".join(problems) or f"{len(BELOW)} folders keep the include rule")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The table of failures in docs/BUG_LOG.md: no row of the bug log from 1 to 81 is missing, every test it names exists.

usage: check_bug_log.py SOURCE_DIR BUILD_DIR
"""
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

# The numbers in use up to 81; some are absent in the log itself.
ROWS = {1, 2, 3, 4, 6, 7, 8, 10, 11, 13, 14, 15, 16, 17, 18, 20, 21, 22, 23, 25, 26, 27, 28, 29, 30, 32, 33, 34, 35, 36, 37, 38,
        39, 41, 42, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53, 54, 56, 57, 59, 61, 62, 63, 64, 65, 67, 68, 70, 71, 72, 73, 74, 75,
        76, 77, 79, 80, 81}
TABLE_ROW = re.compile(r"^\| (\d+(?:, \d+)*) \| ([^|]+) \| ([^|]+) \|$")
# `Suite.Test`, `hosts.name`, `tests/file`; other things in backticks are code.
NAMED_TEST = re.compile(r"`((?:hosts|gate|e2e|simgpu)\.[\w.*]+|[A-Z]\w*(?:\.|\*)[\w*]+)`")
NAMED_FILE = re.compile(r"`(tests/[\w/.]+)`")


def tests_of(build):
    """Names in ctest's list."""
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True, text=True)
    return [test["name"] for test in json.loads(listing.stdout)["tests"]]


def table_rows(text):
    """Number -> what shows it."""
    rows = {}
    for line in text.splitlines():
        match = TABLE_ROW.match(line)
        for number in match[1].split(", ") if match else []:
            rows[int(number)] = match[3]
    return rows


def row_problems(number, shown_by, tests, root):
    named, files = NAMED_TEST.findall(shown_by), NAMED_FILE.findall(shown_by)
    if not named and not files and "cannot apply" not in shown_by:
        yield f"row {number}: no test, and no word why it cannot apply"
    for name in named:
        if not fnmatch.filter(tests, name) and not fnmatch.filter(tests, f"*/{name}"):
            yield f"row {number}: there is no test {name}"
    for file in files:
        if not (root / file).exists():
            yield f"row {number}: there is no {file}"


def main():
    root, build = pathlib.Path(sys.argv[1]), sys.argv[2]
    rows = table_rows((root / "docs" / "BUG_LOG.md").read_text())
    tests = tests_of(build)
    problems = [f"row {number} is missing" for number in sorted(ROWS - rows.keys())]
    for number, shown_by in rows.items():
        problems += row_problems(number, shown_by, tests, root)
    print("\n".join(problems) or f"{len(rows)} rows, all shown by tests that exist")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""How the house reads: no source file over 400 lines, no function over 60 (by braces at column 0, as clang-format lays them).

usage: check_shape.py SOURCE_DIR
"""
import pathlib
import re
import sys

FILE_CEILING = 400
FUNCTION_CEILING = 60
FOLDERS = ("libprof", "injection", "tools", "tests")
OPENING = re.compile(r"^[^\s#/}].*\{$")
NOT_A_FUNCTION = re.compile(r"^(namespace|extern|struct|class|enum|union|template|inline constexpr|constexpr|const|static const)\b(?!.*\)\s*(const\s*)?\{$)")


def long_functions(lines):
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and OPENING.match(line) and ")" in line and not NOT_A_FUNCTION.match(line):
            start = number
        elif start is not None and line.startswith("}"):
            if number - start - 1 > FUNCTION_CEILING:
                yield start, number - start - 1
            start = None


def main():
    root = pathlib.Path(sys.argv[1])
    problems, files = [], 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cc", ".cu", ".cuh", ".py", ".js"):
                continue
            files += 1
            lines = path.read_text().splitlines()
            name = path.relative_to(root)
            if len(lines) > FILE_CEILING:
                problems.append(f"{name}: {len(lines)} lines, the ceiling is {FILE_CEILING}")
            if path.suffix != ".py":
                problems += [f"{name}:{at}: a function of {n} lines, the ceiling is {FUNCTION_CEILING}" for at, n in long_functions(lines)]
    print("\n".join(problems) or f"{files} files keep their size")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

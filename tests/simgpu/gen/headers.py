"""Reads the installed CUDA headers: prototypes, cbids, parameter structs and the version table of cuGetProcAddress.

Used by generate.py at build time. The source of truth is always the installed toolkit, never a copied table.
"""

import dataclasses
import pathlib
import re
import subprocess


@dataclasses.dataclass
class Prototype:
    """One exported function: its return type, its name and its parameters as (text, name)."""

    returns: str
    name: str
    parameters: list[tuple[str, str]]

    def declaration(self, name: str) -> str:
        return f"{self.returns} {name}({', '.join(text for text, _ in self.parameters) or 'void'})"


def preprocess(compiler: str, include: str, headers: list[str], defines: list[str]) -> str:
    source = "".join(f"#include <{header}>\n" for header in headers)
    command = [compiler, "-E", "-P", "-x", "c++", "-I", include, *[f"-D{define}" for define in defines], "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout


def _split_parameters(text: str) -> list[str]:
    parts, depth, current = [], 0, ""
    for char in text:
        depth += (char in "([{<") - (char in ")]}>")
        if char == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += char
    if current.strip() and current.strip() != "void":
        parts.append(current)
    return [re.sub(r"\s+", " ", part).strip() for part in parts]


def _parameter(text: str, index: int) -> tuple[str, str]:
    text = re.sub(r"\s*=\s*[^,]*$", "", text)
    pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)", text)
    if pointer:
        return text, pointer.group(1)
    named = re.search(r"(\w+)\s*(\[\w*\])*$", text)
    words = re.findall(r"\w+", text)
    if named and len(words) > 1 and named.group(1) not in ("int", "char", "long", "void", "unsigned"):
        return text, named.group(1)
    return f"{text} unnamed{index}", f"unnamed{index}"


def prototypes(preprocessed: str, pattern: str) -> dict[str, Prototype]:
    """All functions whose name matches `pattern`; a later declaration of the same name replaces an earlier one."""
    found = {}
    for match in re.finditer(rf"(?:^|[;}}{{])\s*((?:[\w*]+\s+)+\**)\s*({pattern})\s*\(", preprocessed, re.MULTILINE):
        end, depth = match.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(preprocessed[end], 0)
            end += 1
        if not preprocessed[end:].lstrip().startswith(";"):
            continue
        returns = re.sub(r"\b(extern|static|inline)\b", "", match.group(1)).strip()
        if "typedef" in returns or "return" in returns:
            continue
        parts = _split_parameters(preprocessed[match.end():end - 1])
        found[match.group(2)] = Prototype(returns, match.group(2), [_parameter(p, i) for i, p in enumerate(parts)])
    return found


def cbids(path: pathlib.Path, prefix: str) -> dict[str, int]:
    """Enum name without its prefix -> value, e.g. cudaMalloc_v3020 -> 20."""
    found = {}
    for name, value in re.findall(rf"{prefix}(\w+)\s*=\s*(\w+)", path.read_text()):
        if name not in ("INVALID", "SIZE", "FORCE_INT"):
            found[name] = int(value, 0)
    return found


def parameter_structs(path: pathlib.Path) -> dict[str, list[str]]:
    """Name of each <call>_params struct without the suffix -> its field names in order."""
    found = {}
    for body, name in re.findall(r"typedef struct \w+_params_st \{(.*?)\} (\w+)_params;", path.read_text(), re.DOTALL):
        fields = []
        for line in body.split(";"):
            pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)", line)
            named = re.search(r"(\w+)\s*(\[\w*\])?\s*$", line.strip())
            if pointer or named:
                fields.append((pointer or named).group(1))
        found[name] = fields
    return found


def typedef_versions(path: pathlib.Path) -> dict[str, list[int]]:
    """cudaTypedefs.h: base name (with _ptsz/_ptds at its end) -> the versions it has an entry for, ascending."""
    found: dict[str, set[int]] = {}
    for name, version, flavour in re.findall(r"PFN_(cu\w+?)_v(\d+)(_ptsz|_ptds)?\)", path.read_text()):
        found.setdefault(name + flavour, set()).add(int(version))
    return {name: sorted(versions) for name, versions in found.items()}


def exports(library: pathlib.Path) -> set[str]:
    """Names a real library exports, or nothing if the library is not installed."""
    if not library.is_file():
        return set()
    lines = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in lines.splitlines() if " T " in line or " W " in line}

#!/usr/bin/env python3
"""The colours of the HTML report can be told apart and its texts can be read, also by people who see colours differently.

Text: WCAG 2 contrast of at least 4.5 on every ground it stands on, in light and dark. Phases: those that stand side by side in
a bar differ by a least distance in OKLab (Ottosson 2020) as seen with all cones, without red ones and without green ones
(Machado, Oliveira and Fernandes 2009, severity 1); so do the categories of kernels, and no area fades into the page.

usage: check_colours.py SOURCE_DIR
"""
import itertools
import math
import pathlib
import re
import sys

SIGHTS = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red cones": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green cones": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}
TO_CONES = ((0.4122214708, 0.5363325363, 0.0514459929), (0.2119034982, 0.6806995451, 0.1073969566), (0.0883024619, 0.2817188376, 0.6299787005))
TO_LAB = ((0.2104542553, 0.7936177850, -0.0040720468), (1.9779984951, -2.4285922050, 0.4505937099), (0.0259040371, 0.7827717662, -0.8086757660))
TEXTS, GROUNDS = ("ink", "soft", "link", "good", "bad"), ("paper", "panel", "mark")
LEAST_CONTRAST, LEAST_AREA_CONTRAST = 4.5, 1.7
LEAST_APART = {1: 0.10, 2: 0.08, 3: 0.06}  # by how many phases stand between, which may all be too short to be seen
LEAST_CATEGORIES_APART = 0.045
CATEGORIES = ("gemm", "attn", "moe", "norm", "activation", "sample", "collective", "kv", "copy", "embed", "rope")


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def linear(colour):
    shares = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]


def contrast(one, other):
    bright, dark = sorted((sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(colour))) for colour in (one, other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def seen(colour, sight):
    light = [min(max(c, 0), 1) for c in times(SIGHTS[sight], linear(colour))]
    return times(TO_LAB, [cone ** (1 / 3) for cone in times(TO_CONES, light)])


def least_distance(one, other):
    return min((math.dist(seen(one, sight), seen(other, sight)), sight) for sight in SIGHTS)


def colours_of(script, table):
    body = re.search(rf"^const {table} = \{{\n(.*?)^\}};$", script, re.M | re.S).group(1)
    return dict(re.fullmatch(r'  (\w+): "(#[0-9a-f]{6})",', line).groups() for line in body.splitlines())


def themes_of(style):
    """The blocks of custom properties: light first, then dark, twice."""
    blocks = [dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block)) for block in re.findall(r":root[^{]*\{(.*?)\}", style, re.S)]
    return [block for block in blocks if "paper" in block]


def phases_of(header, kind):
    """In the order of a bar: precedence turned around, what is left last (page/bars.js)."""
    *names, left = re.findall(r'"(\w+)"', re.search(rf"#define SLOWTOKEN_{kind}_PHASES\(X\)(.*?)// clang-format on", header, re.S).group(1))
    return [*reversed(names), left]


def text_problems(themes):
    for i, theme in enumerate(themes):
        for text, ground in itertools.product(TEXTS, GROUNDS):
            ratio = contrast(theme[text], theme[ground])
            if ratio < LEAST_CONTRAST:
                yield f"style.css, theme {i}: {text} on {ground} has a contrast of {ratio:.2f}, {LEAST_CONTRAST} is needed"


def neighbour_problems(order, colours):
    for (i, one), (j, other) in itertools.combinations(enumerate(order), 2):
        distance, sight = least_distance(colours[one], colours[other])
        if distance < LEAST_APART.get(j - i, 0):
            yield f"{one} and {other}, {j - i} apart: {distance:.3f} with {sight}, {LEAST_APART[j - i]} is needed"


def category_problems(kinds):
    for one, other in itertools.combinations(CATEGORIES, 2):
        distance, sight = least_distance(kinds[one], kinds[other])
        if distance < LEAST_CATEGORIES_APART:
            yield f"categories {one} and {other}: {distance:.3f} with {sight}, {LEAST_CATEGORIES_APART} is needed"


def area_problems(tables, themes):
    for name, colour in itertools.chain.from_iterable(table.items() for table in tables):
        ratio = min(contrast(colour, theme["paper"]) for theme in themes)
        if ratio < LEAST_AREA_CONTRAST:
            yield f"{name}: {colour} has a contrast of {ratio:.2f} with the page, {LEAST_AREA_CONTRAST} is needed"


def main():
    root = pathlib.Path(sys.argv[1]) / "libprof"
    page = root / "report/html/page"
    script, header = (page / "colours.js").read_text(), (root / "record/phases.h").read_text()
    themes = themes_of((page / "style.css").read_text())
    phases, devices, kinds, marks = (colours_of(script, f"{name}_COLOURS") for name in ("PHASE", "DEVICE", "KIND", "MARK"))
    problems = [*text_problems(themes), *area_problems((phases, devices, kinds, marks), themes), *category_problems(kinds)]
    for order in (phases_of(header, "TTFT"), phases_of(header, "GAP")):
        problems += neighbour_problems(order, phases)
    problems += neighbour_problems(list(devices), devices)
    if len(themes) != 3 or themes[1] != themes[2]:
        problems.append("style.css: the dark theme by the system's setting and by the button are not the same")
    print("\n".join(problems) or f"{len(phases)} phases, {len(devices)} states of a device, {len(kinds)} kinds of events: told apart; texts readable")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

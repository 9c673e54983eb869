#!/usr/bin/env python3
"""The HTML report in a real browser: of the demo with causes injected, and of a long generated run whose texts are hostile.

    html_report.py BUILD WORK PAGE_TRACE [--pictures]

No console error, every section there, the same numbers as the JSON report, a click on a stall shows its timeline, everything can be
reached with the keyboard, and the long run's page is small and quick. Skips where there is no Chromium or no charting library.
"""
import argparse
import json
import re
import subprocess
import sys

import steady_load
from browser import Browser, chromium
from harness import SKIP, Harness, expect, main
from page_keys import keys_reach_everything
from page_layout import layout_holds, settled

SECTIONS = ["coverage", "summary", "causes", "ttft", "itl", "slow", "batches", "requests", "gpu", "graphs", "collectives", "conditions", "glossary"]
SAME = ["coverage", "service_levels", "throughput", "ttft", "itl", "launch", "launch_gaps", "graphs", "collectives", "ranks", "overhead", "conditions", "devices", "kernel_categories", "origin"]
LARGEST_PAGE, LONGEST_MS = 15 << 20, 1000  # of the main thread's own time, so that a busy machine does not matter
DATA = "JSON.parse(document.getElementById('data').textContent)"
# Moves over the chart until the pointer says that something can be clicked; the place in the window, or null.
FIND_STALL = """(() => {
  const over = document.querySelector('#strip .u-over');
  over.scrollIntoView({block: 'center', behavior: 'instant'});
  const box = over.getBoundingClientRect();
  for (let x = 2; x < box.width; x += 3) for (let y = 0; y < box.height; y += 3) {
    over.dispatchEvent(new MouseEvent('mousemove', {clientX: box.left + x, clientY: box.top + y, bubbles: true}));
    if (over.style.cursor === 'pointer') return [box.left + x, box.top + y];
  }
  return null;
})()"""


def page_of(h, traces, name):
    page = h.work / f"{name}.html"
    result = h.slowtoken("report", traces, "--format=html", "-o", page, check=False)
    if result.returncode == 2 and "was built without the HTML report" in result.stderr:
        print("skipped: built without the charting library")
        sys.exit(SKIP)
    expect(result.returncode == 0, result.stderr)
    h.slowtoken("report", traces, "--format=json", "-o", h.work / f"{name}.json")
    return page, json.loads((h.work / f"{name}.json").read_text())


def is_ready(browser, page, sections=SECTIONS):
    browser.open(page)
    expect(browser.evaluate("document.documentElement.dataset.ready") == "yes", f"{page} did not come up: {browser.complaints}")
    shown = browser.evaluate("[...document.querySelectorAll('main section')].map(s => s.id)")
    expect(shown == sections, f"sections {shown}")
    expect(browser.evaluate("document.querySelectorAll('main section h2').length") == len(sections), "a section without a heading")


def has_the_same_numbers(browser, report):
    page = browser.evaluate(f"(({{report, slow, requests, causes}}) => ({{report, slow, requests, causes}}))({DATA})")
    for name in SAME:
        expect(page["report"][name] == report[name], f"{name}: page {page['report'][name]}, JSON {report[name]}")
    expect(page["slow"]["stalls"] == len(report["stalls"]), "number of stalls")
    expect(page["slow"]["first_tokens"] == sum(r["cause"] is not None for r in report["requests"]), "number of slow first tokens")
    stalls = {(s["req"], s["n"]): s for s in report["stalls"]}
    for token in page["slow"]["list"]:
        if token["kind"] == "first":
            continue
        stall = stalls[token["req"], token["n"]]
        same = all(token[name] == stall[name] for name in ("start_ns", "excess_ns", "cause", "confidence", "largest_phase", "overlaps_blind"))
        expect(same and token["took_ns"] == stall["gap_ns"] == sum(token["phases"].values()), f"{token} is not {stall}")
    columns = page["requests"]["columns"]
    requests = {r["req"]: r for r in report["requests"]}
    expect(page["requests"]["total"] == len(requests), "number of requests")
    for i, req in enumerate(columns["req"]):
        for name in ("arrival_ns", "ttft_ns", "e2e_ns", "prompt", "cached", "tokens", "finish"):
            expect(columns[name][i] == requests[req][name], f"{req}: {name}")
        expect(columns["gaps"][i] == len(requests[req]["gaps"]), f"{req}: gaps")
        expect(sum(filter(None, columns["gap_phases"][i] or [])) == sum(gap["gap_ns"] for gap in requests[req]["gaps"]), f"{req}: phases of gaps")
    for kind, excesses in (("stalls", [s["excess_ns"] for s in report["stalls"]]),
                           ("first_tokens", [r["cause"]["excess_ns"] for r in report["requests"] if r["cause"]])):
        expect(sum(row["excess_ns"] for row in page["causes"][kind]) == sum(excesses), f"causes of {kind}")


def slow_tokens_of_one_moment_are_one(browser, report):
    """Each token has the worst of its moment, of the same kind and cause and at the same time; the list has a row for each moment."""
    tokens = browser.evaluate(f"{DATA}.slow.list")
    for token in tokens:
        head = tokens[token["head"]]
        same = head["head"] == token["head"] and all(head[name] == token[name] for name in ("kind", "cause", "few_samples"))
        expect(same and head["excess_ns"] >= token["excess_ns"], f"{token} is not of the moment of {head}")
        expect(head["start_ns"] < token["start_ns"] + token["took_ns"] and token["start_ns"] < head["start_ns"] + head["took_ns"], f"{token} is not at the time of {head}")
    heads = {token["head"] for token in tokens}
    expect(sum(tokens[head]["kind"] == "gap" for head in heads) == len(report["stall_moments"]), "moments of stalls")
    shown = browser.evaluate("document.querySelector('#slow .pager').textContent")
    expect(f"{len(heads):,} moment" in shown, f"{len(heads)} moments, the list says {shown!r}")


def graphs_are_shown(browser, report):
    """Section graphs has the same ranges, in order, with the same numbers."""
    rows = browser.evaluate("[...document.querySelectorAll('#graphs table')].map(t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent)))")
    graphs = report["graphs"]
    if not graphs["by_shape"]:
        return
    shown = [(row[0], row[3]) for row in rows[0]]
    expect(shown == [(r["path"] or "no range", f"{r['count']:,}") for r in graphs["by_shape"][:12]], f"ranges {shown}")
    builds = [(row[0], row[1], row[3]) for row in rows[-1]] if graphs["builds"] else []
    expect(builds == [(b["kind"].replace("_", " "), f"{b['serving']:,}", f"{b['count']:,}") for b in graphs["builds"]], f"builds {builds}")


def collectives_are_shown(browser, report):
    """Each rank with what it waited and kept others waiting, the one that was waited for most first; their calls and kernels in the timeline."""
    rows = browser.evaluate("[...document.querySelectorAll('#collectives tbody tr')].map(row => [...row.cells].map(c => c.textContent))")
    ranks = sorted(report["ranks"], key=lambda rank: -rank["kept_waiting_ns"])
    expect(len(rows) == len(ranks) == 2, f"ranks {rows}")
    for row, rank in zip(rows, ranks):
        share = f"{100 * rank['waited_ns'] / rank['total_ns']:.1f}\u00a0%"
        expect(row[1] == f"{rank['collectives']:,}" and row[4] == share and row[5].startswith(f"{rank['late']:,} ("), f"{row} is not {rank}")
    expect("late: " in browser.evaluate("document.getElementById('collectives').textContent"), "the late rank is named")
    lanes = browser.evaluate(f"{DATA}.moments.map(m => m.lanes.filter(lane => lane.group === 'collectives').map(lane => lane.name))")
    expect(all(len(names) == 3 and names[2].startswith("calls of ") for names in lanes), f"lanes of collectives: {lanes[0]}")


def the_waterfall_says_what_why_says(h, browser):
    """Of each token that a waterfall tells of: the same lines, phases, iterations and time of the GPU as in the terminal."""
    waterfalls = browser.evaluate(f"{DATA}.waterfalls")
    expect(waterfalls, "no request has a waterfall")
    for req, life in list(waterfalls.items())[:6]:
        for row in filter(lambda row: "iterations" in row, life["rows"]):
            why = h.slowtoken("why", h.traces, req, "1" if row["first"] else row["name"].split()[1]).stdout
            expect(all(f"  {line}\n" in why for line in row["lines"]), f"{req} {row['name']}: {row['lines']} is not in {why}")
            phases = re.findall(r"^  (\w+) ", why.partition("Where the time went")[2].partition("\n\n")[0], re.M)
            expect(phases[1:] == [phase for phase, _, _ in row["steps"]], f"{req} {row['name']}: phases {phases} are not {row['steps']}")
            iterations = re.findall(r"^ +(\d+)  ", why.partition("Iterations meanwhile")[2].partition("\n\n")[0], re.M)
            expect(iterations == [str(iteration[0]) for iteration in row["iterations"]], f"{req} {row['name']}: iterations {iterations}")
    story = browser.evaluate("document.querySelector('#story h3').textContent")
    req = next(req for req in waterfalls if f"Request {req}" in story)
    shown = browser.evaluate("[...document.querySelectorAll('#whole-request summary .what')].map(e => e.firstChild.textContent)")
    expect(shown == [row["name"] for row in waterfalls[req]["rows"]], f"rows {shown} of {req}")
    opened = browser.evaluate("document.querySelector('#whole-request details[open] .inside').textContent").replace("\u00a0", " ")
    row = max(waterfalls[req]["rows"], key=lambda row: row["slow"] is not None and f"{row['lines'][0]}." in opened if "slow" in row else False)
    why = h.slowtoken("why", h.traces, req, "1" if row["first"] else row["name"].split()[1]).stdout
    gpu = re.search(r"^GPU: busy for .*", why, re.M).group()
    expect(gpu in opened, f"{gpu!r} is not in what is open of {req}: {opened!r}")


def the_verdict_comes_first(browser, report):
    """In the first window: how many stalls, whose cause cost most, and a way to the worst."""
    told = browser.evaluate("document.getElementById('verdict').textContent")
    costs = {}
    for moment in report["stall_moments"]:
        if not moment["few_samples"]:
            costs[moment["cause"]] = costs.get(moment["cause"], 0) + moment["lost_ns"]
    most = max(costs, key=costs.get)
    counts = f"{len(report['stalls']):,} stalls in {len(report['stall_moments']):,} moments"
    words = "no cause was found" if most == "unknown" else most.replace("_", " ")
    expect(counts in told and words in told, f"the verdict, without {counts!r} or {words!r}: {told!r}")
    expect(browser.evaluate("document.getElementById('verdict').getBoundingClientRect().bottom + scrollY") < 900, "the verdict is below the first window")
    of_most = [moment for moment in report["stall_moments"] if moment["cause"] == most and not moment["few_samples"]]
    worst = max(of_most, key=lambda moment: moment["lost_ns"])["worst"]
    browser.emulate(features={"prefers-reduced-motion": "reduce"})
    browser.evaluate("document.getElementById('story').replaceChildren()")
    browser.evaluate("document.getElementById('look-first').focus()")
    browser.press("Enter")
    settled(browser)
    browser.emulate()
    story = browser.evaluate("document.getElementById('story').textContent")
    expect(f"{worst['req']}, token {worst['n']}:" in story and "Cause:" in story, f"the verdict leads to the story of {worst}: {story!r}")
    top = browser.evaluate("document.getElementById('story').getBoundingClientRect().top")
    expect(0 <= top < 900, f"the story is at {top} px of the window")


def a_click_shows_the_timeline(browser):
    place = browser.evaluate(FIND_STALL)
    expect(place is not None, "no stall can be clicked in the chart")
    browser.evaluate("document.getElementById('story').replaceChildren()")
    browser.click(*place)
    story = browser.evaluate("document.getElementById('story').textContent")
    expect("after the one before" in story and "Cause:" in story, f"the story of a clicked stall: {story!r}")
    shown = browser.evaluate("(t => [t.hidden, t.querySelector('.lanes').height])(document.getElementById('timeline'))")
    expect(shown[0] is False and shown[1] > 60, f"the timeline of a clicked stall: {shown}")


def requests_sort_and_filter(browser):
    first = "Number(document.querySelector('#request-rows [data-row]').dataset.row)"
    ttft = browser.evaluate(f"{DATA}.requests.columns.ttft_ns")
    browser.evaluate("document.querySelector('th[data-by=ttft_ns] button').click()")
    expect(ttft[browser.evaluate(first)] == max(t for t in ttft if t is not None), "sorted by TTFT, the longest first")
    name = browser.evaluate(f"{DATA}.requests.columns.req[3]")
    browser.evaluate(f"(box => {{ box.value = {json.dumps(name)}; box.dispatchEvent(new Event('input')); }})(document.getElementById('request-filter'))")
    expect(browser.evaluate("document.querySelectorAll('#request-rows [data-row]').length") == 1, "the filter leaves one request")


def pictures(browser, work):
    for name, width, dark in (("light", 1280, False), ("dark", 1280, True), ("middle", 800, False), ("narrow", 400, False)):
        browser.resize(width, 900, dark)
        settled(browser)
        browser.picture(work / f"{name}.png")
        if width != 1280:
            continue
        browser.emulate(features={"prefers-color-scheme": "dark" if dark else "light", "prefers-reduced-motion": "reduce"})
        browser.evaluate("document.getElementById('look-first').click()")
        settled(browser)
        browser.window_picture(work / f"{name}_stall.png")
    browser.paper(work / "paper.pdf")


def demo_with_causes(args):
    h = Harness(args.build, args.work)
    h.forget_traces()
    log = h.work / "log.csv"
    count = steady_load.write(log, 9, 7)
    try:
        h.start_demo("--seed=7", "--set=prefill_us_per_token=20", "--scenario=mix_stalls:8,mix_first_tokens:4", run_arguments=["--ids=clear"])
        h.replay(log, count, 1)
        h.stop_demo()
    finally:
        h.kill_demo()
    page, report = page_of(h, h.traces, "demo")
    expect(report["stalls"], "no stall came of the injections")
    with Browser(h.work) as browser:
        is_ready(browser, page)
        if args.pictures:
            pictures(browser, h.work)
        browser.resize(1280, 900)
        has_the_same_numbers(browser, report)
        the_verdict_comes_first(browser, report)
        slow_tokens_of_one_moment_are_one(browser, report)
        the_waterfall_says_what_why_says(h, browser)
        graphs_are_shown(browser, report)
        a_click_shows_the_timeline(browser)
        keys_reach_everything(browser, page)
        requests_sort_and_filter(browser)
        layout_holds(browser)
        expect(not browser.complaints, f"on the console: {browser.complaints}")


def long_hostile_run(args):
    h = Harness(args.build, args.work)
    trace = h.work / "long.stt"
    trace.unlink(missing_ok=True)
    subprocess.run([args.page_trace, trace, "10000", "201"], check=True)
    page, report = page_of(h, trace, "long")
    expect(report["itl"]["step"]["count"] == 2_000_000, f"gaps: {report['itl']['step']}")
    size = page.stat().st_size
    expect(size < LARGEST_PAGE, f"the page has {size} bytes")
    with Browser(h.work) as browser:
        browser.call("Performance.enable", timeDomain="threadTicks")
        is_ready(browser, page)
        metrics = {m["name"]: m["value"] for m in browser.call("Performance.getMetrics")["metrics"]}
        took_ms = 1000 * metrics["TaskDuration"]
        print(f"10,000 requests, 2,000,000 gaps: {size / 1e6:.1f} MB, {took_ms:.0f} ms of the main thread until it is ready")
        expect(took_ms < LONGEST_MS, f"the page takes {took_ms:.0f} ms to come up")
        has_the_same_numbers(browser, report)
        the_verdict_comes_first(browser, report)
        slow_tokens_of_one_moment_are_one(browser, report)
        collectives_are_shown(browser, report)
        a_click_shows_the_timeline(browser)
        keys_reach_everything(browser, page)
        layout_holds(browser)
        if args.pictures:
            browser.picture(h.work / "long.png")
        expect(browser.evaluate("window.hostile") is None, "a text of the trace ran as a script")
        expect(browser.evaluate("document.querySelectorAll('main img, main script').length") == 0, "a text of the trace became an element")
        expect("</script><script>" in browser.evaluate("document.getElementById('title').textContent"), "texts are shown as they are")
        expect(not browser.complaints, f"on the console: {browser.complaints}")


def test():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("work")
    parser.add_argument("page_trace")
    parser.add_argument("--pictures", action="store_true", help="keep pictures of the page in WORK")
    parser.add_argument("--only", choices=["demo", "long"], help="one of the two")
    args = parser.parse_args()
    chromium()
    if args.only != "long":
        demo_with_causes(args)
    if args.only != "demo":
        long_hostile_run(args)


if __name__ == "__main__":
    main(test)

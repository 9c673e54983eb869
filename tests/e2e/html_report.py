#!/usr/bin/env python3
"""The HTML report in a real browser: of the demo with causes injected, and of a long generated run whose texts are hostile.

    html_report.py BUILD WORK PAGE_TRACE [--pictures]

No console error, every section there, the same numbers as the JSON report, a click on a stall shows its timeline, everything can be
reached with the keyboard, and the long run's page is small and quick. Skips where there is no Chromium or no charting library.
"""
import argparse
import json
import subprocess
import sys

import steady_load
from browser import Browser, chromium
from harness import SKIP, Harness, expect, main

SECTIONS = ["coverage", "summary", "causes", "ttft", "itl", "slow", "batches", "requests", "gpu", "conditions"]
SAME = ["coverage", "throughput", "ttft", "itl", "launch", "launch_gaps", "graphs", "overhead", "conditions", "devices", "kernel_categories", "origin"]
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


def a_click_shows_the_timeline(browser):
    place = browser.evaluate(FIND_STALL)
    expect(place is not None, "no stall can be clicked in the chart")
    browser.evaluate("document.getElementById('story').replaceChildren()")
    browser.click(*place)
    story = browser.evaluate("document.getElementById('story').textContent")
    expect("after the one before" in story and "Cause:" in story, f"the story of a clicked stall: {story!r}")
    shown = browser.evaluate("(t => [t.hidden, t.querySelector('canvas').height])(document.getElementById('timeline'))")
    expect(shown[0] is False and shown[1] > 60, f"the timeline of a clicked stall: {shown}")


def keys_reach_everything(browser, page):
    browser.open(page)  # Tab goes on from the last click
    browser.press("Tab")
    expect(browser.evaluate("document.activeElement.className") == "skip", "the first Tab goes to the link that skips the head")
    browser.evaluate("document.getElementById('strip').focus()")
    stories = []
    for _ in range(3):
        browser.press("ArrowRight")
        stories.append(browser.evaluate("document.querySelector('#story h3').textContent"))
    expect(len(set(stories)) > 1, f"arrow keys in the chart go from stall to stall: {stories}")
    browser.evaluate("document.querySelector('#timeline canvas').focus()")
    for key in "n+":
        browser.press(key)
    browser.press("ArrowRight")
    told = browser.evaluate("document.querySelector('.told').textContent")
    expect(": " in told and "from" in told, f"the timeline tells of the event that N went to: {told!r}")
    browser.evaluate("document.querySelector('#request-rows button').focus()")
    browser.press("Enter")
    expect(browser.evaluate("document.querySelectorAll('.request-detail').length") == 1, "Enter opens a request")
    expect(browser.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true", "the focus stays where it was")


def requests_sort_and_filter(browser):
    first = "Number(document.querySelector('#request-rows [data-row]').dataset.row)"
    ttft = browser.evaluate(f"{DATA}.requests.columns.ttft_ns")
    browser.evaluate("document.querySelector('th[data-by=ttft_ns] button').click()")
    expect(ttft[browser.evaluate(first)] == max(t for t in ttft if t is not None), "sorted by TTFT, the longest first")
    name = browser.evaluate(f"{DATA}.requests.columns.req[3]")
    browser.evaluate(f"(box => {{ box.value = {json.dumps(name)}; box.dispatchEvent(new Event('input')); }})(document.getElementById('request-filter'))")
    expect(browser.evaluate("document.querySelectorAll('#request-rows [data-row]').length") == 1, "the filter leaves one request")


def nothing_is_cut_off(browser):
    """At 400 px the page itself does not scroll sideways; what is wider scrolls within."""
    browser.resize(400, 800)
    wide = browser.evaluate("document.documentElement.scrollWidth")
    expect(wide <= 400, f"at 400 px the page is {wide} px wide")


def pictures(browser, work):
    for name, width, dark in (("light", 1280, False), ("dark", 1280, True), ("narrow", 400, False)):
        browser.resize(width, 900, dark)
        browser.evaluate("new Promise(done => setTimeout(done, 300))")
        browser.picture(work / f"{name}.png")


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
        a_click_shows_the_timeline(browser)
        keys_reach_everything(browser, page)
        requests_sort_and_filter(browser)
        nothing_is_cut_off(browser)
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
        a_click_shows_the_timeline(browser)
        keys_reach_everything(browser, page)
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

#!/usr/bin/env python3
"""Which cause slowtoken names for stalls and slow first tokens whose cause the demo itself brought about: the confusion matrix.

    causes.py BUILD WORK [--stalls N] [--first-tokens N] [--runs N] [--clean SECONDS] [--split N] [--details] [--nice N]
        [--apart CAUSE,…] [--jitter-share X]

Runs the demo under slowtoken on the simulated GPU with injections over ordinary load, and once without any. Exit code 1
if a share misses what docs/ATTRIBUTION.md §5 promises.
"""
import argparse
import os
import sys

import cause_matrix
import steady_load
from harness import SKIP, Harness, expect, main
from scenarios import PER_INJECTION_S, STALLS, read_injections
from truth import Truth

FOUND, RIGHT, SURELY_WRONG, FALSE = 0.95, 0.95, 0.02, 0.01
WARM_UP = 8  # first tokens without a median to judge them by
SETTINGS = ["--set=prefill_us_per_token=20"]
# What the simulated GPU's allocations cost; free of charge they would be no reason for a stall.
ENVIRONMENT = {"SIMGPU_API_COST": "cudaMalloc=500us,cudaFree=500us"}


def serve(args, work, seconds, seed, scenario=None):
    """One run of the demo; its truth, injections and what was detected."""
    h = Harness(args.build, os.path.join(args.work, work))
    h.forget_traces()
    log = h.work / "log.csv"
    count = steady_load.write(log, seconds, seed)
    try:
        h.start_demo(f"--split={args.split}", f"--seed={seed}", *SETTINGS, *([f"--scenario={scenario}"] if scenario else []),
                     run_arguments=["--ids=clear", "--memory=256M", *args.run_argument], environment=ENVIRONMENT)
        h.replay(log, count, 1)
        h.stop_demo()
    finally:
        h.kill_demo()
    report = h.report()
    lost = {cause: n for cause, n in report["coverage"]["dropped"].items() if n}
    if lost:
        print(f"{work}: losses: {lost}")
    return Truth(h.truth), read_injections(h.truth), cause_matrix.Detected(report)


def clean_run(args):
    """False stalls and false slow first tokens where nothing was injected."""
    truth, _, detected = serve(args, "clean", args.clean, 99)
    false = [(req, finding) for req, stalls in detected.stalls.items() for interval, finding in stalls
             if not cause_matrix.is_disturbed(truth, interval, share=args.jitter_share)]
    early = {r["req"] for r in sorted(truth.finished(), key=lambda r: r["arrival"])[:WARM_UP]}
    slow = [req for req in detected.first if req in truth.requests and req not in early and not cause_matrix.is_disturbed(
        truth, (truth.requests[req]["arrival"], cause_matrix.emissions(truth.requests[req])[0][0]), share=args.jitter_share)]
    print(f"clean run: {len(false)} stalls in {detected.gaps} gaps, {len(slow)} slow of {detected.first_tokens} first tokens")
    if args.details:
        for req, finding in false[:20]:
            print(f"  {req}: {finding}")
    return len(false) / max(1, detected.gaps), len(slow) / max(1, detected.first_tokens)


def test():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("work")
    parser.add_argument("--stalls", type=int, default=30, help="injections of stalls in a run")
    parser.add_argument("--first-tokens", type=int, default=12, help="injections of slow first tokens in a run")
    parser.add_argument("--runs", type=int, default=1, help="runs, each with a seed of its own")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clean", type=float, default=15, help="seconds of the clean run; 0: none")
    parser.add_argument("--split", type=int, default=1)
    parser.add_argument("--apart", default="", help="causes that are not counted, separated by commas")
    parser.add_argument("--details", action="store_true", help="print every case that was not named right")
    parser.add_argument("--nice", type=int, default=0, help="run at this priority, so that a busy machine disturbs less")
    parser.add_argument("--jitter-share", type=float, default=0.1,
                        help="a case is counted apart if the machine itself took more than this share of its time; 0: any pause of 1 ms")
    parser.add_argument("--run-argument", action="append", default=[], help="passed on to slowtoken run")
    args = parser.parse_args()
    if args.nice:
        os.nice(args.nice)
    false_stalls, false_first = clean_run(args) if args.clean else (0, 0)
    all_cases, stalls, first = [], 0, 0
    for run in range(args.runs):
        seed = args.seed + run
        scenario = f"mix_stalls:{args.stalls},mix_first_tokens:{args.first_tokens}"
        seconds = (args.stalls + args.first_tokens) * PER_INJECTION_S
        truth, injections, detected = serve(args, f"run{run}", seconds, seed, scenario)
        all_cases += cause_matrix.cases(truth, injections, detected, STALLS, args.jitter_share)
        stalls += sum(map(len, detected.stalls.values()))
        first += len(detected.first)
        side, own, disturbed = cause_matrix.elsewhere(truth, injections, detected, args.jitter_share)
        print(f"run {run}, seed {seed}: {len(injections)} of {args.stalls + args.first_tokens} injections took effect. Stalls that none of them meant: "
              f"side effects {dict(side)}; others {dict(own)}; {disturbed} while the machine paused")
    apart = args.apart.split(",")
    scores = cause_matrix.Score("stall", all_cases, stalls, apart), cause_matrix.Score("first", all_cases, first, apart)
    for title, score in zip(("Stalls", "Slow first tokens"), scores):
        print(f"\n{title}: {score.text()}\n{cause_matrix.matrix_text(score)}")
        if args.details:
            print("\n".join(f"  {case}" for case in score.clear if not case.right))
    expect(false_stalls <= FALSE, f"{100 * false_stalls:.2f} % false stalls on a clean run")
    expect(false_first <= FALSE, f"{100 * false_first:.2f} % false slow first tokens on a clean run")
    if any(len(score.clear) < len(score.cases) / 3 for score in scores):
        print("skipped: the machine is too busy to judge causes")
        sys.exit(SKIP)
    for title, score in zip(("stalls", "slow first tokens"), scores):
        expect(score.found_share() >= FOUND, f"{title}: only {100 * score.found_share():.1f} % found")
        expect(score.right_share() >= RIGHT, f"{title}: only {100 * score.right_share():.1f} % named right")
        expect(score.surely_wrong_share() <= SURELY_WRONG, f"{title}: {100 * score.surely_wrong_share():.1f} % surely wrong")


if __name__ == "__main__":
    main(test)

#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Test a receiver for conformance, compare with an earlier run, and draw the verdicts.

Without a target, softfeb tests its own receiver in virtual time. The exit status is 1 if a case
fails that did not fail before.

    examples/python/conformance_run.py --save today.json --before yesterday.json
    examples/python/conformance_run.py --config conf/conformance.yaml --target sink://daq-0
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

import matplotlib
import softfeb

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

COLOURS = {
    "pass": "#4a9d5f",
    "measured": "#4f81bd",
    "known deviation": "#d9b84a",
    "inconclusive": "#b48ec7",
    "not applicable": "#d0d0d0",
    "not run": "#909090",
    "fail": "#c0392b",
}


def groups(result: softfeb.Conformance) -> dict[str, Counter[str]]:
    """Count the verdicts of each group of cases, such as PSN."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for case in result.cases:
        counts[case.id.split("-")[0]][case.verdict] += 1
    return counts


def draw(result: softfeb.Conformance, file: Path) -> None:
    """Draw a bar for each group of cases."""
    counts = groups(result)
    names = list(counts)[::-1]
    figure, axes = plt.subplots(figsize=(8, 0.35 * len(names) + 2), layout="constrained")
    left = [0] * len(names)
    for verdict, colour in COLOURS.items():
        widths = [counts[name][verdict] for name in names]
        if any(widths):
            axes.barh(names, widths, left=left, color=colour, label=f"{verdict} ({sum(widths)})")
        left = [a + b for a, b in zip(left, widths)]
    axes.set(xlabel="cases", title=f"Conformance of {result.device.name}: {result.verdict}")
    axes.margins(y=0.02)
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, dpi=120, bbox_inches="tight")


def failures(result: softfeb.Conformance) -> dict[str, str]:
    """Return the reason of each failed case."""
    return {case.id: case.reason or "" for case in result.cases if case.verdict == "fail"}


def main() -> int:
    """Test, compare and draw."""
    parser = argparse.ArgumentParser(description="Tests a receiver for conformance.")
    parser.add_argument("--config", help="configuration (default: own receiver, virtual time)")
    parser.add_argument("--target", help="receiver, such as sink://HOST")
    parser.add_argument("--profile", help="what is known about the target")
    parser.add_argument("--cases", nargs="+", default=[], help="groups and cases (default: all)")
    parser.add_argument("--before", type=Path, help="result of an earlier run, to compare with")
    parser.add_argument("--save", type=Path, help="file for the result")
    parser.add_argument("--out", type=Path, default=Path("conformance.png"), help="picture")
    arguments = parser.parse_args()
    result = softfeb.conformance(
        arguments.config,
        target=arguments.target,
        profile=arguments.profile,
        cases=arguments.cases,
    )
    totals = ", ".join(f"{n} {verdict}" for verdict, n in result.totals.raw.items() if n)
    print(f"{result.device.name}, profile {result.profile}: {result.verdict} ({totals})")
    failed = failures(result)
    new = set(failed)
    if arguments.before is not None:
        before = softfeb.load(arguments.before)
        assert isinstance(before, softfeb.Conformance), f"{arguments.before} is of another kind"
        new -= set(failures(before))
        for case in sorted(set(failures(before)) - set(failed)):
            print(f"{case} no longer fails")
    for case, reason in failed.items():
        print(f"{case} {'fails' if case in new else 'still fails'}: {reason}")
    if arguments.save is not None:
        arguments.save.write_text(json.dumps(result.to_json()), encoding="utf-8")
    draw(result, arguments.out)
    print(f"wrote {arguments.out}")
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())

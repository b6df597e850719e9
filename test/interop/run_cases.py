#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Boots one Soft-RoCE guest and runs every case for its network path:  run_cases.py --build DIR MODE [--only TEXT]

Exit codes: 0 if all cases held, 1 if a case failed, 77 (meson: skipped) if this machine cannot run the guest.
"""

import argparse
import importlib
import signal
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import softroce  # noqa: E402
from softroce_vm import EnvironmentMissing  # noqa: E402

SKIPPED = 77


def main():
    # A test runner sends SIGTERM after its timeout. The guest and its tap must be removed in this case, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("mode", choices=("tap", "vhost", "vhostsrv"))
    p.add_argument("--build", required=True, type=lambda d: Path(d).resolve(), help="meson's build directory")
    p.add_argument("--only", default="", metavar="TEXT", help="cases with TEXT in their names")
    files = p.add_mutually_exclusive_group()
    files.add_argument("--files", default="*", metavar="PATTERN", help="only cases of files cases/PATTERN.py")
    files.add_argument("--but-files", default="", metavar="PATTERN", help="all cases but those of files cases/PATTERN.py")
    which = p.add_mutually_exclusive_group()
    which.add_argument("--measuring", dest="measures", action="store_true", default=None, help="only cases that judge rates")
    which.add_argument("--not-measuring", dest="measures", action="store_false", help="all other cases")
    p.add_argument("--repeat", default=1, type=int, metavar="N", help="run them N times in a row, in one boot")
    p.add_argument("--logs", metavar="DIR", type=lambda d: Path(d).resolve(), help="default BUILD/interop-logs; kept for failed cases")
    a = p.parse_args()
    for file in sorted((HERE / "cases").glob(f"{a.files}.py")):
        if file.match(f"{a.but_files}.py"):
            continue
        importlib.import_module(f"cases.{file.stem}")
    try:
        failed = softroce.run_all(a.mode, a.build, a.logs or a.build / "interop-logs", a.only, a.repeat, a.measures)
    except EnvironmentMissing as error:
        print(f"skipped: {error}")
        return SKIPPED
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

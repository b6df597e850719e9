# SPDX-License-Identifier: BSD-3-Clause
"""python3 tools/report DIR: draws charts and writes an HTML page from the results of softfeb in DIR.

Reads those of config.yaml, result.json, series.csv, ports.csv, windows.csv and sweep.csv that exist. Writes index.html, and a
PNG and an SVG file of each chart. The exit status is 0 if the page was written, 2 for wrong usage, and 3 if the environment lacks
something."""

import argparse
import importlib.util
import os
import sys
import tempfile

sys.dont_write_bytecode = True

EXIT_MISSING = 3
PACKAGE = "python3-matplotlib"


def arguments():
    parser = argparse.ArgumentParser(prog="report", description=__doc__.split("\n")[0])
    parser.add_argument("dir", metavar="DIR", help="folder that softfeb --report wrote")
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing on success")
    return parser.parse_args()


def complain(what, fix):
    print(f"report: {what}\nfix: {fix}", file=sys.stderr)
    return EXIT_MISSING


def keep_caches_elsewhere():
    """Lets matplotlib store its list of fonts in a temporary directory if the user's cache directory is not writable."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    place = home if os.path.isdir(home) else os.path.dirname(home)
    if "MPLCONFIGDIR" not in os.environ and not os.access(place, os.W_OK):
        os.environ["MPLCONFIGDIR"] = os.path.join(tempfile.gettempdir(), f"softfeb-matplotlib-{os.getuid()}")


def main():
    args = arguments()
    if not os.path.isdir(args.dir):
        return complain(f"{args.dir}: no such folder", "name the folder given to softfeb with --report")
    if importlib.util.find_spec("matplotlib") is None:
        return complain("no charts: Python's matplotlib is not installed (the numbers are in result.json and the CSV files)",
                        f"apt-get install {PACKAGE}, then: {sys.executable} {os.path.dirname(os.path.abspath(__file__))} {args.dir}")
    keep_caches_elsewhere()
    import make  # imports matplotlib, so it must come after the checks above
    try:
        page = make.report(args.dir)
    except OSError as e:
        return complain(f"{e.filename}: {e.strerror}", "name a writable folder on a disk with free space")
    if not args.quiet:
        print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""Turns a folder of results into its page."""

import os
import traceback

import charts
import comparepage
import comparison
import page
import style
from folder import Folder


def draw(folder, maker, trouble):
    """Returns the charts of a maker, or no charts if their data are missing. Adds errors to `trouble`, which the page shows."""
    try:
        return list(maker(folder))
    except Exception:  # whatever the error is, the other charts must still be drawn
        trouble.append(f"{maker.__module__}: {traceback.format_exc(limit=-1).strip()}")
        return []


def report(path):
    """Writes the charts and index.html of a folder. For a comparison, also writes the charts and the page of each run. Returns the path of
    index.html."""
    style.use()
    folder = Folder(path)
    if comparison.is_comparison(folder):
        for run in comparison.drawn(folder):
            write(run.folder, charts.MAKERS, page)
        return write(folder, charts.COMPARED, comparepage)
    return write(folder, charts.MAKERS, page)


def write(folder, makers, pages):
    """Writes the charts of `makers`, and the page that the module `pages` renders. Returns the path of the page."""
    trouble = list(folder.trouble)
    drawn = [chart for maker in makers for chart in draw(folder, maker, trouble)]
    for chart in drawn:
        chart.save(folder.path)
    target = os.path.join(folder.path, "index.html")
    with open(target + ".part", "w", encoding="utf-8") as out:
        out.write(pages.render(folder, drawn, trouble))
    os.replace(target + ".part", target)
    return target

# SPDX-License-Identifier: BSD-3-Clause
"""Turns a folder of results into its page."""

import os
import traceback

import charts
import page
import style
from folder import Folder


def draw(folder, maker, trouble):
    """The charts of a maker, none if its data are missing. An error is reported on the page; the other charts are still drawn."""
    try:
        return list(maker(folder))
    except Exception:  # any kind: the other charts must still be drawn
        trouble.append(f"{maker.__module__}: {traceback.format_exc(limit=-1).strip()}")
        return []


def report(path):
    """Writes the charts and index.html; returns the path of the latter."""
    style.use()
    folder = Folder(path)
    trouble = list(folder.trouble)
    drawn = [chart for maker in charts.MAKERS for chart in draw(folder, maker, trouble)]
    for chart in drawn:
        chart.save(path)
    target = os.path.join(path, "index.html")
    with open(target + ".part", "w", encoding="utf-8") as out:
        out.write(page.render(folder, drawn, trouble))
    os.replace(target + ".part", target)
    return target

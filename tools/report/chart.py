# SPDX-License-Identifier: BSD-3-Clause
"""A chart: its figure, its description, and its files."""

import io
import os
import re

import matplotlib.pyplot as plt

import style


class Chart:
    def __init__(self, name, title, figure, text, notes=()):
        """`text` describes the chart for screen readers; `notes` are lines printed below it."""
        self.name, self.title, self.text, self.notes = name, title, text, list(notes)
        self._svg = None
        self._figure = figure

    def save(self, path):
        """Writes the chart to the folder `path`, as NAME.png and NAME.svg."""
        self._figure.savefig(os.path.join(path, self.name + ".png"), metadata={"Software": None})
        out = io.StringIO()
        self._figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Title": self.title})
        plt.close(self._figure)
        self._svg = out.getvalue()
        with open(os.path.join(path, self.name + ".svg"), "w", encoding="utf-8") as f:
            f.write(self._svg)

    def inline(self):
        """Returns the chart as SVG that can be embedded in the page. Its ids are unique in the page, its colours are CSS variables, and it
        refers to labels for screen readers."""
        svg = self._svg[self._svg.index("<svg"):]
        svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
        svg = re.sub(r"<title>.*?</title>", "", svg, flags=re.S)
        met = set(re.findall(r'(?:href="|url\()#([^")]+)', svg))
        svg = re.sub(r'\sid="([^"]*)"', lambda m: f' id="{self.name}-{m[1]}"' if m[1] in met else "", svg)
        svg = re.sub(r'href="#', f'href="#{self.name}-', svg)
        svg = re.sub(r"url\(#", f"url(#{self.name}-", svg)
        for name, (light, _) in style.COLOURS.items():
            svg = re.sub(light + r"\b", f"var(--{name},{light})", svg, flags=re.I)
        head, rest = svg.split(">", 1)
        head = re.sub(r'\s(width|height)="[^"]*"', "", head)
        return f'{head} role="img" aria-labelledby="{self.name}-t {self.name}-d">{rest}'


def panels(count, height=1.9, top=0.0, shared=True, width=style.WIDTH, ratios=None):
    """Returns a figure and its axes. The axes are stacked in a column and, if `shared` is set, share the x-axis."""
    total = sum(ratios) if ratios else count
    figure, axes = plt.subplots(count, 1, sharex=shared, squeeze=False, figsize=(width, height * total + 0.75 + top),
                                constrained_layout=True, gridspec_kw={"height_ratios": ratios} if ratios else None)
    figure.set_constrained_layout_pads(w_pad=0.06, h_pad=0.05, hspace=0.02)
    return figure, [row[0] for row in axes]


def legend_above(axes, title=None, columns=6, handles=None, labels=None):
    """Adds a legend above the data, to the right of the panel's title."""
    if handles is None:
        handles, labels = axes.get_legend_handles_labels()
    if title:
        axes.set_title(title)
    if handles:
        axes.legend(handles, labels, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.1, ncol=columns,
                    columnspacing=1.4)

# SPDX-License-Identifier: BSD-3-Clause
"""The colours of charts and pages. Each colour has a counterpart for dark pages. The style sheet of a page is generated from this table,
and the colours of inline SVG refer to the style sheet. When softfeb is built, lib/report also reads this table."""

# {name: (colour on white, colour on dark)}. The colours of series are those of Okabe and Ito, which colour-blind readers can distinguish.
# Charts never rely on colour alone.
COLOURS = {
    "paper": ("#ffffff", "#15191e"),
    "ink": ("#1b1f24", "#e8ebee"),
    "muted": ("#56606b", "#a9b3bd"),
    "grid": ("#dde2e7", "#333b44"),
    "c0": ("#0072b2", "#56b4e9"),
    "c1": ("#d55e00", "#ff9248"),
    "c2": ("#009e73", "#3fd0a4"),
    "c3": ("#a3478f", "#e495d2"),
    "c4": ("#9a7400", "#e8bf3a"),
    "c5": ("#4c5c9a", "#9fb0f5"),
    "c6": ("#7a4a2b", "#d3a17f"),
    "c7": ("#2b8a9e", "#6fd6ea"),
    "bad": ("#b3261e", "#ff8a80"),
    "good": ("#1b6e3c", "#6fd39a"),
}


def variables():
    """Returns the style sheet's variables, for light and dark pages."""
    light, dark = (" ".join(f"--{name}: {pair[side]};" for name, pair in COLOURS.items()) for side in (0, 1))
    return (f":root {{ {light} }}\n"
            f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n")

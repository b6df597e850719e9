# SPDX-License-Identifier: BSD-3-Clause
"""Converts plain values to HTML. This module escapes all text that was read from files."""

from html import escape

from units import fmt


def text(value):
    return escape(str(value))


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def cell(value, tag="td"):
    if isinstance(value, Raw):
        return f"<{tag}>{value}</{tag}>"
    return f'<{tag} class="n">{fmt(value)}</{tag}>' if is_number(value) or value is None else f"<{tag}>{text(fmt(value))}</{tag}>"


class Raw(str):
    """Text that is already HTML and must not be escaped."""


def table(caption, heads, rows):
    """Returns a table. The first cell of each row is its heading."""
    numeric = [bool(rows) and all(is_number(r[i]) or r[i] is None for r in rows) for i in range(len(heads))]
    head = "".join(f'<th scope="col"{" class=n" if n else ""}>{text(h)}</th>' for h, n in zip(heads, numeric))
    body = "".join("<tr>" + f'<th scope="row">{text(fmt(r[0]))}</th>' + "".join(cell(v) for v in r[1:]) + "</tr>\n" for r in rows)
    return (f'<div class="scroll" tabindex="0" role="region" aria-label="{text(caption)}"><table><caption>{text(caption)}</caption>'
            f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>\n")


def pairs(caption, mapping):
    """Returns a table of the names and values of a nested object. The names of nested members are joined by dots."""
    return table(caption, ("", "value"), list(flat(mapping)))


def flat(value, prefix="", most=400):
    """Yields (path, scalar) for all scalars in a nested object. Truncates long lists of objects, and yields a note instead of the rest."""
    if isinstance(value, dict):
        for k, v in value.items():
            yield from flat(v, f"{prefix}.{k}" if prefix else str(k), most)
    elif isinstance(value, list):
        if all(not isinstance(v, (dict, list)) for v in value) and len(value) <= 8:
            yield prefix, ", ".join(fmt(v) for v in value) or "none"
            return
        for i, v in enumerate(value[:most]):
            yield from flat(v, f"{prefix}.{v['name'] if isinstance(v, dict) and 'name' in v else i}", most)
        if len(value) > most:
            yield prefix, f"… {len(value) - most} more in result.json"
    else:
        yield prefix, value


def details(summary, inner, opened=False):
    return f"<details{' open' if opened else ''}><summary>{text(summary)}</summary>\n{inner}</details>\n"

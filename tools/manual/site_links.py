# SPDX-License-Identifier: BSD-3-Clause
"""Checks the built site: each link, anchor and picture must have a target, and nothing may be loaded from the network."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids.update(values[key] for key in ("id", "name") if values.get(key))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        elif tag == "link" and values.get("href") and "canonical" not in values.get("rel", ""):
            self.loads.append(values["href"])
        elif values.get("src"):
            self.loads.append(values["src"])


def check(folder):
    """Returns (errors, number of links)."""
    folder = Path(folder).resolve()
    pages = {path: _Page(path.read_text()) for path in folder.rglob("*.html")}
    errors, count = [], 0
    for path, page in sorted(pages.items()):
        name = path.relative_to(folder)
        for link in page.links + page.loads:
            count += 1
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads and parts.scheme != "data":
                    errors.append(f"{name}: loads {link} from the network")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                errors.append(f"{name}: {link} leads to nothing")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                errors.append(f"{name}: {link}: the page has no such anchor")
    for style in folder.rglob("*.css"):
        if "url(http" in (text := style.read_text().replace('"', "").replace("'", "")) or "@import url(//" in text:
            errors.append(f"{style.relative_to(folder)}: loads a file from the network")
    return errors, count

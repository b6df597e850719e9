# SPDX-License-Identifier: BSD-3-Clause
"""Lays out the sources of the manual's site for Sphinx.

Pages keep their paths, so that the links between them are the same on GitHub and in the site. Other files of the repository that
pages link to become pages of their own, which show the file's text."""

import html
import posixpath
import re
import shutil
import subprocess
from pathlib import Path

import yaml

SITE = Path(__file__).resolve().parent / "site"
FENCE = re.compile(r"^\s*(```+|~~~+)")
LINK = re.compile(r"(?<!!)\]\(\s*(?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)")
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
LANGUAGES = {".yaml": "yaml", ".yml": "yaml", ".json": "json", ".py": "python", ".cpp": "cpp", ".hpp": "cpp", ".h": "c"}


class SiteError(Exception):
    pass


class Source:
    def __init__(self, root, out):
        self.root, self.out = root, out
        self.contents = yaml.safe_load((SITE / "contents.yaml").read_text())
        self.shown = {}   # maps each file or folder that is not a page to the page that shows it
        self.errors = []

    def write(self, manuals):
        """Writes everything that Sphinx reads. `manuals` is the folder of the built man pages."""
        shutil.copytree(SITE, self.out, dirs_exist_ok=True)
        (self.out / "_static").mkdir()
        (self.out / "style.css").rename(self.out / "_static/style.css")
        pages = [p for section in self.contents.values() for entry in section for p in self._path(entry)]
        unlisted = sorted(str(p.relative_to(self.root)) for p in (self.root / "doc").glob("*.md")
                          if str(p.relative_to(self.root)) not in pages)
        self.errors += [f"{page}: add this page to tools/manual/site/contents.yaml" for page in unlisted]
        self.pages = set(pages)
        for page in pages:
            if page != "man":
                self._page(page)
        self._man_pages(manuals)
        self._index()
        self._shown_files()
        if self.errors:
            raise SiteError("\n".join(self.errors))

    @staticmethod
    def _path(entry):
        return list(entry.values()) if isinstance(entry, dict) else [entry]

    def _write(self, path, text):
        target = self.out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def _page(self, path):
        source = self.root / path
        if not source.is_file():
            self.errors.append(f"tools/manual/site/contents.yaml: there is no {path}")
            return
        lines, fence = [], None
        for number, line in enumerate(source.read_text().splitlines(), 1):
            mark = FENCE.match(line)
            if mark:
                fence = None if fence else mark.group(1)
            elif not fence and not line.startswith("    "):
                line = LINK.sub(lambda m: "](" + self._target(path, number, m.group(1), m.group(2) or "") + ")", line)
                for picture in PICTURE.findall(line):
                    self._picture(path, number, picture)
            lines.append(line)
        self._write(path, "\n".join(lines) + "\n")

    def _resolve(self, page, number, link):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), link))
        if path.startswith("..") or not (self.root / path).exists():
            self.errors.append(f"{page}:{number}: the link {link} leads to nothing")
            return None
        return path

    def _target(self, page, number, link, anchor):
        path = self._resolve(page, number, link)
        if path is None or path in self.pages:
            return link + anchor
        if path.endswith(".png"):
            self._picture(page, number, link)
            return link
        if path == "doc":
            return posixpath.relpath("index.md", posixpath.dirname(page) or ".")
        self.shown[path] = f"files/{path}.md"
        return posixpath.relpath(self.shown[path], posixpath.dirname(page) or ".")

    def _picture(self, page, number, link):
        if link.startswith("http"):
            self.errors.append(f"{page}:{number}: the picture {link} is not part of the repository")
        elif path := self._resolve(page, number, link):
            (self.out / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.root / path, self.out / path)

    def _shown_files(self):
        for path, page in sorted(self.shown.items()):
            source = self.root / path
            title = f"---\norphan: true\n---\n# {path}\n\n"
            if source.is_dir():
                names = sorted(str(p.relative_to(source)) for p in source.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
                self._write(page, title + "This folder of softfeb's sources contains these files:\n\n"
                            + "".join(f"* `{name}`\n" for name in names))
            else:
                text = source.read_text()
                fence = "`" * (1 + max([2, *(len(run) for run in re.findall("`+", text))]))
                language = LANGUAGES.get(source.suffix, "python" if text.startswith("#!/usr/bin/env python3") else "none")
                self._write(page, f"{title}{fence}{{code-block}} {language}\n{text.rstrip()}\n{fence}\n")

    def _man_pages(self, folder):
        names = sorted(p.name for p in folder.glob("*.[15]"))
        if not names:
            raise SiteError(f"{folder} has no man pages; fix: ninja -C build")
        for name in names:
            text = subprocess.run(["mandoc", "-T", "html", "-O", "fragment,man=%N.%S.html", folder / name], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
            # mandoc also links to the pages of other programs, which the site does not have.
            text = re.sub(r'<a class="Xr" href="([^"]+)\.html"[^>]*>(.*?)</a>',
                          lambda m: m.group(0) if m.group(1) in names else m.group(2), text, flags=re.S)
            title, _, section = name.rpartition(".")
            body = re.sub(r"\n\s*\n", "\n", text)
            self._write(f"man/{name}.md", f'# {title}({section})\n\n```{{raw}} html\n<div class="manpage">\n{body}\n</div>\n```\n')
        listed = "".join(f"{name}\n" for name in names)
        programs = "".join(f"* [{html.escape(name[:-2])}({name[-1]})]({name}.md)\n" for name in names)
        self._write("man/index.md", "# Command line\n\nThe man pages of the programs and of their configuration files. The options and keys "
                    "come from the programs.\n\n" + programs + f"\n```{{toctree}}\n:hidden:\n\n{listed}```\n")

    def _index(self):
        text = ["# softfeb", "", "softfeb is a software front-end board: it sends RoCEv2 RDMA WRITEs from as many emulated boards as you "
                "need, and simulates boards, switches and receivers on one machine. Begin with the [overview](README.md) or with the "
                "[tutorial](doc/tutorial.md). The search works without a network.", ""]
        for section, entries in self.contents.items():
            text += ["```{toctree}", f":caption: {section}", ":maxdepth: 1", ""]
            for entry in entries:
                path = self._path(entry)[0]
                target = "man/index" if path == "man" else path[:-len(".md")]
                text.append(f"{next(iter(entry))} <{target}>" if isinstance(entry, dict) else target)
            text += ["```", ""]
        self._write("index.md", "\n".join(text))

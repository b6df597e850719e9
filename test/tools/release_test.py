# SPDX-License-Identifier: BSD-3-Clause
"""Tests tools/release: versions of packages, the archive, the comparison of builds, and the reading of ELF
headers."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from release import archive, debian, hardening, sources, version  # noqa: E402
from release.command import Failure  # noqa: E402

CONTROL = "Source: softfeb\nMaintainer: A Name <name@softfeb.example>\n"
CHANGELOG = "softfeb (0.2.0) unstable; urgency=medium\n\n  * Release.\n\n -- A Name <name@softfeb.example>  Thu, 01 Jan 1970 00:16:40 +0000\n"


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class Tree(unittest.TestCase):
    """A small Git repository, which the tests use instead of the real one."""

    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="softfeb-release-"))
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / "tree/debian").mkdir(parents=True)
        for module in (version, sources):
            patch = mock.patch.object(module, "ROOT", self.root / "tree")
            patch.start()
            self.addCleanup(patch.stop)
        self.write("meson.build", "project('softfeb', 'cpp',\n  version: '0.2.0',\n)\n")
        self.write("CHANGELOG.md", "# Changelog\n")
        self.write("debian/control", CONTROL)

    def write(self, name, text):
        (self.root / "tree" / name).write_text(text)

    def git(self, *arguments, date="@1000 +0000"):
        subprocess.run(["git", "-C", self.root / "tree", "-c", "user.name=A", "-c", "user.email=a@softfeb.example", *arguments], check=True,
                       stdout=subprocess.DEVNULL, env={"PATH": "/usr/bin:/bin", "GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date})

    def commit(self, date="@1000 +0000"):
        if not (self.root / "tree/.git").exists():
            self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "A", date=date)


class Versions(Tree):
    def test_the_tagged_commit_is_the_release(self):
        self.commit()
        self.assertRegex(version.package(), r"^0\.2\.0\+git19700101001640\.[0-9a-f]{8}$")
        self.git("tag", "v0.2.0")
        self.assertEqual(version.package(), "0.2.0")
        self.assertIn("softfeb (0.2.0) unstable", version.changelog())
        self.assertIn("A Name <name@softfeb.example>  Thu, 01 Jan 1970 00:16:40 +0000", version.changelog())

    def test_a_changed_file_is_no_release(self):
        self.commit()
        self.git("tag", "v0.2.0")
        self.write("CHANGELOG.md", "changed\n")
        self.assertRegex(version.package(), r"\.changed$")

    @unittest.skipUnless(shutil.which("dpkg"), "dpkg is not installed")
    def test_apt_upgrades_to_later_commits(self):
        self.commit()
        first = version.package()
        self.commit(date="@2000 +0000")
        for lower, higher in (("0.2.0", first), (first, version.package()), (version.package(), "0.2.1")):
            self.assertEqual(subprocess.run(["dpkg", "--compare-versions", lower, "lt", higher], check=False).returncode, 0, (lower, higher))

    def test_an_archive_keeps_its_version(self):
        self.write("debian/changelog", CHANGELOG)
        self.assertEqual(version.changelog(), CHANGELOG)
        self.assertEqual(version.package(), "0.2.0")


class Archive(Tree):
    def test_only_committed_files_with_the_same_bytes(self):
        self.write("kept", "text\n")
        self.commit()
        self.write("not-committed", "text\n")
        written = []
        for name in ("a", "b"):
            archive.make(self.root / name)
            file, = (self.root / name).glob("*.tar.xz")
            written.append(file.read_bytes())
        self.assertEqual(*written)
        names = subprocess.run(["tar", "--list", "--file", file], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        self.assertIn("debian/changelog", [n.split("/", 1)[1] for n in names])
        self.assertIn("kept", [n.split("/", 1)[1] for n in names])
        self.assertFalse([n for n in names if "not-committed" in n or ".git/" in n])
        subprocess.run(["sha256sum", "--check", "--quiet", f"{file.name}.sha256"], cwd=file.parent, check=True)

    def test_changed_files_are_refused(self):
        self.commit()
        self.write("CHANGELOG.md", "changed\n")
        with self.assertRaisesRegex(Failure, "changed since the last commit"):
            archive.make(self.root / "a")

    def test_without_git_builds_are_left_out(self):
        for name in ("build-x", "lib", "__pycache__"):
            (self.root / "tree" / name).mkdir()
            self.write(f"{name}/build.sh", "text\n")
        sources.copy(self.root / "copy")
        self.assertEqual(sorted(p.relative_to(self.root / "copy").as_posix() for p in (self.root / "copy").rglob("*") if p.is_file()),
                         ["CHANGELOG.md", "debian/changelog", "debian/control", "lib/build.sh", "meson.build"])


class Comparison(unittest.TestCase):
    def setUp(self):
        self.folders = [Path(tempfile.mkdtemp(prefix="softfeb-release-")) for _ in range(2)]
        for folder in self.folders:
            self.addCleanup(shutil.rmtree, folder)
            (folder / "a.deb").write_bytes(b"a")
            # the file contains the build folder, so two builds differ
            (folder / "b.buildinfo").write_text(str(folder))

    def test_the_same_bytes(self):
        with mock.patch("builtins.print"):
            debian.compare(*self.folders)

    def test_other_bytes(self):
        (self.folders[1] / "a.deb").write_bytes(b"b")
        with self.assertRaisesRegex(Failure, "differ from build to build: a.deb"):
            debian.compare(*self.folders)

    def test_other_packages(self):
        (self.folders[1] / "c.deb").write_bytes(b"c")
        with self.assertRaisesRegex(Failure, "different packages"):
            debian.compare(*self.folders)


@unittest.skipUnless(shutil.which("cc"), "no compiler")
class Hardening(unittest.TestCase):
    def test_an_unprotected_program_lacks_everything(self):
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder, "a.c"), Path(folder, "a")
            source.write_text("int main(void) { return 0; }\n")
            subprocess.run(["cc", "-no-pie", "-fcf-protection=none", "-Wl,-z,norelro,-z,lazy,-z,execstack,-rpath,/tmp", source, "-o", program],
                           check=True, stderr=subprocess.DEVNULL)
            lacking = {text.split(":")[0] for text in hardening.lacking(program)}
        self.assertLessEqual({"PIE", "RELRO", "BIND_NOW", "NX", "RUNPATH", "stack protector", "FORTIFY"}, lacking)


if __name__ == "__main__":
    unittest.main()

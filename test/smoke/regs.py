# SPDX-License-Identifier: BSD-3-Clause
"""`softfeb regs` prints the register space of a firmware profile. The space must contain the laboratory's
register map."""

import csv
import io
import json
import pathlib

import harness

MAP = pathlib.Path(__file__).parents[1] / "vectors" / "control" / "regmap_board.csv"
MAY, SEPTEMBER = "kcu105-rocev2-2026.05", "kcu105-rocev2-2026.09"


class Regs(harness.TestCase):
    def regs(self, *args, status=0):
        run = harness.Softfeb(["regs", *args], self.dir).finish(30)
        self.assertEqual(run.status, status, run.err)
        return run

    def rows(self, *args):
        return list(csv.DictReader(io.StringIO(self.regs("--csv", *args).out)))

    def test_every_row_of_the_laboratory_s_map(self):
        keys = ("path", "address", "bit_offset", "bit_size", "mode")
        with MAP.open(newline="") as file:
            golden = [tuple(row[k] for k in keys) for row in csv.DictReader(file)]
        ours = [tuple(row[k] for k in keys) for row in self.rows()]
        self.assertEqual(len(golden), 379)
        self.assertEqual(ours, golden)
        self.assertEqual(self.rows(), self.rows("--profile", MAY))

    def test_reset_values(self):
        reset = {row["path"]: int(row["reset"], 16) for row in self.rows()}
        self.assertEqual(reset["Root.App.AppTx.FrameSize"], 0x1FFFF)
        self.assertEqual(reset["Root.Core.RoceEngine.Dcqcn.Rai"], 6_000_000)
        self.assertEqual(reset["Root.Core.FwRudpServer[1].locMaxSegSize"], 8192)

    def test_newer_profile(self):
        older = {row["path"] for row in self.rows()}
        newer = {row["path"]: row for row in self.rows("--profile", SEPTEMBER)}
        self.assertLess(older, set(newer))
        self.assertEqual(newer["Root.Core.RoceEngine.Dcqcn[14].Rc"]["address"], "0x0015F018")

    def test_json_and_table(self):
        document = json.loads(self.regs("--json").out)
        self.assertEqual(document["profile"], MAY)
        self.assertEqual(len(document["registers"]), 379)
        states = next(r for r in document["registers"] if r["path"] == "Root.Core.FwRudpServer[0].ConnState")
        self.assertEqual(states["enum"]["7"], "OPEN_S")
        table = self.regs().out
        self.assertIn(MAY, table)
        self.assertIn("Root.App.RoceChecker.ResetCounters", table)

    def test_unknown_profile(self):
        err = self.regs("--profile", "kcu116", status=2).err
        for words in ("kcu116", "fix:", MAY, SEPTEMBER):
            self.assertIn(words, err)


if __name__ == "__main__":
    harness.main()

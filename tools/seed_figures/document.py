# SPDX-License-Identifier: BSD-3-Clause
"""The table, and doc/seed-figures.md."""

SYSTEMS = """* **Advanced Camera** (000): the RoCEv2 sender with DCQCN in the boards of the CTAO-LST Advanced Camera
  (indico.global, event 14708, contribution 146619; arXiv:2509.02285).
* **RoCE for radio astronomy** (001): a thesis on RoCE between the stations and the nodes of a radio
  telescope, with UC, missing data and up to 2,000 queue pairs.
* **Receiver registration** (003): a paper on receivers that find out by themselves when a transfer is
  complete.
* **NaNet-10** (004): an FPGA card with four 10 GbE ports for the trigger of an experiment, which
  writes data into the memory of GPUs."""

HEAD = f"""# Figures from published systems

This page compares softfeb with four published systems. The names of most files begin with their
numbers, `seed000`, `seed001`, `seed003` and `seed004`:

{SYSTEMS}

`tools/seed-figures` runs the experiments in virtual time, where the configuration alone determines
the result, and writes this page. *Expected* is the figure of the publication, or follows from its
parameters. Some publications show an effect without a number: the innocent board, traffic without
DCQCN, and the threshold switch. There, *expected* is a value that shows the effect, and guards
against changes. A figure holds if ours is within the tolerance.

Two publications give latencies without their components, so some parameters are fitted: the fixed
cost (`post_delay`) of the camera's boards to the ratio of 4, and the fixed cost and the delay of the
links of receiver registration to the two latencies at 1 KB. These figures only confirm that such
parameters explain them. The other sizes follow.

[published-systems.md](published-systems.md) lists what these systems do, with a command for each line.

`tools/seed-figures --real` also prints figures in real time, which depend on the machine.

`softfeb lab sweep -c conf/lab/FILE.yaml --report DIR` draws a single sweep, and `softfeb lab -c
conf/lab/FILE.yaml --virtual --report DIR` a single run ([lab.md](lab.md)).

"""

NOTES = """
Some figures need an explanation:

* **Throughput.** The camera's boards reached 9.7 Gb/s into a NIC at path MTU 4096. The headers allow
  10 · 4096/4178 = 9.80 Gb/s, which a board in virtual time reaches, because nothing interrupts it.
* **Innocent board.** All four boards wait for the same paused uplink, so the innocent one gets about
  as much as each board of the incast: a third of 9.8 Gb/s.
* **Threshold.** The switch counts bytes on the wire: its 8 Gb/s are 7.85 Gb/s of payload. The boards'
  rates are sawteeth below the threshold, so the mean is lower.
* **The thesis's count.** Its equations count headers and iCRC. FCS, preamble and inter-frame gap
  occupy the link as well, so the goodput is lower than that share of 100 Gb/s.
* **Queue of the camera.** When all boards answer one trigger, the queue of the server's port peaks at
  684 kB without event headers. The headers add 64 bytes from each of the 143 boards.
* **Goodput of NaNet-10.** Each packet of a WRITE has 98 bytes of headers, iCRC, FCS, preamble and
  inter-frame gap, each datagram has 66.
* **A fixed time saved.** Registration saves a round trip, whose length does not depend on the size of
  the transfer. Relative to a transfer of 32 KB, little remains of it.
"""


def number(value, digits):
    return "never" if value == float("inf") else f"{value:,.{digits}f}"


def values(numbers, digits):
    """Once if all are the same."""
    texts = [number(v, digits) for v in numbers]
    return ", ".join(texts if len(set(texts)) > 1 else texts[:1])


def expected(row):
    """As written: without zeros at the end."""
    return ", ".join(f"{v:,.10g}" for v in row.expected)


def table(figures):
    lines = ["| system | figure | file | expected | ours | tolerance | held |", "|---|---|---|---|---|---|---|"]
    before = None
    for f in figures:
        row = f.row
        lines.append(f"| {row.seed if row.seed != before else ''} | {row.name} | `{row.file}` | {expected(row)} | "
                     f"{values(f.ours, row.digits)} | {row.tolerance} | {'yes' if f.held else '**no**'} |")
        before = row.seed
    return "\n".join(lines)


def write(folder, figures, drawn):
    """Writes seed-figures.md. `drawn`: [(file name, title, description)] of the pictures in `images`."""
    images = "".join(f"\n## {title}\n\n![{text}](images/{name})\n" for name, title, text in drawn)
    (folder / "seed-figures.md").write_text(HEAD + table(figures) + "\n" + NOTES + images, encoding="utf-8")

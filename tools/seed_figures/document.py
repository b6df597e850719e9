# SPDX-License-Identifier: BSD-3-Clause
"""Writes the table, and doc/seed-figures.md."""

SYSTEMS = """* **Advanced Camera** (000): the RoCEv2 sender with DCQCN in the boards of the CTAO-LST Advanced
  Camera (indico.global, event 14708, contribution 146619; arXiv:2509.02285).
* **RoCE for radio astronomy** (001): a thesis on RoCE between the stations and the nodes of a radio
  telescope. The thesis covers UC, missing data and up to 2,000 queue pairs.
* **Receiver registration** (003): a paper on receivers that detect, without a message from the
  sender, when a transfer is complete.
* **NaNet-10** (004): an FPGA card with four 10 GbE ports for the trigger of an experiment. The card
  writes data to the memory of GPUs."""

HEAD = f"""# Figures from published systems

This page compares softfeb with four published systems. The names of most of the configuration files
in the table begin with `seed` and the number of a system: `seed000`, `seed001`, `seed003` or
`seed004`.

{SYSTEMS}

`tools/seed-figures` runs the experiments in virtual time, where the configuration alone determines
the result, and writes this page. In the table below, *expected* is the figure from the publication,
or a value that was computed from the parameters in the publication. *Eq.*, *Fig.* and *R* refer to
equations, figures and requirements by their numbers in the publication. A row whose name begins
with "…" describes another figure of the experiment in the previous row.

For three effects, the publications give no number: the slow-down of a board that does not
contribute to the congestion (the *innocent board*), the traffic without DCQCN, and the threshold
switch. In the rows of these effects, *expected* is a value that was chosen for this page. This
value demonstrates the effect, and shows whether later versions of softfeb change the result. A
figure holds (column *held*) if the result of softfeb (column *ours*) is within the tolerance.

Two publications state latencies, but not the durations of the individual steps that add up to these
latencies. Some parameters were therefore fitted. The time to post a message (`post_delay`) of the
camera's boards was chosen so that the latency at 4096 bytes is 4 times the latency at 256 bytes.
For receiver registration, the time to post a message and the delay of the links were fitted to the
two latencies at 1 KB (with and without registration). These figures therefore show only that such
parameters explain the published latencies. The figures for other sizes follow from the fitted
parameters.

[published-systems.md](published-systems.md) lists the features of these systems, and shows how to
reproduce most of these features with softfeb.

`tools/seed-figures --real` additionally measures some figures in real time, and prints them. These
figures depend on the machine.

To draw the charts of a single sweep, run `softfeb lab sweep -c conf/lab/FILE.yaml --report DIR`.
For the charts of a single run, use `softfeb lab -c conf/lab/FILE.yaml --virtual --report DIR`
([lab.md](lab.md)).

"""

NOTES = """
Some figures need an explanation:

* **Throughput.** The camera's boards reached a throughput of 9.7 Gb/s to a NIC at path MTU 4096.
  Because of the headers, the throughput cannot exceed 10 · 4096/4178 = 9.80 Gb/s. In virtual time,
  a board reaches this limit, because nothing interrupts it.
* **Innocent board.** Without DCQCN, all four boards wait for the same paused uplink. The innocent
  board therefore gets about as much as each of the three boards that cause the congestion: a third
  of 9.8 Gb/s.
* **Threshold switch.** The switch counts all bytes on the wire, so its threshold of 8 Gb/s
  corresponds to 7.85 Gb/s of payload. The rates of the boards follow sawteeth below the threshold,
  so the mean throughput is lower than the threshold.
* **Share of payload.** The equations in the thesis take headers and iCRC into account, but not FCS,
  preamble and inter-frame gap, which occupy the link, too. On a link of 100 Gb/s, the goodput is
  therefore lower than 100 Gb/s multiplied by the share that the equations give.
* **Queue of the camera.** When all boards answer one trigger, the queue of the server's port would
  reach 684 kB without event headers. The event header of each of the 143 boards adds 64 bytes.
* **R6.** The links drop, duplicate and reorder packets, each with a probability of 10⁻⁴.
* **Goodput of NaNet-10.** In addition to its payload, each packet of a WRITE has 98 bytes of
  headers, iCRC, FCS, preamble and inter-frame gap on the link. A datagram has 66 bytes of headers,
  FCS, preamble and inter-frame gap in addition to its payload.
* **Time that registration saves.** Registration saves one round trip. The duration of this round
  trip does not depend on the size of the transfer. For a transfer of 32 KB, the round trip is only
  a small share of the latency.
"""


def number(value, digits):
    return "never" if value == float("inf") else f"{value:,.{digits}f}"


def values(numbers, digits):
    """Formats the numbers as a list. If all of them have the same text, formats only one."""
    texts = [number(v, digits) for v in numbers]
    return ", ".join(texts if len(set(texts)) > 1 else texts[:1])


def expected(row):
    """Formats the expected numbers without trailing zeros."""
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
    """Writes seed-figures.md. `drawn` is a list of (file name, title, description) of the pictures in the folder `images`."""
    images = "".join(f"\n## {title}\n\n![{text}](images/{name})\n" for name, title, text in drawn)
    (folder / "seed-figures.md").write_text(HEAD + table(figures) + "\n" + NOTES + images, encoding="utf-8")

// SPDX-License-Identifier: BSD-3-Clause
// How the workers spend their time, by stage: a bar and numbers for each worker.

import { element } from "/tables.js";

// For each stage: its name in the samples, its colour, and its meaning.
const STAGES = [
  ["rx", "--b0", "taking packets from ports"],
  ["check", "--b6", "checking headers and iCRC"],
  ["place", "--b2", "placing and comparing payload, completing requests"],
  ["build", "--b1", "timers, choosing and building packets"],
  ["tx", "--b4", "handing packets to ports"],
  ["other", "--b3", "slow control, snapshots, the simulated network"],
  ["idle", "--grid", "polling without packets, or sleeping"],
];
const by = (id) => document.getElementById(id);
const percent = (share) => `${(100 * share).toFixed(1)} %`;

let rows = []; // for each worker: its bar, the bar's parts, and the cells that show numbers

function head([name, colour, title]) {
  const swatch = element("span", { className: "swatch" });
  swatch.style.setProperty("--stage", `var(${colour})`);
  return element("th", { scope: "col", title }, swatch, name);
}

function row(worker) {
  const parts = STAGES.slice(0, -1).map(([, colour]) => {
    const part = element("span");
    part.style.setProperty("--stage", `var(${colour})`);
    return part;
  });
  const bar = element("div", { className: "shares" }, ...parts);
  bar.setAttribute("role", "img");
  const cells = STAGES.map(() => element("td"));
  rows.push({ bar, parts, cells });
  return element("tr", {}, element("th", { scope: "row", textContent: `${worker}` }), element("td", {}, bar), ...cells);
}

function make(count) {
  rows = [];
  const titles = ["worker", "time"].map((textContent) => element("th", { scope: "col", textContent }));
  const body = element("tbody", {}, ...Array.from({ length: count }, (_, worker) => row(worker)));
  by("workers").replaceChildren(
    element("table", {}, element("thead", {}, element("tr", {}, ...titles, ...STAGES.map(head))), body));
}

/** Shows the means over the samples `recent`. */
export function showWorkers(recent) {
  const samples = recent.filter((s) => s.cpu);
  by("workers-card").hidden = !samples.length;
  if (!samples.length) return;
  const count = samples[0].cpu.idle.length;
  if (rows.length !== count) make(count);
  rows.forEach(({ bar, parts, cells }, worker) => {
    const sums = STAGES.map(([name]) => samples.reduce((sum, s) => sum + s.cpu[name][worker], 0));
    // Do not divide by 0: all values of a sample are 0 if the worker was preempted for the whole interval.
    const all = sums.reduce((sum, v) => sum + v, 0) || 1;
    const shares = sums.map((v) => v / all);
    parts.forEach((part, i) => { part.style.width = `${100 * shares[i]}%`; });
    cells.forEach((cell, i) => { cell.textContent = percent(shares[i]); });
    bar.setAttribute("aria-label", `Worker ${worker}: ${STAGES.map(([name], i) => `${name} ${percent(shares[i])}`).join(", ")}`);
  });
}

// SPDX-License-Identifier: BSD-3-Clause
// The charts. Colours come from the style sheet, so they follow the light and dark themes.

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const COLOURS = 8;
const RUG_ROW = 6;

export const MOST_SHOWN = COLOURS;
export const colourOf = (place) => css(`--b${place % COLOURS}`);

// Formats bytes in the units used to configure buffers and thresholds.
const KIB = 1024;
const MIB = KIB * KIB;
const bytes = (v) => {
  const a = Math.abs(v);
  if (a >= MIB) return `${+(v / MIB).toPrecision(3)} MiB`;
  return a >= KIB ? `${+(v / KIB).toPrecision(3)} KiB` : `${Math.round(v)} B`;
};

/** Draws rows of ticks above the plot, one row for each board shown. A tick marks received CNPs; a darker tick marks more. */
const rug = {
  id: "rug",
  afterDraw(chart) {
    const rows = chart.$rug ?? [];
    const { ctx, chartArea: area, scales: { x } } = chart;
    if (!area) return;
    ctx.save();
    rows.forEach((row, i) => {
      const top = area.top - (rows.length - i) * RUG_ROW - 3;
      ctx.fillStyle = row.colour;
      for (const [t, n] of row.marks) {
        const at = x.getPixelForValue(t);
        if (at < area.left || at > area.right) continue;
        ctx.globalAlpha = Math.min(1, 0.45 + 0.2 * Math.log10(n));
        ctx.fillRect(at - 1, top, 2, RUG_ROW - 1);
      }
    });
    if (rows.length) {
      ctx.globalAlpha = 1;
      ctx.fillStyle = css("--muted");
      ctx.font = "11px system-ui, sans-serif";
      ctx.textAlign = "right";
      ctx.textBaseline = "top";
      ctx.fillText("CNPs", area.left - 6, area.top - rows.length * RUG_ROW - 7);
    }
    ctx.restore();
  },
};

/** Draws horizontal lines at Kmin and Kmax. */
const limits = {
  id: "limits",
  afterDatasetsDraw(chart) {
    const { ctx, chartArea: area, scales: { y } } = chart;
    for (const { value, name, colour } of chart.$limits ?? []) {
      const at = y.getPixelForValue(value);
      if (at < area.top || at > area.bottom) continue;
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = css(colour);
      ctx.setLineDash([6, 4]);
      ctx.lineWidth = 1.5;
      ctx.beginPath();
      ctx.moveTo(area.left, at);
      ctx.lineTo(area.right, at);
      ctx.stroke();
      ctx.font = "600 11px system-ui, sans-serif";
      ctx.textAlign = "right";
      ctx.setLineDash([]);
      ctx.lineJoin = "round";
      ctx.lineWidth = 4;
      ctx.strokeStyle = css("--card");
      ctx.strokeText(name, area.right - 4, at - 5);
      ctx.fillText(name, area.right - 4, at - 5);
      ctx.restore();
    }
  },
};

function options(unit, ticks, title) {
  const axis = { color: css("--muted"), font: { size: 11 } };
  return {
    animation: false,
    parsing: false,
    normalized: true,
    responsive: true,
    maintainAspectRatio: false,
    interaction: { mode: "nearest", axis: "x", intersect: false },
    layout: { padding: { top: 6 } },
    scales: {
      x: { type: "linear", grid: { color: css("--grid") }, ticks: { ...axis, maxRotation: 0, includeBounds: false, callback: (v) => `${+v.toFixed(1)} s` } },
      y: {
        beginAtZero: true, grid: { color: css("--grid") }, ticks: { ...axis, callback: ticks },
        title: { display: !!title, text: title, color: css("--muted") },
      },
    },
    plugins: {
      legend: { display: false },
      tooltip: {
        callbacks: {
          title: (items) => (items.length ? `${items[0].parsed.x.toFixed(2)} s` : ""),
          label: (item) => `${item.dataset.label}: ${unit(item.parsed.y)}`,
        },
      },
    },
  };
}

const line = (label, colour, more = {}) => ({
  label, data: [], borderColor: colour, backgroundColor: colour, borderWidth: 2, pointRadius: 0, pointHitRadius: 6,
  spanGaps: false, ...more,
});

// Charts of the state of congestion control. Each chart has a unit (`axis`) and draws all its `lines` for
// each board. A line shows one member of a sample.
const STATES = {
  rtt: { axis: "µs", scale: 1, text: (v) => `${+v.toPrecision(4)} µs`,
    lines: [{ member: "rtt_us", name: "RTT" }, { member: "target_delay_us", name: "target", dashed: true }] },
  cwnd: { axis: "KiB", scale: 1 / KIB, text: (v) => bytes(v * KIB), lines: [{ member: "window", name: "window" }] },
};

export class Charts {
  #rates = null;
  #queue = null;
  #key = "";
  #states = new Map(); // for each name in STATES: {chart, key}

  get available() { return typeof globalThis.Chart === "function"; }

  /** Rebuilds the charts after a change of colours. */
  restyle() {
    this.#rates?.destroy();
    this.#queue?.destroy();
    this.#rates = this.#queue = null;
    this.#key = "";
    for (const { chart } of this.#states.values()) chart.destroy();
    this.#states.clear();
  }

  /**
   * Draws the rates of the boards in `shown`, a list of {board, name, place}; `place` selects the colour. If `band` is true,
   * also draws the range over all boards.
   */
  rates(samples, from, to, shown, band, canvas) {
    if (!this.available) return;
    const key = shown.map((s) => s.board).join() + band;
    if (!this.#rates || key !== this.#key) this.#makeRates(shown, band, canvas);
    this.#key = key;
    const chart = this.#rates;
    const sets = chart.data.datasets;
    let next = 0;
    if (band) next = this.#fillBand(sets, samples);
    chart.$rug = [];
    for (const { board, place } of shown) {
      sets[next++].data = samples.map((s) => ({ x: s.t, y: s.sent[board] ?? NaN }));
      sets[next++].data = samples.map((s) => ({ x: s.t, y: s.rc[board] ?? NaN }));
      chart.$rug.push({ colour: colourOf(place), marks: samples.filter((s) => s.cnp[board]).map((s) => [s.t, s.cnp[board]]) });
    }
    Object.assign(chart.options.scales.x, { min: from, max: to });
    chart.update("none");
  }

  #makeRates(shown, band, canvas) {
    this.#rates?.destroy();
    const o = options((v) => `${v.toFixed(3)} Gb/s`, (v) => +v.toPrecision(4), "Gb/s");
    o.layout.padding.top = shown.length * RUG_ROW + 12;
    o.scales.y.grace = "8%";
    const sets = [];
    if (band) {
      const grey = css("--muted");
      sets.push(line("slowest board", "transparent", { borderWidth: 0 }),
        line("fastest board", "transparent", { borderWidth: 0, fill: "-1", backgroundColor: `${css("--area")}33` }),
        line("mean of all boards", grey, { borderWidth: 2 }));
    }
    for (const { name, place } of shown) {
      const colour = colourOf(place);
      sets.push(line(name, colour), line(`${name} Rc`, colour, { borderDash: [5, 4], borderWidth: 1.5 }));
    }
    this.#rates = new globalThis.Chart(canvas, { type: "line", data: { datasets: sets }, options: o, plugins: [rug] });
  }

  #fillBand(sets, samples) {
    const of = (reduce) => samples.map((s) => ({ x: s.t, y: reduce(s.sent) }));
    sets[0].data = of((v) => v.reduce((a, b) => Math.min(a, b), Infinity));
    sets[1].data = of((v) => v.reduce((a, b) => Math.max(a, b), 0));
    sets[2].data = of((v) => v.reduce((a, b) => a + b, 0) / Math.max(1, v.length));
    return 3;
  }

  /** Draws chart `name` of STATES. `shown` is as for rates(). Boards whose algorithm lacks the quantity have no line. */
  state(name, samples, from, to, shown, canvas) {
    if (!this.available) return;
    const { lines, scale } = STATES[name];
    const of = ({ member }, board) => samples.map((s) => ({ x: s.t, y: (s[member]?.[board] ?? NaN) * scale }));
    const drawn = shown.flatMap(({ board, name: label, place }) => lines.map((l) => ({ ...l, label, place, data: of(l, board) })))
      .filter(({ data }) => data.some(({ y }) => !Number.isNaN(y)));
    const key = drawn.map((d) => d.label + d.member + d.place).join();
    if (this.#states.get(name)?.key !== key) this.#makeState(name, key, drawn, canvas);
    const { chart } = this.#states.get(name);
    drawn.forEach(({ data }, i) => { chart.data.datasets[i].data = data; });
    Object.assign(chart.options.scales.x, { min: from, max: to });
    chart.update("none");
  }

  #makeState(name, key, drawn, canvas) {
    this.#states.get(name)?.chart.destroy();
    const { axis, text } = STATES[name];
    const o = options(text, (v) => +v.toPrecision(4), axis);
    o.scales.y.grace = "8%";
    const sets = drawn.map((d) => line(`${d.label} ${d.name}`, colourOf(d.place), d.dashed ? { borderDash: [5, 4], borderWidth: 1.5 } : {}));
    const chart = new globalThis.Chart(canvas, { type: "line", data: { datasets: sets }, options: o });
    this.#states.set(name, { chart, key });
  }

  queue(samples, from, to, port, config, canvas) {
    if (!this.available) return;
    if (!this.#queue) {
      const area = css("--area");
      const o = options((v) => bytes(v * KIB), (v) => +v.toPrecision(4), "KiB");
      this.#queue = new globalThis.Chart(canvas, {
        type: "line", options: o, plugins: [limits],
        data: { datasets: [line("peak", area, { fill: "origin", backgroundColor: `${area}33`, borderWidth: 1.5 })] },
      });
    }
    const chart = this.#queue;
    chart.$limits = config.kmax === undefined ? [] : [
      { value: config.kmin / KIB, name: `Kmin ${bytes(config.kmin)}`, colour: "--kmin" },
      { value: config.kmax / KIB, name: `Kmax ${bytes(config.kmax)}`, colour: "--kmax" }];
    chart.data.datasets[0].data = samples.filter((s) => s.peak).map((s) => ({ x: s.t, y: s.peak[port] / KIB }));
    Object.assign(chart.options.scales.x, { min: from, max: to });
    chart.options.scales.y.suggestedMax = config.kmax === undefined ? 10 : (config.kmax / KIB) * 1.15;
    chart.update("none");
  }
}

export { bytes };

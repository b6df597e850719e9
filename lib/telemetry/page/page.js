// SPDX-License-Identifier: BSD-3-Clause
import { Charts, MOST_SHOWN, bytes, colourOf } from "/charts.js";
import { ParameterForm } from "/parameters.js";
import { showLinks } from "/links.js";
import { Store } from "/store.js";
import { Tables, element, number } from "/tables.js";
import { showWorkers } from "/workers.js";

const FEW_BOARDS = 8;      // with more boards than this, the charts show selected boards and the range of all boards
const CHOSEN_OF_MANY = 3;  // number of boards selected at first if there are many
const TILE_SECONDS = 1;

const by = (id) => document.getElementById(id);
const store = new Store();
const charts = new Charts();
const tables = new Tables(by("tabs"), by("tables"));
const form = new ParameterForm();

let shown = [];  // [{board, name, place}]; `place` selects the colour
let held = null; // time at which the charts are paused, or null
let drawn = false;

function sum(values) { return values.reduce((a, b) => a + b, 0); }

function choose() {
  const inputs = [...by("boards").querySelectorAll("input")];
  const before = new Map(shown.map((s) => [s.board, s.place]));
  const boards = inputs.filter((i) => i.checked).map((i) => Number(i.value));
  const taken = new Set(boards.filter((b) => before.has(b)).map((b) => before.get(b)));
  const free = [...Array(MOST_SHOWN).keys()].filter((p) => !taken.has(p));
  shown = boards.map((board) => ({ board, name: store.setup.boards[board].name, place: before.get(board) ?? free.shift() }));
  for (const i of inputs) {
    i.disabled = !i.checked && shown.length >= MOST_SHOWN;
    const one = shown.find((s) => s.board === Number(i.value));
    if (one) i.parentElement.style.setProperty("--chip", colourOf(one.place));
  }
  draw();
}

function setupPicker(boards) {
  const many = boards.length > FEW_BOARDS;
  const first = many ? CHOSEN_OF_MANY : FEW_BOARDS;
  shown = [];
  by("boards").replaceChildren(...boards.map((b, i) => {
    const input = element("input", { type: "checkbox", value: `${i}`, checked: i < first });
    return element("label", { className: "chip", title: b.ip }, input, element("span", { className: "swatch" }), b.name);
  }));
  by("filter").hidden = by("picker-note").hidden = !many;
  by("filter").value = "";
  by("picker-note").textContent = many
    ? `${boards.length} boards: the shaded range runs from the slowest to the fastest, the grey line is their mean; select up to ${MOST_SHOWN} for separate lines.` : "";
  choose();
}

function setup() {
  const s = store.setup;
  document.title = `${s.title} – softfeb`;
  by("title").textContent = s.title;
  by("shows").textContent = s.shows;
  by("version").textContent = `softfeb ${s.version}`;
  setupPicker(s.boards);
  by("queue-card").hidden = s.ports.length === 0;
  by("port").replaceChildren(...s.ports.map((p, i) => new Option(p.name, i)));
  by("port").value = `${Math.max(0, s.ports.findIndex((p) => p.bottleneck))}`;
  by("parameters-card").classList.toggle("only", s.ports.length === 0);
  tables.setup({ boards: s.boards.map((b) => b.name), receivers: s.receivers, ports: s.ports.map((p) => p.name) });
  form.setup(s);
  setHeld(null);
  result();
  state();
}

function tile(name, value, unit, bad = false) {
  const dd = element("dd", { textContent: value });
  if (unit) dd.append(element("small", { textContent: unit }));
  return element("div", { className: bad ? "bad" : "" }, element("dt", { textContent: name }), dd);
}

/** Jain's index over the sending boards. */
function fairness(samples) {
  const x = store.setup.boards.map((_, b) => sum(samples.map((s) => s.sent[b]))).filter((v) => v > 0);
  return x.length < 2 ? null : sum(x) ** 2 / (x.length * sum(x.map((v) => v * v)));
}

const total = (kind, column) => {
  const table = store.counters?.[kind];
  const at = table ? table.columns.indexOf(column) : -1;
  return at < 0 ? 0 : sum(table.rows.map((r) => r[at] ?? 0));
};

/** Mean over the boards that have a value in a sample, and over the samples; null if there is no value. */
function meanOf(samples, member) {
  const values = samples.flatMap((s) => s[member] ?? []).filter((v) => v !== null);
  return values.length ? sum(values) / values.length : null;
}

const ever = (member) => store.samples.some((s) => s[member]?.some((v) => v !== null));

/** Tiles for runs with event data. */
function eventTiles(recent, mean) {
  const last = recent.at(-1).events;
  if (!last) return [];
  const busy = 100 * mean((s) => s.events?.busy ?? 0);
  const built = last.rate === null ? [] : [  // null: no receiver of this process builds events
    tile("Complete events", number.format(Math.round(mean((s) => s.events?.rate ?? 0))), "/s"),
    tile("Incomplete events", number.format(last.incomplete), "", last.incomplete > 0)];
  return [...built,
    tile("Lost by boards", number.format(last.lost), "events", last.lost > 0),
    tile("Busiest board", busy.toFixed(1), "% busy")];
}

/** Tiles for runs with traffic generators or streams of datagrams. */
function datagramTiles(recent, mean) {
  const { traffic_gen: sent, streams: received } = recent.at(-1);
  const list = [];
  if (sent) {
    list.push(tile("Traffic generators", mean((s) => s.traffic_gen?.gbps ?? 0).toFixed(2), "Gb/s"),
      tile("Bursts running", `${sent.running}`, `of ${sent.generators}`));
  }
  if (received) {
    list.push(tile("Datagram streams", mean((s) => s.streams?.gbps ?? 0).toFixed(2), "Gb/s"),
      tile("Stream drops", number.format(received.dropped), "datagrams", received.dropped > 0));
  }
  return list;
}

function tiles(end) {
  const recent = store.since(TILE_SECONDS, end).slice(1);
  if (!recent.length) return by("tiles").replaceChildren();
  const mean = (of) => sum(recent.map(of)) / recent.length;
  const jain = fairness(recent);
  const seconds = Math.max(recent.length * store.setup.interval, 1e-9);
  const list = [tile("Sent by all boards", mean((s) => sum(s.sent)).toFixed(2), "Gb/s")];
  if (jain !== null) list.push(tile("Fairness (Jain, 1 s)", jain.toFixed(4)));
  const port = Number(by("port").value);
  if (recent.at(-1).tx && store.setup.ports[port]) {
    const used = (100 * mean((s) => s.tx[port])) / store.setup.ports[port].gbps;
    list.push(tile(`${store.setup.ports[port].name} used`, used.toFixed(1), "%"),
      tile("Queue, peak in 1 s", bytes(Math.max(...recent.map((s) => s.peak[port])))),
      tile("Switch drops", number.format(total("ports", "dropped_packets_total")), "", total("ports", "dropped_packets_total") > 0));
  }
  const rtt = meanOf(recent, "rtt_us");
  if (rtt !== null) list.push(tile("RTT, mean of all boards", rtt < 100 ? rtt.toFixed(1) : number.format(Math.round(rtt)), "µs"));
  const load = meanOf(recent, "utilization");
  if (load !== null) list.push(tile("Utilization U, mean", load.toFixed(3)));
  list.push(...eventTiles(recent, mean), ...datagramTiles(recent, mean));
  const again = total("boards", "retransmitted_packets_total");
  const wrong = total("receivers", "wrong_bytes_total");
  list.push(tile("CNPs", number.format(Math.round(sum(recent.map((s) => sum(s.cnp))) / seconds)), "/s"),
    tile("Retransmitted", number.format(again), "packets", again > 0),
    tile("Bytes wrong", number.format(wrong), "", wrong > 0));
  by("tiles").replaceChildren(...list);
}

/** Draws the charts of RTT and window, quantities that only some algorithms have. DCQCN has neither. */
function drawStates(samples, from, to) {
  const cards = { rtt: ever("rtt_us"), cwnd: ever("window") };
  for (const [name, has] of Object.entries(cards)) {
    by(`${name}-card`).hidden = !has;
    by(`${name}-card`).classList.toggle("only", !(cards.rtt && cards.cwnd));
    if (has) charts.state(name, samples, from, to, shown, by(name));
  }
  by("rtt-target").hidden = !ever("target_delay_us");
}

function describeStates(last) {
  const list = (member, text) => shown.filter((s) => (last[member]?.[s.board] ?? null) !== null)
    .map((s) => `${s.name} ${text(last[member][s.board])}`).join(", ") || "no board shown";
  by("rtt").setAttribute("aria-label", `Round-trip time: ${list("rtt_us", (v) => `${v.toFixed(1)} microseconds`)}`);
  by("cwnd").setAttribute("aria-label", `Congestion window: ${list("window", bytes)}`);
}

function describe(end) {
  const last = store.samples.at(-1);
  if (!last) return;
  describeStates(last);
  by("rates").setAttribute("aria-label", `Rates at ${end.toFixed(1)} s: ${shown.map((s) =>
    `${s.name} ${last.sent[s.board].toFixed(2)} gigabits per second`).join(", ") || "no board shown"}`);
  const port = store.setup.ports[Number(by("port").value)];
  if (!port || !last.peak) return;
  const peak = last.peak[Number(by("port").value)];
  by("queue").setAttribute("aria-label", `Queue of ${port.name}: ${bytes(peak)} peak in the last sample`);
  by("port-note").textContent = `${port.gbps} Gb/s, buffer ${bytes(port.buffer)}` +
    (port.kmax === undefined ? ", no ECN marking" : "");
}

function drawNow() {
  drawn = false;
  if (!store.setup) return;
  const end = held ?? store.samples.at(-1)?.t ?? 0;
  const seconds = Number(by("window").value);
  const from = Math.max(0, end - seconds);
  const to = from + seconds;
  const samples = store.since(seconds, end);
  charts.rates(samples, from, to, shown, store.setup.boards.length > FEW_BOARDS, by("rates"));
  drawStates(samples, from, to);
  const port = Number(by("port").value);
  if (store.setup.ports[port]) charts.queue(samples, from, to, port, store.setup.ports[port], by("queue"));
  tiles(end);
  showWorkers(store.since(TILE_SECONDS, end).slice(1));
  describe(end);
}

function draw() {
  if (drawn) return;
  drawn = true;
  requestAnimationFrame(drawNow);
}

function state() {
  const t = store.samples.at(-1)?.t;
  const text = { connecting: "connecting", waiting: "waiting for traffic to start", lost: "connection lost, reconnecting",
    ended: "run has ended", running: "running" }[store.state];
  form.setOver(store.state === "ended");
  const pill = by("state");
  pill.dataset.state = store.state;
  // Hide the running seconds from screen readers, so that these announce only changes of state.
  pill.replaceChildren(text);
  if (store.state === "running" && t !== undefined) {
    const clock = element("span", { textContent: ` ${t.toFixed(0)} s` });
    clock.setAttribute("aria-hidden", "true");
    pill.append(clock);
  }
}

function result() {
  by("result-card").hidden = !store.result;
  by("verdict").textContent = store.result?.verdict ?? "";
  by("result").textContent = store.result?.text.trim() ?? "";
}

function setHeld(time) {
  held = time;
  by("pause").setAttribute("aria-pressed", held !== null);
  by("pause").textContent = held === null ? "Hold" : "Follow";
  draw();
}

let second = -1;
store.addEventListener("setup", setup);
store.addEventListener("history", draw);
store.addEventListener("sample", () => {
  if (!document.hidden) draw();
  const now = Math.floor(store.samples.at(-1).t);
  if (now !== second) state();
  second = now;
});
store.addEventListener("counters", () => tables.update(store.counters));
store.addEventListener("links", () => showLinks(store.links));
store.addEventListener("state", state);
store.addEventListener("result", result);
by("boards").addEventListener("change", choose);
by("window").addEventListener("change", draw);
by("port").addEventListener("change", draw);
by("pause").addEventListener("click", () => setHeld(held === null ? store.samples.at(-1)?.t ?? null : null));
by("filter").addEventListener("input", () => {
  const part = by("filter").value.toLowerCase();
  for (const chip of by("boards").children) chip.hidden = !chip.textContent.toLowerCase().includes(part);
});
document.addEventListener("visibilitychange", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { charts.restyle(); if (store.setup) choose(); });
by("no-chart").hidden = charts.available;
store.start();
// For tests and debugging: softfeb.store holds the data shown.
globalThis.softfeb = { store, charts };

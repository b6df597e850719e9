// SPDX-License-Identifier: BSD-3-Clause
// Data from the server: names, the last samples, counters. Follows the event stream and reconnects.

const KEPT = 900;          // maximum number of samples kept
const RETRY_MS = 1500;     // delay before a retry if the server refused the stream; the browser reopens a lost stream
const SILENCE_MS = 15000;  // if no event arrives for this time during a run, the connection is treated as dead

export class Store extends EventTarget {
  setup = null;
  samples = [];
  counters = null;
  links = null;   // slow control connections
  result = null;  // result of the run, once it has ended
  state = "connecting";
  #source = null;
  #heard = 0;

  start() {
    this.#open();
    setInterval(() => {
      if (this.state === "running" && performance.now() - this.#heard > SILENCE_MS) this.#open();
    }, 2000);
  }

  #open() {
    this.#source?.close();
    const source = new EventSource("/events");
    this.#source = source;
    this.#heard = performance.now();
    const on = (name, take) => source.addEventListener(name, (e) => {
      this.#heard = performance.now();
      take(JSON.parse(e.data));
      this.dispatchEvent(new Event(name));
    });
    on("setup", (d) => { this.setup = d; this.samples = []; this.result = null; });
    on("history", (d) => { this.samples = d; });
    on("sample", (d) => this.#add(d));
    on("counters", (d) => { this.counters = d; });
    on("links", (d) => { this.links = d; });
    on("result", (d) => { this.result = d; });
    source.addEventListener("state", (e) => {
      this.#heard = performance.now();
      this.#become(JSON.parse(e.data).state);
    });
    source.addEventListener("error", () => {
      this.#become(this.state === "ended" ? "ended" : this.setup ? "lost" : "connecting");
      if (source.readyState !== EventSource.CLOSED) return;
      setTimeout(() => { if (this.#source === source) this.#open(); }, RETRY_MS);
    });
  }

  #add(sample) {
    const last = this.samples.at(-1);
    if (last && sample.t <= last.t) return;
    this.samples.push(sample);
    if (this.samples.length > KEPT) this.samples.splice(0, this.samples.length - KEPT);
  }

  #become(state) {
    if (state === this.state) return;
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }

  /** Samples of the last `seconds` before `end`, plus one more so that lines reach the left edge. */
  since(seconds, end) {
    const s = this.samples;
    let last = s.length;
    while (last > 0 && s[last - 1].t > end) --last;
    let first = last;
    while (first > 0 && s[first - 1].t >= end - seconds) --first;
    return s.slice(Math.max(0, first - 1), last);
  }
}

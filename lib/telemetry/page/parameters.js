// SPDX-License-Identifier: BSD-3-Clause
// Form for the parameters of congestion control: shows the values in force and sends the edited ones.

import { element } from "/tables.js";

const REFRESH_MS = 3000;

/** Returns the meaning of a field and the notation of its value. `field` is the field's description from GET /api/dcqcn. */
function hint(field) {
  const parts = [field.text];
  if (field.highest !== undefined) parts.push(`${field.lowest ?? 0}–${field.highest}`);
  if (field.unit === "clocks") parts.push("clocks of 6.4 ns, or a time");
  return parts.join("; ");
}

export class ParameterForm {
  #described = null;
  #units = [];
  #notShown = 0;
  #made = "";  // the algorithm and keys for which the fields were made; the fields' hints depend on both
  #over = false;
  #busy = false;

  constructor() {
    this.board = document.getElementById("p-board");
    this.qp = document.getElementById("p-qp");
    this.fields = document.getElementById("p-fields");
    this.form = document.getElementById("p-form");
    this.result = document.getElementById("p-result");
    this.where = document.getElementById("p-where");
    this.all = document.getElementById("p-all");
    this.board.addEventListener("change", () => this.load());
    this.qp.addEventListener("change", () => this.#show());
    this.fields.addEventListener("input", () => this.#mark());
    this.form.addEventListener("reset", () => setTimeout(() => this.#mark()));
    this.form.addEventListener("submit", (e) => { e.preventDefault(); this.#apply(); });
    setInterval(() => { if (!document.hidden && this.#clean()) this.load(true); }, REFRESH_MS);
  }

  setup(setup) {
    this.names = setup.boards.filter((b) => b.dcqcn || b.control).map((b) => b.name);
    this.changeable = setup.changeable;
    this.#described = null;  // a restarted softfeb may have other algorithms
    const card = document.getElementById("parameters-card");
    card.hidden = !setup.changeable || this.names.length === 0;
    document.getElementById("queue-card").classList.toggle("only", card.hidden);
    const before = this.board.value;
    this.board.replaceChildren(...this.names.map((n) => new Option(n)));
    if (this.names.includes(before)) this.board.value = before;
    this.all.parentElement.hidden = this.names.length < 2;
    this.#say("");
    if (!card.hidden) this.load();
  }

  /** After the run, parameters can be neither read nor changed; the last values stay visible. */
  setOver(over) {
    if (over === this.#over) return;  // nothing has changed; #mark() would clear the mark of a refused field
    this.#over = over;
    this.#mark();
    if (!over) this.load();
  }

  async load(quietly = false) {
    const name = this.board.value;
    if (!this.changeable || !name || this.#busy || this.#over) return;
    try {
      this.#described ??= await (await fetch("/api/dcqcn")).json();
      const answer = await fetch(`/api/dcqcn/${encodeURIComponent(name)}`);
      const body = await answer.json();
      if (name !== this.board.value || (quietly && !this.#clean())) return;
      if (!answer.ok) return this.#say(`${body.error}; ${body.fix}`, "bad");
      this.#take(body);
    } catch {
      // The server is unreachable. The event stream reports this, and setup() loads the parameters when the
      // server is back.
    }
  }

  #take(body) {
    this.#units = body.units;
    this.#notShown = body.not_shown;
    const chosen = this.qp.value;
    const texts = ["all", ...body.units.flatMap((u) => (u.count > 16 ? [] : [...Array(u.count).keys()].map((i) => `${u.first + i}`)))];
    // Replacing the options would close the list while the user selects from it.
    if (texts.join() !== [...this.qp.options].map((o) => o.text).join()) this.qp.replaceChildren(...texts.map((t) => new Option(t)));
    this.qp.value = texts.includes(chosen) ? chosen : "all";
    this.#show();
  }

  #unit() {
    if (this.qp.value === "all") return this.#units.find((u) => u.algorithm !== "off");
    const qp = Number(this.qp.value);
    return this.#units.find((u) => qp >= u.first && qp < u.first + u.count);
  }

  #algorithms() { return new Set(this.#units.map((u) => u.algorithm).filter((a) => a !== "off")); }

  /** Keys whose value differs between QPs of the board. */
  #mixed(unit) {
    if (this.qp.value !== "all" || !unit) return new Set();
    const others = this.#units.filter((u) => u.algorithm !== "off");
    return new Set(Object.entries(unit.parameters).filter(([key, value]) =>
      others.some((u) => u.parameters[key] !== undefined && u.parameters[key] !== value)).map(([key]) => key));
  }

  #describe(unit, mixed) {
    const parts = [!unit ? "No congestion control." : unit.register
      ? `Takes effect through the board's registers: ${unit.register}.` : `Algorithm ${unit.algorithm}; changes take effect immediately.`];
    if (unit?.shares_with !== undefined) parts.push(`The rate is shared: change it for QP ${unit.shares_with}, or all.`);
    if (this.qp.value === "all" && this.#algorithms().size > 1) parts.push("The QPs of this board have different algorithms: select a QP to change it.");
    if (mixed.size) parts.push(`The marked values differ between QPs; those of QP ${unit.first} are shown.`);
    if (this.#notShown) parts.push(`Not shown: ${this.#notShown} QPs of the metadata bus, which have no registers and keep their initial parameters.`);
    return parts.join(" ");
  }

  #show() {
    const unit = this.#unit();
    const parameters = unit?.parameters ?? {};
    const mixed = this.#mixed(unit);
    this.where.textContent = this.#describe(unit, mixed);
    const keys = Object.keys(parameters);
    const made = `${unit?.algorithm}:${keys.join()}`;
    if (made !== this.#made) {
      this.#made = made;
      this.fields.replaceChildren(...keys.map((k) => this.#field(unit.algorithm, k, parameters[k])));
    }
    for (const field of this.fields.children) {
      const input = field.querySelector("input");
      const value = parameters[field.dataset.key];
      if (input.type === "checkbox") input.checked = input.defaultChecked = value;
      else input.value = input.defaultValue = `${value}`;
      field.classList.toggle("mixed", mixed.has(field.dataset.key));
    }
    this.#mark();
  }

  #field(algorithm, key, value) {
    const id = `p-${key}`;
    const input = element("input", { id, type: typeof value === "boolean" ? "checkbox" : "text", autocomplete: "off", spellcheck: false });
    const label = element("label", { htmlFor: id, textContent: key });
    const field = element("div", { className: "field" }, label,
      input.type === "checkbox" ? element("div", { className: "switch" }, input) : input);
    field.dataset.key = key;
    const described = this.#described[algorithm]?.[key];
    if (described) {
      if (described.unit === "real") input.inputMode = "decimal";
      field.append(element("div", { className: "hint", id: `${id}-hint`, textContent: hint(described) }));
      input.setAttribute("aria-describedby", `${id}-hint`);
    }
    return field;
  }

  #edits() {
    const set = {};
    for (const field of this.fields.children) {
      const input = field.querySelector("input");
      if (input.type === "checkbox" && input.checked !== input.defaultChecked) set[field.dataset.key] = input.checked;
      if (input.type === "text" && input.value !== input.defaultValue) set[field.dataset.key] = input.value.trim();
    }
    return set;
  }

  #clean() { return Object.keys(this.#edits()).length === 0; }

  #mark() {
    const edits = this.#edits();
    for (const field of this.fields.children) {
      field.classList.toggle("edited", field.dataset.key in edits);
      field.classList.remove("wrong");
    }
    const clean = this.#clean() || this.#over;
    document.getElementById("p-apply").disabled = clean;
    document.getElementById("p-reset").disabled = clean;
  }

  async #apply() {
    const set = this.#edits();
    const boards = this.all.checked ? this.names : [this.board.value];
    const qps = this.qp.value === "all" ? "all" : Number(this.qp.value);
    this.#busy = true;
    try {
      for (const board of boards) {
        const answer = await fetch("/api/dcqcn", {
          method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ board, qps, set }) });
        const body = await answer.json();
        if (!answer.ok) return this.#refused(board, body);
        if (board === this.board.value) this.#take(body);
      }
      const what = Object.entries(set).map(([k, v]) => `${k} = ${v}`).join(", ");
      this.#say(`Applied to ${boards.length === 1 ? boards[0] : `${boards.length} boards`}: ${what}`, "good");
    } catch {
      this.#say("The server did not respond; it is unknown whether anything changed.", "bad");
    } finally {
      this.#busy = false;
    }
  }

  #refused(board, body) {
    this.#say(`${board}: ${body.error}; ${body.fix}`, "bad");
    for (const field of this.fields.children) field.classList.toggle("wrong", field.dataset.key === body.key);
  }

  #say(text, kind = "") {
    this.result.textContent = text;
    this.result.className = `result ${kind}`;
  }
}

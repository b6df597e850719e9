// SPDX-License-Identifier: BSD-3-Clause
// Tables of counters, one per tab.

// For each table: its kind, the text of its tab, and the heading of its column of names.
const KINDS = [["boards", "Boards", "board"], ["receivers", "Receivers", "receiver"], ["traffic_gens", "Traffic generators", "board"],
  ["streams", "Streams", "receiver"], ["ports", "Switch ports", "port"]];
const number = new Intl.NumberFormat("en");
const words = (name) => name.replace(/_total$/, "").replaceAll("_", " ");

function element(tag, properties = {}, ...children) {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children);
  return e;
}

export class Tables {
  #chosen = "boards";
  #cells = new Map();

  constructor(tabs, place) {
    this.tabs = tabs;
    this.place = place;
    tabs.addEventListener("keydown", (e) => this.#onKey(e));
  }

  /** `names` maps each kind of table to the names of its rows. */
  setup(names) {
    this.names = names;
    this.#cells.clear();
    const kinds = KINDS.filter(([kind]) => names[kind]?.length);
    if (!kinds.some(([kind]) => kind === this.#chosen)) this.#chosen = kinds[0]?.[0];
    this.tabs.replaceChildren(...kinds.map(([kind, text]) => {
      const tab = element("button", { type: "button", id: `tab-${kind}`, textContent: text });
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", `panel-${kind}`);
      tab.addEventListener("click", () => this.#choose(kind));
      return tab;
    }));
    this.place.replaceChildren(...kinds.map(([kind, text]) => {
      const panel = element("div", { id: `panel-${kind}`, className: "scroll", tabIndex: 0 });
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-label", `Counters: ${text}`);
      return panel;
    }));
    if (this.#chosen) this.#choose(this.#chosen);
  }

  #choose(kind, focus = false) {
    this.#chosen = kind;
    for (const tab of this.tabs.children) {
      const on = tab.id === `tab-${kind}`;
      tab.setAttribute("aria-selected", on);
      tab.tabIndex = on ? 0 : -1;
      if (on && focus) tab.focus();
    }
    for (const panel of this.place.children) panel.hidden = panel.id !== `panel-${kind}`;
  }

  #onKey(e) {
    const all = [...this.tabs.children];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step || !all.length) return;
    const next = all[(all.findIndex((t) => t.ariaSelected === "true") + step + all.length) % all.length];
    this.#choose(next.id.slice(4), true);
    e.preventDefault();
  }

  /** Adds tabs for tables that name their rows themselves, because they contain only some boards or receivers. */
  #addNamed(counters) {
    const named = KINDS.filter(([kind]) => counters[kind]?.names && this.names[kind]?.join() !== counters[kind].names.join());
    if (named.length) this.setup({ ...this.names, ...Object.fromEntries(named.map(([kind]) => [kind, counters[kind].names])) });
  }

  #make(kind, table) {
    const first = KINDS.find(([k]) => k === kind)[2];
    const head = element("tr", {}, element("th", { scope: "col", textContent: first }),
      ...table.columns.map((c) => element("th", { scope: "col", textContent: words(c) })));
    const cells = [];
    const body = table.rows.map((row, r) => {
      const tds = table.columns.map(() => element("td"));
      cells.push(tds);
      return element("tr", {}, element("th", { scope: "row", textContent: this.names[kind][r] }), ...tds);
    });
    document.getElementById(`panel-${kind}`).replaceChildren(
      element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)));
    this.#cells.set(kind, cells);
  }

  update(counters) {
    this.#addNamed(counters);
    for (const [kind] of KINDS) {
      const table = counters[kind];
      if (!table || !document.getElementById(`panel-${kind}`)) continue;
      if (this.#cells.get(kind)?.length !== table.rows.length) this.#make(kind, table);
      table.rows.forEach((row, r) => row.forEach((value, c) => {
        const cell = this.#cells.get(kind)[r][c];
        const text = number.format(value);
        if (cell.textContent !== text) cell.textContent = text;
        cell.classList.toggle("zero", value === 0);
      }));
    }
  }
}

export { element, number };

// SPDX-License-Identifier: BSD-3-Clause
// Connections to the boards' slow control: shows the open connections, and why the last connections closed.

import { element, number } from "/tables.js";

const MOST_NAMED = 8;  // maximum number of open connections listed by name
const COLUMNS = ["Closed at", "Board", "Link", "Peer", "Reason", "Up", "Last heard"];

const seconds = (s) => `${s.toFixed(3)} s`;
const way = (c) => (c.way === "in_band" ? `${c.peer} (in band)` : c.peer);

function openText(open) {
  if (!open.length) return "No client is connected.";
  const named = open.slice(0, MOST_NAMED).map((c) => `${c.board} ${c.link}: ${way(c)}`);
  const more = open.length - named.length;
  return `Connected: ${named.join("; ")}${more ? `; and ${number.format(more)} more` : ""}`;
}

function row(c) {
  const heard = `${c.last_heard.segment}, ${seconds(c.last_heard.ago_s)} before`;
  const cells = [c.board, c.link, way(c), c.reason, seconds(c.up_s), heard];
  return element("tr", {}, element("th", { scope: "row", textContent: c.at ?? "" }),
    ...cells.map((textContent) => element("td", { textContent })));
}

export function showLinks(links) {
  const by = (id) => document.getElementById(id);
  by("links-card").hidden = !links;
  if (!links) return;
  by("links-open").textContent = openText(links.open);
  const reasons = Object.entries(links.closed_by_reason).map(([code, n]) => `${number.format(n)} ${code.replaceAll("_", " ")}`);
  by("links-reasons").textContent = reasons.length ? `Closed so far: ${reasons.join(", ")}` : "";
  by("links-closed").hidden = !links.closed.length;
  const head = element("tr", {}, ...COLUMNS.map((textContent) => element("th", { scope: "col", textContent })));
  by("links-closed").replaceChildren(
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...links.closed.map(row))));
}

"use strict";
// The page of `fairbrief view`: the command answers its requests.

async function ask(name, given = {}) {
  const response = await fetch(`${name}?${new URLSearchParams(given)}`);
  const found = await response.json();
  if (!response.ok) throw new Error(found.error);
  return found;
}

async function startView() {
  const place = document.getElementById("view");
  const about = await ask("about");
  const state = { ...about.start, search: "", start: 0 };
  const controls = element("div", { class: "controls" });
  const count = element("p", { class: "note", "aria-live": "polite" });
  const listed = element("div", { class: "listed" });
  const viewed = element("div", { class: "viewed" });
  const search = element("input", { type: "search", onchange: () => turn({ search: search.value }) });
  const faults = about.faults.map((text) => element("p", { class: "fault", role: "status" }, element("bdi", { text })));
  document.getElementById("name").textContent = about.audits.join(" and ");
  if (about.audits.length > 1) document.querySelector("h1").textContent = "Records of several audits";
  place.replaceChildren(...faults, controls, count, element("div", { class: "browser" }, listed, viewed));
  let last = 0;
  let opened = 0;

  function turn(change) {
    Object.assign(state, { start: 0 }, change);
    fill();
  }

  async function fill() {
    const turnNumber = ++last;
    count.textContent = state.search ? "Searching…" : "Reading…";
    let found;
    try {
      found = await ask("rows", state);
    } catch (error) {
      if (turnNumber === last) count.textContent = error.message;
      return;
    }
    if (turnNumber !== last) return;
    state.order = found.order;
    const names = about.systems.map((one) => [one.key, one.name]);
    controls.replaceChildren(
      choice("Measure", about.measures.map((one) => [one.spec, one.label]), state.measure, (measure) => turn({ measure, order: "" })),
      choice("System", names, state.system, (system) => turn({ system })),
      choice("Compared with", [["", "none"], ...names.filter(([key]) => key !== state.system)], state.other, (other) => turn({ other })),
      choice("Order", found.orders, found.order, (order) => turn({ order })),
      element("label", {}, element("span", { text: "Search in all texts" }), search));
    const last_one = found.start + found.rows.length;
    count.replaceChildren(
      `${found.rows.length ? found.start + 1 : 0} to ${last_one} of ${found.total} records${found.total < found.of ? ` (of ${found.of})` : ""}${found.robust === null ? "" : `, ${found.robust} with a robust difference`} `,
      step("earlier", found.start - found.size, found.start > 0), " ", step("later", found.start + found.size, last_one < found.total));
    const label = (row) => row.label ? row.label : row.value === null || (found.compared && row.other === null) ? "no value"
      : row.other === null ? signed(row.value) : `${signed(row.value - row.other)} (${signed(row.value)} vs ${signed(row.other)})`;
    const rows = found.rows.map((row) => ({ ...row, label: label(row) }));
    opened++;
    listed.replaceChildren(recordList(rows, show));
    if (!rows.length) viewed.replaceChildren();
  }

  function step(text, start, possible) {
    return element("button", { type: "button", disabled: !possible, onclick: () => turn({ start }) , text });
  }

  async function show(row) {
    const keys = [state.system, state.other].filter(Boolean);
    viewed.replaceChildren(element("p", { class: "note", text: "Reading…" }));
    const asked = state.measure;
    const number = ++opened;
    const views = await Promise.all(keys.map(async (system) => {
      try {
        const found = await ask("record", { measure: asked, system, record: row.record });
        return recordView({ ...found, name: about.systems.find((one) => one.key === system).name });
      } catch (error) {
        return element("p", { class: "fault", text: error.message });
      }
    }));
    if (number === opened) viewed.replaceChildren(...views); // else another record was opened meanwhile
  }

  await fill();
}

startView().catch((error) => { document.getElementById("view").textContent = error.message; });

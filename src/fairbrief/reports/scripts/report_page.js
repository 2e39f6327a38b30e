"use strict";
// The record viewer of the report: all its data is in the page.

function startViewer() {
  const place = document.getElementById("viewer");
  const data = document.getElementById("examples");
  if (!place || !data) return;
  const examples = JSON.parse(data.textContent);
  const texts = new Map(examples.texts.map((one) => [one.id, one]));
  const supports = new Map(examples.supports.map((one) => [`${one.rule}\n${one.system}\n${one.record}`, one]));
  const state = { ...examples.start, search: "" };
  const controls = element("div", { class: "controls" });
  const count = element("p", { class: "note", "aria-live": "polite" });
  const listed = element("div", { class: "listed" });
  const viewed = element("div", { class: "viewed" });
  const search = element("input", { type: "search", oninput: () => { state.search = search.value; fill(); } });
  place.replaceChildren(controls, count, element("div", { class: "browser" }, listed, viewed));

  const measureOf = (spec) => examples.measures.find((one) => one.spec === spec);
  const systemsOf = (spec) => [...new Set(examples.rows.filter((row) => row.measure === spec).map((row) => row.system))];

  function draw() {
    const measure = measureOf(state.measure);
    const systems = systemsOf(state.measure);
    if (!systems.includes(state.system)) state.system = systems[0];
    const known = orders(measure.quantities, measure.main_value);
    if (!known.some(([value]) => value === state.order)) state.order = (known[1] || known[0])[0];
    controls.replaceChildren(
      choice("Measure", examples.measures.map((one) => [one.spec, one.label]), state.measure, (value) => { state.measure = value; draw(); }),
      choice("System", systems.map((name) => [name, name]), state.system, (value) => { state.system = value; draw(); }),
      choice("Order", known, state.order, (value) => { state.order = value; draw(); }),
      element("label", {}, element("span", { text: "Search" }), search));
    fill();
  }

  function fill() {
    const way = state.order.split("|", 1)[0];
    const quantity = state.order.slice(way.length + 1);
    const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = examples.rows
      .filter((row) => row.measure === state.measure && row.system === state.system && quantity in row.values)
      .filter((row) => words.every((word) => haystack(row).includes(word)))
      .sort((a, b) => (way === "up" ? a.values[quantity] - b.values[quantity] : way === "down" ? b.values[quantity] - a.values[quantity]
        : Math.abs(b.values[quantity]) - Math.abs(a.values[quantity])))
      .map((row) => ({ ...row, label: way === "size" ? written(row.values[quantity]) : signed(row.values[quantity]) }));
    count.textContent = `${rows.length} of ${examples.of} ${examples.of === 1 ? "summary" : "summaries"} of this audit, chosen from both ends of each order. Single records vary widely by chance: they show what a gap looks like, not how common it is.`;
    viewed.replaceChildren();
    listed.replaceChildren(recordList(rows, show));
    if (!rows.length) listed.replaceChildren(element("p", { class: "note", text: "No record here contains all these words." }));
  }

  function haystack(row) {
    const of = texts.get(row.record);
    const summary = (of.summaries[row.system] || {}).text || "";
    return [row.record, summary, ...of.documents.map((one) => one.text)].join("\n").toLowerCase();
  }

  function show(row) {
    const measure = measureOf(row.measure);
    const groups = examples.groups[measure.over] || [];
    const support = supports.get(`${measure.rule}\n${row.system}\n${row.record}`);
    viewed.replaceChildren(recordView({ row, texts: texts.get(row.record), support, over: measure.over, groups }));
  }

  draw();
}

startViewer();

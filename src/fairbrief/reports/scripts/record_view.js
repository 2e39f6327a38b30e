"use strict";
// One record: its summary next to its sources, and the source sentences that support each claim.

const COMMON = new Set("the and was were for with that this are not but have has had from they you our very all its his her she him their there been will would which when what who out one".split(" "));

function wordsOf(text) {
  return new Set((text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) || []).filter((word) => !COMMON.has(word)));
}

/** A text with the words of `words` in bold. */
function withShared(text, words) {
  const parts = text.split(/([\p{L}\p{N}]{3,})/u);
  return parts.map((part) => (words.has(part.toLowerCase()) ? element("b", { text: part }) : document.createTextNode(part)));
}

/**
 * `shown`: { row, texts, support, over, groups, doubt, name }. Pointing at a claim of the summary, or focusing it with
 * the keyboard, marks its support; pointing at a document marks the claims that it supports.
 */
function recordView(shown) {
  const { row, texts, support } = shown;
  const summary = texts.summaries[row.system] || { text: "", cut: 0 };
  const view = element("div", { class: "view" },
    element("h3", {}, element("bdi", { text: row.record })),
    element("p", { class: "story" }, element("bdi", { text: row.story })),
    shown.doubt ? element("p", { class: "doubt", text: shown.doubt }) : null,
    badges(texts.attributes));
  const units = element("div", { class: "units" });
  const sources = element("div", { class: "sources" });
  view.append(
    element("div", { class: "pair" },
      element("section", {}, element("h4", {}, "Summary by ", element("bdi", { text: shown.name || row.system })), units),
      element("section", {}, element("h4", { text: `Sources${shown.over ? `, by ${shown.over}` : ""}` }), sources)),
  );
  for (const part of unitsOf(summary, support)) units.append(unitCard(part, shown, view));
  if (!units.children.length) units.append(element("p", { class: "text", text: summary.text || "(no text)" }));
  if (summary.cut) units.append(element("p", { class: "note", text: `… ${summary.cut} more characters.` }));
  texts.documents.forEach((document, i) => sources.append(documentCard(document, i, shown, view)));
  if (texts.more) sources.append(element("p", { class: "note", text: `${texts.more} more documents.` }));
  texts.references.forEach((reference, i) =>
    sources.append(element("details", {}, element("summary", { text: `Reference ${i + 1}` }), element("p", { dir: "auto", text: reference.text }))));
  if (support) view.append(element("p", { class: "note", text: support.rule }));
  return view;
}

function badges(attributes) {
  const found = Object.entries(attributes);
  if (!found.length) return null;
  return element("p", {}, ...found.map(([name, value]) => element("span", { class: "badge" }, element("bdi", { text: `${name}: ${value}` }))));
}

/** The summary's claims, each with its text and its links to the sources. */
function unitsOf(summary, support) {
  if (!support) return [];
  return support.unit_texts.map((text, i) => ({
    number: i, text, links: support.links.filter((link) => link.unit === i),
    inText: support.units[i][0] >= 0,
  }));
}

function groupOf(document, over) {
  return (over && document.attributes[over]) || "";
}

function unitCard(unit, shown, view) {
  const { over, groups, texts, row } = shown;
  const of = {};
  for (const link of unit.links) {
    const group = groupOf(texts.documents[link.document] || { attributes: {} }, over) || "sources";
    (of[group] = of[group] || []).push(link.document + 1);
  }
  const order = Object.keys(of).sort((a, b) => of[b].length - of[a].length);
  const support = order.map((group) => `${group} (${of[group].length > 1 ? "documents" : "document"} ${of[group].join(", ")})`).join("; ");
  const without = (row.without.unit || row.without.sentence || [])[unit.number];
  const card = element("button", {
    type: "button", class: `unit ${order.length ? colourOf(order[0], groups) : "plain"}`, "aria-pressed": "false",
    onclick: () => point(view, unit, shown, card, true), onfocus: () => point(view, unit, shown, card),
    onmouseenter: () => point(view, unit, shown, card),
  }, element("span", { dir: "auto", text: unit.text }),
    support ? element("small", {}, "supported by ", element("bdi", { text: support }))
      : element("small", { class: "doubt", text: `no supporting document${shown.support.scorer ? ` by ${shown.support.scorer}` : ""}: it may be a paraphrase` }),
    contribution(row, without));
  card.dataset.unit = unit.number;
  return card;
}

function documentCard(passage, number, shown, view) {
  const { over, groups, support, row } = shown;
  const group = groupOf(passage, over);
  const without = (row.without.document || [])[number];
  const links = support ? support.links.filter((link) => link.document === number) : [];
  const rest = Object.entries(passage.attributes).filter(([name]) => name !== over).map(([name, value]) => `${name}: ${value}`).join(" · ");
  const card = element("div", { class: `source ${colourOf(group, groups)}`, onmouseenter: () => pointBack(view, number), onmouseleave: () => clear(view) },
    element("small", {}, `${number + 1}`, group ? " · " : "", element("bdi", { text: group }), rest ? " · " : "", element("bdi", { text: rest }), element("span", { class: "score" })),
    element("p", { dir: "auto" }, ...markedText(passage.text, links)),
    passage.cut ? element("small", { text: `… ${passage.cut} more characters.` }) : null,
    contribution(row, without));
  card.dataset.document = number;
  return card;
}

/** What an item adds to the measure's main value of the record. */
function contribution({ measure, values }, without) {
  if (without === undefined || without === null) return null;
  const name = measure.split(/[(@]/, 1)[0];
  const whole = values && name in values ? ` (${written(values[name])})` : "";
  return element("small", { class: "influence", text: `contribution to ${name}${whole}: ${signed(without)}` });
}

/** A document's text with a mark per linked sentence, which lists its claims; positions count code points. */
function markedText(text, links) {
  const letters = Array.from(text);
  const slice = (start, end) => letters.slice(start, end).join("");
  const spans = new Map();
  for (const { start, end, unit } of links) {
    if (end > letters.length) continue;
    const known = spans.get(start);
    if (known && known.end === end) known.units.push(unit);
    else if (!known) spans.set(start, { start, end, units: [unit] });
  }
  const made = [];
  let place = 0;
  for (const span of [...spans.values()].sort((a, b) => a.start - b.start)) {
    if (span.start < place) continue;
    const mark = element("mark", { text: slice(span.start, span.end) });
    mark.dataset.units = span.units.join(" ");
    made.push(document.createTextNode(slice(place, span.start)), mark);
    place = span.end;
  }
  made.push(document.createTextNode(slice(place)));
  return made;
}

/** Marks the support of a claim: sentences, their words in common with it, and their scores. */
function point(view, unit, shown, card, scroll = false) {
  clear(view);
  card.classList.add("on");
  card.setAttribute("aria-pressed", "true");
  const words = wordsOf(unit.text);
  for (const mark of view.querySelectorAll("mark")) {
    if (!mark.dataset.units.split(" ").includes(String(unit.number))) continue;
    mark.classList.add("on");
    mark.replaceChildren(...withShared(mark.textContent, words));
  }
  let first = null;
  for (const link of unit.links) {
    const source = view.querySelector(`[data-document="${link.document}"]`);
    if (!source) continue;
    first = first || source;
    source.classList.add("on");
    source.querySelector(".score").textContent = ` · ${Math.round(100 * link.score)}% support`;
  }
  if (scroll && first) first.scrollIntoView({ block: "nearest" });
}

/** Marks the claims that a document supports. */
function pointBack(view, number) {
  clear(view);
  const units = new Set();
  for (const mark of view.querySelectorAll(`[data-document="${number}"] mark`)) {
    mark.classList.add("on");
    mark.dataset.units.split(" ").forEach((unit) => units.add(unit));
  }
  for (const card of view.querySelectorAll(".unit")) card.classList.toggle("on", units.has(card.dataset.unit));
}

function clear(view) {
  for (const card of view.querySelectorAll(".unit")) card.setAttribute("aria-pressed", "false");
  for (const on of view.querySelectorAll(".on")) on.classList.remove("on");
  for (const score of view.querySelectorAll(".score")) score.textContent = "";
  for (const mark of view.querySelectorAll("mark")) if (mark.firstElementChild) mark.textContent = mark.textContent;
}

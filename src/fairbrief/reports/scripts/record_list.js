"use strict";
// The list of records next to the view: a button per record, with the value that the list is sorted by.

/** `rows`: [{ record, system, shown, label }]; `open` is called with a row. Arrow keys move through the list. */
function recordList(rows, open) {
  const list = element("ol", { class: "records", "aria-label": "Records" });
  for (const row of rows) {
    const button = element("button", { type: "button", onclick: () => choose(button) },
      element("bdi", { text: row.record }), element("span", { text: row.label }));
    button.row = row;
    list.append(element("li", {}, button));
  }
  function choose(button) {
    for (const other of list.querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
    button.setAttribute("aria-current", "true");
    open(button.row);
  }
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const item = event.target.closest("li");
    const next = step && item && (step > 0 ? item.nextElementSibling : item.previousElementSibling);
    if (!next) return;
    event.preventDefault();
    next.firstElementChild.focus();
    choose(next.firstElementChild);
  });
  if (list.firstElementChild) choose(list.firstElementChild.firstElementChild);
  return list;
}

/** The orders of a measure's records: by its main value, and by each group difference in both directions. */
function orders(quantities, main_value) {
  const found = [[`size|${main_value}`, "largest value first"]];
  for (const name of quantities) {
    if (name === main_value) continue;
    const group = name.replace(/^[^[]*\[/, "").replace(/\]$/, "");
    const kind = name.startsWith("relative") ? ", relative" : "";
    found.push([`up|${name}`, `${group}${kind}: lowest first`], [`down|${name}`, `${group}${kind}: highest first`]);
  }
  return found;
}

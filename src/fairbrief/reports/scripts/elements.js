"use strict";
// Texts of the input reach the page only as text nodes: nothing here parses HTML.

/** An element with properties, data and children; texts become text nodes. */
function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "text") made.append(value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A number as in the tables: with a true minus sign, or a dash if there is none. */
function written(value, places = 3) {
  if (value === null || value === undefined) return "–";
  const text = value.toFixed(places);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** The same with its sign. */
function signed(value, places = 3) {
  const text = written(value, places);
  return value > 0 && Number(text) > 0 ? `+${text}` : text;
}

/** One of eight colours, by the position of a group among the groups of its attribute. */
function colourOf(group, groups) {
  const place = groups.indexOf(group);
  return place < 0 ? "plain" : `c${(place % 8) + 1}`;
}

/** A select with a label; `options` are [value, text]. */
function choice(label, options, chosen, onchange) {
  const select = element("select", { onchange: () => onchange(select.value) });
  for (const [value, text] of options) {
    select.append(element("option", { value, selected: value === chosen, text }));
  }
  return element("label", {}, element("span", { text: label }), select);
}

// Elements of the page. Text is always set as text, so that no name in a database is markup.

/** Nodes that are appended together. */
const MOST_AT_ONCE = 1000;

/** Makes an element. Attributes that are functions are listeners; those that are null are left out. */
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Makes an element of a drawing. */
export function drawn(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  return append(node, children);
}

/** Appends nodes and lists of them. */
function append(node, children) {
  const given = children.flat(Infinity).filter((child) => child !== null && child !== undefined);
  // A call has at most some ten thousand arguments, and a game may have more moves or comments.
  for (let n = 0; n < given.length; n += MOST_AT_ONCE) node.append(...given.slice(n, n + MOST_AT_ONCE));
  return node;
}

/** Puts nodes and lists of them into the place of what an element has. */
export function replace(node, ...children) {
  node.replaceChildren();
  return append(node, children);
}

/** Copies a text, and says so on the button for a moment. */
export async function copy(button, text) {
  // Browsers have a clipboard only on pages that nobody can change on the way.
  if (navigator.clipboard) await navigator.clipboard.writeText(text);
  else {
    const field = element("textarea", { class: "offscreen", readonly: true }, text);
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  const label = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = label; }, 1500);
}

/** A number with separators of thousands. */
export const count = (number) => number.toLocaleString("en");

/** A bar of results, with White's share first, or a player's with other names. */
export function results(white, draws, black, names = ["White", "drawn", "Black"]) {
  const all = white + draws + black;
  if (!all) return element("span", { class: "dim" }, "no results");
  const percent = (part) => Math.round((100 * part) / all);
  const label = [white, draws, black].map((part, n) => `${percent(part)} % ${names[n]}`).join(", ");
  const parts = [[white, "#fdfcf9"], [draws, "#9a9da3"], [black, "#3a3d42"]];
  let at = 0;
  const rects = parts.map(([part, colour]) => {
    const width = (100 * part) / all;
    at += width;
    return drawn("rect", { x: at - width, y: 0, width, height: 10, fill: colour });
  });
  const bar = drawn("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": label }, rects);
  return element("span", { class: "bar", title: label }, bar);
}

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

/** What the colours of bars mean, in games and in the games of a player. No colour means two things. */
const MEANINGS = {
  games: [["white", "White won"], ["drawn", "drawn"], ["black", "Black won"]],
  player: [["won", "won"], ["drawn", "drawn"], ["lost", "lost"]],
};

/** A bar of results in their order in `MEANINGS`. */
export function results(parts, kind = "games") {
  const all = parts.reduce((sum, part) => sum + part);
  if (!all) return element("span", { class: "dim" }, "no results");
  const label = parts.map((part, n) => `${Math.round((100 * part) / all)} % ${MEANINGS[kind][n][1]}`).join(", ");
  let at = 0;
  const rects = parts.map((part, n) => {
    const width = (100 * part) / all;
    at += width;
    return drawn("rect", { class: MEANINGS[kind][n][0], x: at - width, y: 0, width, height: 10 });
  });
  const bar = drawn("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": label }, rects);
  return element("span", { class: "bar", title: label }, bar);
}

/** Says what the colours of the bars above or below mean. */
export function legend(kind = "games") {
  return element("p", { class: "legend" }, MEANINGS[kind].map(([name, meaning]) =>
    element("span", {}, drawn("svg", { class: "key", viewBox: "0 0 10 10", "aria-hidden": "true" }, drawn("rect", { class: name, width: 10, height: 10 })), meaning)));
}

// The tab Search: a field for each usual question, which writes the search in the line above.

import { go, here } from "./api.js";
import { element } from "./dom.js";
import { kept } from "./views.js";

/** The fields: label, name in a search, and an example; two examples for a range of numbers. */
const FIELDS = [
  ["Player", "player", "Carlsen"],
  ["White", "white", ""],
  ["Black", "black", ""],
  ["Opponent of the player", "opponent", ""],
  ["Event", "event", "Candidates"],
  ["Site", "site", ""],
  ["Years", "year", ["1985", "1990"]],
  ["Both ratings", "elo", ["2600", ""]],
  ["Number of moves", "moves", ["", "25"]],
  ["Opening code", "eco", "B90..B99"],
  ["Opening name", "opening", "Najdorf"],
  ["Moves from the start", "line", "e4 c5 Nf3"],
  ["Move played", "played", "Bxh7+"],
  ["Material", "material", "KRPkr"],
  ["Words of a comment", "comment", ""],
];

const RESULTS = [["", "any"], ["1-0", "White won"], ["draw", "drawn"], ["0-1", "Black won"], ["win", "the player won"], ["loss", "the player lost"]];

const NAMES = new Set([...FIELDS.map(([, name]) => name), "result", "fen"]);

/** A value as a search writes it. */
function quoted(value) {
  const [, exactly, text] = /^(=?)(.*)$/s.exec(value.trim());
  const isPlain = /^[^\s":|()-][^\s":|()]*$/.test(text) && !/\.\.|^(and|or|not|then|next)$/i.test(text);
  return exactly + (isPlain ? text : `"${text.replace(/["\\]/g, "\\$&")}"`);
}

const unquoted = (value) => value.replace(/^(=?)"(.*)"$/s, (_, exactly, text) => exactly + text.replace(/\\(["\\])/g, "$1"));

/** The terms of a search that have a field here, once each, and the others as they are. */
export function read(search) {
  // A FEN may have its fields without quotes.
  const fen = /fen:[^\s"]+ [wb](?: (?:-|[A-HKQa-hkq]+)(?: (?:-|[a-h][36])(?: \d+(?: \d+)?)?)?)?(?=\s|$)/;
  const terms = search.match(new RegExp(`${fen.source}|(?:[^\\s"]|"(?:[^"\\\\]|\\\\.)*"?)+`, "g")) ?? [];
  const values = new Map();
  // Which terms belong together, only the search itself says.
  if (terms.some((term) => /^-?\(|^(\||\)|then|next)$/.test(term))) return { values, rest: search.trim() };
  const rest = terms.filter((term) => {
    const [, name, value] = /^([a-z_]+):(.+)$/s.exec(term) ?? [];
    const isOne = name === "result" ? RESULTS.some(([known]) => known === value) : /^=?"(?:[^"\\]|\\.)*"$/.test(value) || !/["|]/.test(value ?? "");
    const isOwn = NAMES.has(name) && !values.has(name) && isOne;
    if (isOwn) values.set(name, unquoted(value));
    return !isOwn;
  });
  return { values, rest: rest.join(" ") };
}

/** The search that fields write. */
export function written(form, rest) {
  const terms = [];
  for (const [, name, example] of FIELDS) {
    const [from, to] = Array.isArray(example) ? [form[`${name}-from`].value.trim(), form[`${name}-to`].value.trim()] : [];
    const range = from === to ? from : `${from}..${to}`;
    if (Array.isArray(example)) terms.push(range && `${name}:${range}`);
    else if (form[name].value.trim()) terms.push(`${name}:${name === "eco" ? form.eco.value.trim() : quoted(form[name].value)}`);
  }
  if (form.result.value) terms.push(`result:${form.result.value}`);
  if (form.fen.checked) terms.push(`fen:${quoted(form.fen.value)}`);
  return [...terms, rest].filter(Boolean).join(" ");
}

/** The page. */
export function search(place) {
  const { values, rest } = read(place.q ?? "");
  // Without the counters of moves.
  const fen = document.querySelector("#fen code").textContent.split(" ").slice(0, 4).join(" ");
  const value = (name) => values.get(name) ?? "";
  const fields = FIELDS.map(([label, name, example]) => {
    if (!Array.isArray(example)) return element("label", {}, label, element("input", { name, value: value(name), placeholder: example, spellcheck: "false" }));
    const [from, to = from] = value(name).split("..");
    const end = (kind, value, example) => element("input", { name: `${name}-${kind}`, value, placeholder: example, inputmode: "numeric", size: 5, "aria-label": `${label} ${kind}` });
    return element("div", { class: "label" }, label, element("span", {}, end("from", from, example[0]), " to ", end("to", to, example[1])));
  });
  const results = RESULTS.map(([value, text]) => element("option", { value, selected: value === (values.get("result") ?? "") }, text));
  const line = document.querySelector("#filter").q;
  const form = element("form", {
    id: "fields",
    input: () => { line.value = written(form, rest); },
    submit: (event) => {
      event.preventDefault();
      go({ q: written(form, rest), db: here().db, ...kept(here()), tab: "games" });
    },
  },
    fields,
    element("label", {}, "Result", element("select", { name: "result" }, results)),
    element("label", { class: "check" }, element("input", { type: "checkbox", name: "fen", value: value("fen") || fen, checked: values.has("fen") }),
      values.has("fen") ? "The position of this search" : "The position on the board"),
    element("p", {}, element("button", {}, "Search"), " ", element("span", { class: "dim" }, rest ? `and ${rest}` : "")));
  return [element("p", { class: "dim" }, "What you fill in is written in the line above, where everything else can be asked, too."), form];
}

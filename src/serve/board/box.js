// The box above the board: takes a search, a position or a game, and suggests names while somebody types.

import { ask, go, here } from "./api.js";
import { count, element, replace } from "./dom.js";

const box = document.querySelector("#filter").q;
const list = document.querySelector("#suggestions");

/** The kinds of names that a field takes. */
const KINDS = { player: "player", white: "player", black: "player", opponent: "player", event: "event", opening: "opening" };

/** Milliseconds without a key after which names are asked for. */
const PAUSE = 80;

/** The position and the moves of what is no search: a FEN, or a game in PGN; `null` for a search. */
export function pasted(text) {
  const plain = text.trim();
  if (/^([pnbrqk1-8]{1,8}\/){7}[pnbrqk1-8]{1,8}([\s_]|$)/i.test(plain)) return { fen: plain.replaceAll("_", " "), moves: "" };
  // Comments, and lines that a percent sign takes out, may stand before and between the tags.
  const aside = /(?:\s+|[;%][^\n]*|\{[^}]*\})*/y;
  const tag = /\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]/y;
  let fen = null;
  let hasTags = false;
  for (;;) {
    aside.exec(plain);
    tag.lastIndex = aside.lastIndex;
    const found = tag.exec(plain);
    if (!found) break;
    if (found[1].toUpperCase() === "FEN") fen = found[2];
    hasTags = true;
    aside.lastIndex = tag.lastIndex;
  }
  const moves = plain.slice(aside.lastIndex);
  if (!hasTags && !/^1\s*\.\s*[a-hKQRBNO0]/.test(moves)) return null;
  return { fen, moves: mainLine(moves) };
}

const endOf = (text, sign, from) => text.includes(sign, from) ? text.indexOf(sign, from) : text.length;

/** The moves of a game without comments, variations and what follows its result. */
function mainLine(text) {
  const kept = [];
  let depth = 0;
  for (let n = 0; n < text.length; n++) {
    const sign = text[n];
    const closed = { "{": "}", ";": "\n" }[sign];
    if (closed) n = endOf(text, closed, n);
    else if (sign === "(") depth++;
    else if (sign === ")") depth--;
    else if (depth === 0 && sign === "[") break;
    else if (depth === 0) kept.push(sign);
    // What is left out also ends a move that it touches.
    if (closed || sign === "(" || sign === ")") kept.push(" ");
  }
  // Signs of evaluation, "e.p." and the mark of a novelty are no moves; two hyphens are a null move.
  const isMove = (word) => word === "--" || (/[a-z0-9*½]/i.test(word) && !/^(e\.p\.|N|D)$/.test(word));
  const words = kept.join("").replace(/\$\d+/g, " ").split(/\s+/).filter(isMove);
  const result = words.findIndex((word) => /^(1[-:]0|0[-:]1|(1\/2|½|0\.5)[-:](1\/2|½|0\.5)|\*)$/.test(word));
  return (result < 0 ? words : words.slice(0, result)).join(" ");
}

/** Goes to what was pasted or typed, if it is a position or a game; says what is wrong with it. False for a search. */
export function show(text, say) {
  const found = pasted(text);
  if (!found) return false;
  close();
  const { db } = here();
  ask("position", found).then(({ play }) => go({ db, fen: found.fen, play: play.join(","), tab: "tree" })).catch((error) => say(error.message));
  return true;
}

/** Lets the server list the names, which takes longer the first time, so that it has them when somebody types. */
export const askAhead = () => ask("names", { db: here().db, count: 1 }).catch(() => {});

/** The name that is being typed: where it begins in the box, its field, its text. */
function typed() {
  const text = box.value.slice(0, box.selectionStart);
  const isQuoted = (text.match(/"/g)?.length ?? 0) % 2 === 1;
  const [whole, field, , name] = (isQuoted ? /(?:([a-z_]+):)?(=?)"([^"]*)$/ : /(?:([a-z_]+):)?(=?)([^\s":()|]*)$/).exec(text);
  return { begin: text.length - whole.length, field: field ?? null, name };
}

let waits;
let present = new AbortController();

/** The names that are suggested, and which of them the keys have chosen; -1 for none. */
let suggested = [];
let chosen = -1;

function close() {
  clearTimeout(waits);
  present.abort();
  list.hidden = true;
  chosen = -1;
  box.setAttribute("aria-expanded", "false");
  box.removeAttribute("aria-activedescendant");
}

async function suggest() {
  const { field, name } = typed();
  const kind = field === null ? "" : KINDS[field];
  present.abort();
  present = new AbortController();
  if (name.length < 2 || kind === undefined) return close();
  try {
    const { names } = await ask("names", { text: name, kind, db: here().db, count: kind ? 8 : 4 }, present.signal);
    if (!names.length) return close();
    const about = (one) => one.games ? `${one.kind} · ${count(one.games)}` : one.about ?? one.kind;
    const options = names.map((one, n) => element("li", { role: "option", id: `suggestion-${n}`, "aria-selected": "false", pointerdown: (event) => event.preventDefault(), click: () => take(one) },
      element("span", {}, one.kind === "field" ? `${one.name}:` : one.name), " ", element("span", { class: "dim" }, about(one))));
    replace(list, options);
    suggested = names;
    chosen = -1;
    list.hidden = false;
    box.setAttribute("aria-expanded", "true");
    box.removeAttribute("aria-activedescendant");
  } catch (error) {
    if (error.name !== "AbortError") close();
  }
}

/** Writes a suggestion in the place of what was typed of it. */
function take(one) {
  const { begin, field } = typed();
  const own = field && one.kind !== "field" ? one.q.replace(/^[a-z_]+/, field) : one.q;
  const rest = box.value.slice(box.selectionStart).replace(/^"/, "").trimStart();
  const before = box.value.slice(0, begin) + own + (one.kind === "field" ? "" : " ");
  box.value = before + rest;
  box.setSelectionRange(before.length, before.length);
  close();
  box.focus();
}

function choose(n) {
  const options = [...list.children];
  chosen = (n + options.length + 1) % (options.length + 1);
  if (chosen === options.length) chosen = -1;
  options.forEach((option, n) => option.setAttribute("aria-selected", String(n === chosen)));
  if (chosen < 0) return box.removeAttribute("aria-activedescendant");
  box.setAttribute("aria-activedescendant", options[chosen].id);
  return options[chosen].scrollIntoView({ block: "nearest" });
}

const KEYS = {
  ArrowDown: () => choose(chosen + 1),
  ArrowUp: () => choose(chosen < 0 ? list.children.length - 1 : chosen - 1),
  Escape: close,
  Enter: () => take(suggested[chosen]),
};

/** Begins to suggest. What is pasted and is no search is shown at once. */
export function start(say) {
  box.addEventListener("input", () => {
    clearTimeout(waits);
    waits = setTimeout(suggest, PAUSE);
  });
  box.addEventListener("keydown", (event) => {
    if (list.hidden || !(event.key in KEYS) || (event.key === "Enter" && chosen < 0)) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  box.addEventListener("blur", close);
  box.addEventListener("focus", askAhead);
  box.addEventListener("paste", (event) => {
    if (show(event.clipboardData.getData("text"), say)) event.preventDefault();
  });
  for (const example of document.querySelectorAll("#help button[data-term]")) {
    example.addEventListener("click", () => {
      box.value = [box.value.trim(), example.dataset.term].filter(Boolean).join(" ");
      document.querySelector("#help").hidePopover();
      box.focus();
    });
  }
  return close;
}

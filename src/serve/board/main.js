// The page: shows the place that its address names.

import { ask, followed, go, here } from "./api.js";
import { Board, comment, spoken } from "./board.js";
import { element } from "./dom.js";
import { prepare } from "./prepare.js";
import * as views from "./views.js";

const TABS = [["tree", "Tree"], ["games", "Games"], ["game", "Game"], ["prepare", "Prepare"], ["databases", "Databases"]];

const SHOWN = { tree: views.tree, games: views.games, prepare, databases: views.databases };

const at = (selector) => document.querySelector(selector);
const board = new Board(at("#board"), play);
let shown = { game: null, path: null };
let present = new AbortController();

/** The tab of a place. */
const tabOf = (place) => place.tab ?? (place.game ? "game" : place.q || place.db ? "games" : "tree");

/** Plays a move on the board: in a game if it has it, else in the tree. */
function play(uci) {
  const place = here();
  if (!place.game) return go({ ...place, play: [place.play, uci].filter(Boolean).join(","), tab: "tree" });
  const { game, current } = shown;
  const next = game.moves.findIndex((move) => (move.parent ?? -1) === current && move.uci === uci);
  if (next >= 0) return showMove(next);
  const { q, db } = place;
  return go({ q, db, fen: current < 0 ? game.fen : game.moves[current].fen, play: uci, tab: "tree" });
}

/** Shows a move of the game. */
function showMove(number) {
  go({ ...here(), move: number < 0 ? null : number, ply: null }, true);
}

async function show(place) {
  present.abort();
  present = new AbortController();
  const { signal } = present;
  const tab = tabOf(place);
  at("#filter").q.value = place.q ?? "";
  at("#filter").db.value = place.db ?? "";
  at("[role=tablist]").replaceChildren(...TABS.map(([name, text]) => element("button", {
    role: "tab", "aria-selected": name === tab ? "true" : "false", "aria-controls": "panel", disabled: name === "game" && !place.game,
    click: () => go({ ...here(), tab: name, from: null, at: null }),
  }, text)));
  try {
    await showBoard(place, signal);
    const nodes = tab === "game" && place.game ? views.game(shown.game, place, shown.current, showMove) : await (SHOWN[tab] ?? views.tree)(place, signal);
    if (signal.aborted) return;
    at("#panel").replaceChildren(...nodes.flat().filter(Boolean));
    at("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
    say("");
  } catch (error) {
    if (error.name !== "AbortError") say(error.message);
  }
}

async function showBoard(place, signal) {
  if (place.game) {
    if (shown.path !== place.game) shown = { game: await ask("game", { path: place.game }, signal), path: place.game };
    shown.current = currentMove(shown.game, place);
    const move = shown.game.moves[shown.current];
    const fen = move?.fen ?? shown.game.fen;
    const { moves } = await ask("position", { fen }, signal);
    const marks = (move?.comments ?? shown.game.comments).flatMap((text) => comment(text).marks);
    return draw({ fen, legal: moves, last: move?.uci ?? null, marks });
  }
  shown = { game: null, path: null };
  const { fen, moves } = await ask("position", { fen: place.fen, play: place.play }, signal);
  return draw({ fen, legal: moves, last: place.play?.split(",").at(-1) ?? null });
}

/** The move of a game that a place names: by its number, or by the ply of its main line. */
function currentMove(game, place) {
  if (place.move) return Math.min(Number(place.move), game.moves.length - 1);
  let current = -1;
  for (let ply = Number(place.ply ?? 0); ply > 0; ply--) {
    const next = game.moves.findIndex((move) => (move.parent ?? -1) === current);
    if (next < 0) break;
    current = next;
  }
  return current;
}

function draw(position) {
  board.show(position);
  at("#board").setAttribute("aria-label", spoken(position.fen));
  at("#fen code").textContent = position.fen;
  const san = position.last && shown.game?.moves[shown.current];
  at("#spoken").textContent = san ? `${san.san}${views.signs(san.nags)}` : "";
}

function say(text) {
  at("#message").textContent = text;
  at("#message").hidden = !text;
}

/** What the buttons and keys do. */
const STEPS = {
  first: () => shown.game ? showMove(-1) : go({ ...here(), play: null }),
  back: () => {
    if (shown.game) return shown.current >= 0 && showMove(shown.game.moves[shown.current].parent ?? -1);
    const played = (here().play ?? "").split(",").filter(Boolean);
    return played.length && go({ ...here(), play: played.slice(0, -1).join(",") });
  },
  forward: () => {
    if (!shown.game) return history.forward();
    const next = shown.game.moves.findIndex((move) => (move.parent ?? -1) === shown.current);
    return next >= 0 && showMove(next);
  },
  last: () => {
    let last = shown.current;
    for (let next = last; next !== -1;) {
      next = shown.game?.moves.findIndex((move) => (move.parent ?? -1) === last) ?? -1;
      if (next !== -1) last = next;
    }
    if (shown.game) showMove(last);
  },
  flip: () => board.flip(),
  fen: () => navigator.clipboard.writeText(at("#fen code").textContent),
};

const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last", f: "flip" };

for (const button of document.querySelectorAll("[data-step]")) {
  button.addEventListener("click", STEPS[button.dataset.step]);
}
addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
  event.preventDefault();
  STEPS[KEYS[event.key]]();
});
at("#filter").addEventListener("submit", (event) => {
  event.preventDefault();
  const { q, db } = event.target;
  const { fen, play, tab } = here();
  go({ q: q.value, db: db.value, fen, play, tab: tab === "tree" ? tab : "games" });
});
at("#filter").db.addEventListener("change", () => at("#filter").requestSubmit());

ask("databases", {}).then(({ databases }) => {
  const options = databases.map(({ path, name }) => element("option", { value: path }, name));
  if (databases.length > 1) at("#filter").db.append(...options);
  at("#filter").db.value = here().db ?? "";
  at("#filter").db.hidden = databases.length < 2;
}).catch((error) => say(error.message));
followed(show);
show(here());

// The page: shows the place that its address names.

import { ask, followed, go, here, scrolled } from "./api.js";
import { Board, marks, spoken } from "./board.js";
import * as box from "./box.js";
import { copy, element, replace } from "./dom.js";
import { form, prepare } from "./prepare.js";
import { search } from "./search.js";
import * as views from "./views.js";

const TABS = [["tree", "Tree"], ["games", "Games"], ["game", "Game"], ["search", "Search"], ["prepare", "Prepare"], ["databases", "Databases"]];

const SHOWN = { tree: views.tree, games: views.games, search, prepare, databases: views.databases };

const at = (selector) => document.querySelector(selector);
const board = new Board(at("#board"), play);
/** What the board shows: a place, and its game. A game that is missing leaves it as it was. */
let shown = { place: {}, game: null, path: null, near: {} };
let present = new AbortController();
/** The moves of the tree that were last shown, in UCI and in SAN. The present ones may be the first of them. */
let ahead = { fen: null, play: [], sans: [] };

const tabs = TABS.map(([name, text]) => element("button", { role: "tab", "aria-controls": "panel", click: () => open(name) }, text));
at("[role=tablist]").append(...tabs);

/** Opens a tab. */
function open(name) {
  go(name === "tree" && shown.game ? views.inTree(here(), shown) : { ...here(), fen: null, play: null, ...views.kept(here()), tab: name, from: null, at: null });
}

const playedIn = (place) => (place.play ?? "").split(",").filter(Boolean);

/** The tab of a place. */
const tabOf = (place) => place.tab ?? (place.game ? "game" : place.q || place.db ? "games" : "tree");

/** Plays a move on the board: in a game if it has it, else in the tree. */
function play(uci) {
  const { place } = shown;
  if (!shown.game) return go({ ...place, play: [place.play, uci].filter(Boolean).join(","), tab: "tree" });
  const next = shown.game.moves.findIndex((move) => (move.parent ?? -1) === shown.current && move.uci === uci);
  return next >= 0 ? showMove(next) : go({ ...views.inTree(place, shown), play: uci });
}

/** Shows a move of the game. */
function showMove(number) {
  go({ ...shown.place, move: number < 0 ? null : number, ply: null }, true);
}

/** The parts of a place that say which page of which list it is. A place that differs in them begins at the top. */
const pageOf = (place) => JSON.stringify([tabOf(place), ...["q", "db", "from", "game", "player", "at", "copies"].map((name) => place[name])]);

/** The parts of a place that say in which list its game is, and where. */
const listOf = (place) => JSON.stringify(["q", "db", "fen", "play", "sort", "n", "copies"].map((name) => place[name]));

let pageShown = null;

/** Shows a place, scrolled to `top` if that is a number. */
async function show(place, top) {
  present.abort();
  present = new AbortController();
  const { signal } = present;
  at("#panel").ariaBusy = "true";
  const tab = tabOf(place);
  at("#filter").q.value = place.q ?? "";
  at("#filter").db.value = place.db ?? "";
  at("#filter").once.checked = place.copies !== "all";
  at("main").dataset.tab = tab;
  tabs.forEach((button, n) => {
    const isShown = TABS[n][0] === tab;
    button.setAttribute("aria-selected", String(isShown));
    button.tabIndex = isShown ? 0 : -1;
    button.disabled = TABS[n][0] === "game" && !place.game;
  });
  try {
    await showBoard(place, signal);
    const nodes = tab === "game" && place.game ? views.game(shown, place, showMove) : await (SHOWN[tab] ?? views.tree)(place, signal);
    if (signal.aborted) return;
    const hadFocus = at("#panel").contains(document.activeElement);
    const moves = at(".movetext") ? scroller(at(".movetext")).scrollTop : 0;
    replace(at("#panel"), nodes);
    const isSame = pageShown === pageOf(place);
    if (top !== null) scrollTo(0, top);
    else if (pageShown !== null && !isSame) scrollTo(0, 0);
    pageShown = pageOf(place);
    const current = at("#panel [aria-current=true]");
    if (at(".movetext")) scrollMoves(isSame ? moves : 0, current);
    if (hadFocus) (current ?? at("#panel")).focus({ preventScroll: true });
    document.title = `${at("#panel h2")?.dataset.title ?? at("#panel h2")?.firstChild.textContent.trim() ?? (place.q || TABS.find(([name]) => name === tab)[1])} · pgnfs`;
    say("");
  } catch (error) {
    if (error.name === "AbortError") return;
    pageShown = null;
    const again = tab === "game" ? views.link(shown.place, "Back to the board") : views.link({ tab }, "Start again");
    replace(at("#panel"), tab === "prepare" ? form(place) : element("p", {}, again));
    if (!at("#fen code").textContent) await showBoard({}, signal).catch(() => {});
    say(error.message);
  }
  at("#panel").ariaBusy = null;
}

/** What scrolls the moves of a game: on a phone all that is below the board. */
const scroller = (text) => getComputedStyle(text).overflowY === "visible" ? at("#panel") : text;

/** Scrolls the moves of a game, and nothing else, so that the board stays in sight. */
function scrollMoves(top, current) {
  const box = scroller(at(".movetext"));
  box.scrollTop = top;
  if (!current) return;
  const [frame, own] = [box.getBoundingClientRect(), current.getBoundingClientRect()];
  const above = top + own.top - frame.top;
  box.scrollTop = Math.max(Math.min(top, above - own.height), above + 2 * own.height - box.clientHeight);
}

async function showBoard(place, signal) {
  if (place.game) {
    const list = listOf(place);
    if (shown.path !== place.game || shown.list !== list) {
      const known = shown.path === place.game ? shown.game : null;
      const [game, near] = await Promise.all([known ?? ask("game", { path: place.game }, signal), views.near(place, signal)]);
      shown = { game, path: place.game, list, near, next: nextMoves(game) };
    }
    at("#line").hidden = true;
    shown.place = place;
    shown.current = currentMove(shown, place);
    const move = shown.game.moves[shown.current];
    const fen = move?.fen ?? shown.game.fen;
    const { moves } = await ask("position", { fen }, signal);
    const drawn = marks((move ?? shown.game).comments ?? []);
    return draw({ fen, legal: moves, last: move?.uci ?? null, san: move && `${move.san}${views.signs(move.nags)}`, marks: drawn });
  }
  shown = { place, game: null, path: null, near: {} };
  const { fen, moves, san, line } = await ask("position", { fen: place.fen, play: place.play }, signal);
  const played = playedIn(place);
  const start = place.fen ?? null;
  if (ahead.fen !== start || played.some((uci, n) => uci !== ahead.play[n])) ahead = { fen: start, play: played, sans: line };
  showLine(fen, played.length);
  return draw({ fen, legal: moves, last: played.at(-1) ?? null, san });
}

/** Shows the moves that were played, and those from which the player has gone back, with their numbers. */
function showLine(fen, played) {
  const [, turn, , , , full] = fen.split(" ");
  const first = 2 * (Number(full) - 1) + (turn === "b" ? 1 : 0) - played;
  const moves = ahead.sans.map((san, n) => {
    const number = Math.floor((first + n) / 2) + 1;
    const label = (first + n) % 2 === 0 ? `${number}. ` : n === 0 ? `${number}… ` : "";
    const click = () => go({ ...shown.place, play: ahead.play.slice(0, n + 1).join(",") });
    return element("li", {}, label, element("button", { class: n < played ? null : "dim", "aria-current": n === played - 1 ? "true" : null, click }, san));
  });
  replace(at("#line"), moves);
  at("#line").hidden = !moves.length;
  const current = at("#line [aria-current=true]");
  if (current) at("#line").scrollTop = current.offsetTop - at("#line").clientHeight / 2;
}

/** The moves of a game by which each line goes on, by the numbers of those before them; -1 is the beginning. */
function nextMoves(game) {
  const next = new Map();
  game.moves.forEach(({ parent }, number) => {
    if (!next.has(parent ?? -1)) next.set(parent ?? -1, number);
  });
  return next;
}

/** The move of a game that a place names: by its number, or by the ply of its main line. */
function currentMove({ game, next }, place) {
  if (place.move) return Math.min(Number(place.move), game.moves.length - 1);
  let current = -1;
  for (let ply = Number(place.ply ?? 0); ply > 0 && next.has(current); ply--) current = next.get(current);
  return current;
}

function draw(position) {
  board.show(position);
  at("#board").setAttribute("aria-label", spoken(position.fen));
  at("#fen code").textContent = position.fen;
  at("#spoken").textContent = position.san ?? "";
}

function say(text) {
  at("#message").textContent = text;
  at("#message").hidden = !text;
}

/** What the buttons and keys do. */
const STEPS = {
  first: () => shown.game ? showMove(-1) : go({ ...shown.place, play: null }),
  back: () => {
    if (shown.game) return shown.current >= 0 && showMove(shown.game.moves[shown.current].parent ?? -1);
    const played = playedIn(shown.place);
    return played.length && go({ ...shown.place, play: played.slice(0, -1).join(",") });
  },
  forward: () => {
    const played = playedIn(shown.place).length;
    if (!shown.game) return played < ahead.play.length && go({ ...shown.place, play: ahead.play.slice(0, played + 1).join(",") });
    return shown.next.has(shown.current) && showMove(shown.next.get(shown.current));
  },
  last: () => {
    if (!shown.game) return go({ ...shown.place, play: ahead.play.join(",") });
    let last = shown.current;
    while (shown.next.has(last)) last = shown.next.get(last);
    return showMove(last);
  },
  flip: () => board.flip(),
  fen: () => copy(at("#fen button"), at("#fen code").textContent),
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
at("[role=tablist]").addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  const usable = tabs.filter((button) => !button.disabled);
  const next = usable.at((usable.indexOf(event.target) + by) % usable.length);
  next.focus();
  next.click();
});
at("#typed").addEventListener("submit", (event) => {
  event.preventDefault();
  const { move } = event.target;
  const plain = (san) => san.replace(/[+#=]/g, "").replaceAll("0", "O");
  const wanted = board.shown.legal.find(({ san, uci }) => uci === move.value.trim() || plain(san) === plain(move.value.trim()));
  if (!wanted) return say(`${move.value.trim() || "nothing"}: not a legal move here`);
  move.value = "";
  return play(wanted.uci);
});
const closeNames = box.start(say);
at("#filter").addEventListener("submit", (event) => {
  event.preventDefault();
  const { q, db } = event.target;
  if (box.show(q.value, say)) return;
  closeNames();
  const { at, tab } = here();
  go({ q: q.value, db: db.value, ...views.kept(here()), at, tab: tab === "tree" ? tab : "games" });
});
at("#filter").once.addEventListener("change", ({ target }) => go({ ...here(), copies: target.checked ? null : "all", from: null }));
at("#filter").db.addEventListener("change", () => at("#filter").requestSubmit());

// Where there is one database, its directory is the root.
ask("query", {}).then(({ files }) => { at("#syntax").href = `${files}search/syntax.txt`; }).catch(() => {});
ask("databases", {}).then(({ databases }) => {
  const options = databases.map(({ path, name }) => element("option", { value: path }, name));
  if (databases.length > 1) at("#filter").db.append(...options);
  at("#filter").db.value = here().db ?? "";
  at("#filter").db.hidden = databases.length < 2;
}).catch((error) => say(error.message));
// A browser would scroll before the answers are here.
history.scrollRestoration = "manual";
followed(show);
show(here(), scrolled()).then(box.askAhead);

// The tabs beside the board. Each shows a place; what is clicked leads to another one.

import { address, ask, go } from "./api.js";
import { copy, count, element, legend, results } from "./dom.js";
import { comment } from "./board.js";

const PAGE = 100;

/** The usual start position. A list that names no position has games from all start positions. */
const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/** Moves that the tree shows at first. */
const MOVES = 8;

/** A link within the page. */
export function link(place, ...children) {
  const follow = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    event.stopPropagation();
    go(place);
  };
  return element("a", { href: address(place), click: follow }, ...children);
}

/** A table, with what it lists for those who do not see it. */
export function table(label, heads, rows) {
  const cells = heads.map(([text, kind]) => element("th", { class: kind, scope: "col" }, text));
  return element("table", { "aria-label": label }, element("thead", {}, element("tr", {}, cells)), element("tbody", {}, rows));
}

const filters = ({ q, db }) => ({ q, db });
const position = ({ fen, play }) => ({ fen, play });
/** The position of a place that a new search keeps. A list of the games with the start position is one of the tree alone. */
export const kept = ({ fen, play }) => fen === START && !play ? {} : { fen, play };
export const dash = (value) => value ?? "";
const short = (result) => result === "1/2-1/2" ? "½-½" : dash(result);

/** A date, and its year where there is little room. */
const day = (date) => [element("span", { class: "wide" }, dash(date)), element("span", { class: "narrow" }, dash(date).slice(0, 4))];

/** The moves played in the position, and the games that have it. */
export async function tree(place, signal) {
  const own = place.fen || place.play ? position(place) : { fen: START };
  const list = { ...filters(place), ...own, sort: place.sort ?? "elo" };
  const [played, games, files] = await Promise.all([
    ask("moves", { ...filters(place), ...own }, signal),
    ask("games", { ...list, count: 12 }, signal),
    downloads({ ...filters(place), ...own }, signal),
  ]);
  const opening = played.opening;
  const isWhole = place.rows === "all" || played.moves.length <= MOVES + 1;
  const moves = isWhole ? played.moves : played.moves.slice(0, MOVES);
  const rows = moves.map((row) => {
    const next = row.uci && row.uci !== "0000" ? { ...place, play: [place.play, row.uci].filter(Boolean).join(","), ply: null } : null;
    const open = next && (() => go(next));
    return element("tr", { click: open },
      element("td", {}, next ? link(next, row.move) : row.uci ? "null move" : element("span", { class: "dim" }, "end")),
      element("td", { class: "number" }, count(row.games)),
      element("td", {}, results([row.white, row.draws, row.black])),
      element("td", { class: "number" }, row.score === null ? "" : `${row.score.toFixed(1)} %`),
      element("td", { class: "number wide" }, dash(row.performance)),
      element("td", { class: "number wide" }, dash(row.elo)),
      element("td", { class: "number wide" }, row.first === row.last ? dash(row.last) : `${row.first}–${row.last}`),
      element("td", { class: "wide dim" }, row.opening ? `${row.opening.eco} ${row.opening.name}` : ""));
  });
  const order = (name, text) => list.sort === name ? text : link({ ...place, sort: name }, text);
  return [
    element("h2", {}, opening ? `${opening.eco} ${opening.name}` : "Moves", " ", element("span", { class: "dim" }, `${count(played.games)} games`)),
    played.games ? table("Moves played here", [["Move"], ["Games", "number"], ["Results"], ["Score", "number"], ["Perf.", "number wide"], ["Elo", "number wide"], ["Years", "number wide"], ["Opening", "wide"]], rows)
      : element("p", { class: "dim" }, "No game has this position."),
    played.games ? legend() : null,
    isWhole ? null : element("p", { class: "pager" }, link({ ...place, rows: "all" }, `${played.moves.length - MOVES} more moves`)),
    element("h3", {}, "Games: ", order("elo", "the strongest"), " · ", order("-date", "the latest"), " · ",
      link({ ...place, ...own, tab: "games", at: null }, `all ${count(games.count)}`)),
    listed(games.games, place, list),
    games.count ? files : null,
  ];
}

/** A table of games. Where they are some of a list, from there on the games beside each can be reached. */
export function listed(games, place, list = null, from = 0) {
  const rows = games.map((game, n) => {
    const inList = list && { ...list, n: from + n };
    const to = { ...filters(place), ...inList, game: game.path, ply: game.ply ?? null, tab: "game" };
    return element("tr", { click: () => go(to) },
      element("td", {}, link(to, game.White ?? "?"), element("span", { class: "dim wide" }, game.WhiteElo ? ` ${game.WhiteElo}` : "")),
      element("td", {}, game.Black ?? "?", element("span", { class: "dim wide" }, game.BlackElo ? ` ${game.BlackElo}` : "")),
      element("td", { class: "short" }, short(game.Result)),
      element("td", { class: "dim short" }, day(game.Date)),
      element("td", { class: "wide dim" }, dash(game.Event)),
      element("td", { class: "wide dim short" }, dash(game.ECO)));
  });
  return table("Games", [["White"], ["Black"], ["Result"], ["Date"], ["Event", "wide"], ["ECO", "wide"]], rows);
}

/** The address of a path in the tree. */
const inFiles = (path) => `/files/${path.split("/").map(encodeURIComponent).join("/")}`;

/** A text that every system takes as the name of a file. */
const fileName = (text) => text.replace(/[\\/:*?"<>|\p{Cc}]+/gu, "_");

/** Links to all games of a list as files, whose name says what they are; nothing if a search is too long for a name. */
export async function downloads(list, signal) {
  const { canonical, files, deviations, leaving } = await ask("query", list, signal);
  if (!files) return null;
  const line = document.querySelector("#line");
  const played = [...line.querySelectorAll("li:not(:has(.dim))")].map((move) => move.textContent).join(" ");
  const position = list.play ? `after ${played}` : kept(list).fen ? "with a position" : "";
  const name = fileName([canonical?.replaceAll(":", "-"), list.db, position].filter(Boolean).join(" ") || "all games").slice(0, 100).trim();
  const one = (address, text, kind, label = null) => element("a", { href: address, download: `${name}.${kind}`, "aria-label": label }, text);
  const all = (folder, kind = "", which = null) => [["all.pgn", "PGN", "pgn"], ["tables/games.csv", "CSV", "csv"], ["tables/games.parquet", "Parquet", "parquet"]]
    .map(([file, text, own]) => one(folder + file, text, kind + own, which && `${text} ${which}`));
  return [
    element("p", { class: "pager files" },
      "Download:", all(files),
      deviations ? one(deviations, "Deviations from the repertoire (CSV)", "deviations.csv") : null,
      element("span", {}, "with all copies, in the order of the databases, not of this page")),
    leaving && leaving !== files ? element("p", { class: "pager files" },
      "Games that leave the repertoire:", all(leaving, "leaving.", "of the games that leave the repertoire")) : null,
  ];
}

/** The games that answer the search, page by page: those with the position on the board once a line has been played. */
export async function games(place, signal) {
  const from = Number(place.from ?? 0);
  const hasPosition = Boolean(place.fen || place.play);
  const at = hasPosition && place.at !== "all" ? position(place) : {};
  const list = { ...filters(place), ...at, sort: place.sort ?? "database" };
  const [found, files] = await Promise.all([ask("games", { ...list, from, count: PAGE }, signal), downloads({ ...filters(place), ...at }, signal)]);
  const last = Math.min(from + PAGE, found.count);
  const page = (to, text) => to < 0 || to >= found.count || to === from ? element("span", { class: "dim" }, text) : link({ ...place, from: to || null }, text);
  const pager = () => element("p", { class: "pager" },
    page(0, "first"), page(from - PAGE, "previous"),
    element("span", {}, found.count ? `${count(from + 1)}–${count(last)} of ${count(found.count)}` : "no games"),
    page(from + PAGE, "next"), page(Math.floor((found.count - 1) / PAGE) * PAGE, "last"));
  const orders = [["database", "database"], ["-date", "latest"], ["date", "earliest"], ["elo", "strongest"]];
  const order = orders.map(([name, text]) => (place.sort ?? "database") === name ? element("b", {}, text) : link({ ...place, sort: name, from: null }, text));
  const which = [[null, "with this position"], ["all", "all"]];
  const choice = which.map(([name, text]) => (place.at ?? null) === name ? element("b", {}, text) : link({ ...place, at: name, from: null }, text));
  return [
    hasPosition ? element("p", { class: "pager" }, "games: ", choice) : null,
    element("p", { class: "pager" }, "order: ", order),
    ...(found.hints ?? []).map((hint) => element("p", {}, hint)),
    pager(), listed(found.games, place, list, from), pager(),
    found.count ? files : null,
  ];
}

/** The databases, by folder. */
export async function databases(place, signal) {
  const { databases, opening } = await ask("databases", {}, signal);
  const folders = new Map();
  for (const database of databases) {
    const folder = database.path.slice(0, Math.max(database.path.lastIndexOf("/"), 0));
    if (folders.has(folder)) folders.get(folder).push(database);
    else folders.set(folder, [database]);
  }
  const stay = (event) => event.stopPropagation();
  const row = (database, folder) => {
    const to = { db: database.path, tab: "games" };
    const problems = database.problems && element("a", { href: inFiles(`${database.path}/tables/problems.txt`.replace(/^\//, "")), click: stay }, count(database.problems));
    return element("tr", { click: () => go(to) },
      element("td", { class: folder ? "inside" : null }, link(to, folder ? database.path.slice(folder.length + 1) : database.name)),
      element("td", { class: "wide" }, database.title),
      element("td", { class: "number" }, count(database.games)),
      element("td", { class: "number" }, problems || ""),
      element("td", { class: "dim wide" }, database.index === "building" ? `${count(database.index_read)} games read` : ""));
  };
  const rows = [...folders].sort(([one], [other]) => one < other ? -1 : 1).map(([folder, own]) => {
    // Signs of patterns stand for themselves in brackets.
    const pattern = folder.replace(/[*?[]/g, "[$&]").replace(/["\\]/g, "\\$&");
    const to = { q: `db:"${pattern}/**"`, tab: "games" };
    const head = folder && element("tr", { class: "folder", click: () => go(to) }, element("th", { colspan: 5, scope: "rowgroup" }, link(to, `${folder}/`)));
    return [head || null, own.map((database) => row(database, folder))];
  });
  const waiting = opening.map((one) => element("p", { class: "dim" }, `${one.path} is being opened`, one.percent === null ? "" : `: ${one.percent} %`));
  return [table("Databases", [["Database"], ["Format", "wide"], ["Games", "number"], ["Problems", "number"], ["Index", "wide"]], rows), waiting];
}

const NAGS = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "□", 10: "=", 13: "∞", 14: "+/=", 15: "=/+", 16: "±", 17: "∓", 18: "+−", 19: "−+", 22: "⨀", 32: "⟳", 36: "→", 40: "↑", 44: "=∞", 132: "⇆", 138: "⊕", 140: "∆", 142: "⌓", 145: "RR", 146: "N" };

/** The signs of a move. Those that judge the position stand apart, since `+/=` could be a check. */
export const signs = (nags = []) => nags.map((nag) => `${nag < 7 ? "" : " "}${NAGS[nag] ?? `$${nag}`}`).join("");

/** The movetext of a game; `current` is the move that the board shows. */
export function movetext(game, current, show) {
  const children = new Map();
  game.moves.forEach((move, number) => {
    const before = move.parent ?? -1;
    if (children.has(before)) children.get(before).push(number);
    else children.set(before, [number]);
  });
  const said = (texts = []) => texts.map(comment).filter(Boolean)
    .map((text) => element("span", { class: "comment" }, ` ${text} `));
  const label = (number, always) => {
    const before = game.moves[number].parent;
    const [, turn, , , , full] = (before === null ? game.fen : game.moves[before].fen).split(" ");
    if (turn === "w") return `${full}. `;
    return always ? `${full}… ` : "";
  };
  const one = (number, always) => {
    const move = game.moves[number];
    const text = label(number, always) + move.san + signs(move.nags);
    return [
      said(move.before),
      element("button", { "aria-current": number === current ? "true" : null, "data-move": number, click: () => show(number) }, text), " ",
      said(move.comments),
    ];
  };
  const line = (before, isStart) => {
    const nodes = [];
    let always = isStart;
    let next = children.get(before);
    while (next?.length) {
      const [main, ...others] = next;
      nodes.push(one(main, always));
      for (const other of others) {
        nodes.push(element("span", { class: "variation" }, one(other, true), line(other, false)));
      }
      always = others.length > 0 || Boolean(game.moves[main].comments);
      next = children.get(main);
    }
    return nodes;
  };
  return element("div", { class: "movetext", role: "group", "aria-label": "Moves of the game" }, said(game.comments), line(-1, true), " ", element("b", {}, game.result));
}

/** The games before and after one in the list from which it was opened. */
export async function near(place, signal) {
  const { n, sort } = place;
  if (n === undefined) return {};
  const from = Math.max(Number(n) - 1, 0);
  const { games } = await ask("games", { ...filters(place), ...position(place), sort, from, count: 3 }, signal);
  const own = games.findIndex(({ path }) => path === place.game);
  const beside = (by) => {
    const game = own < 0 ? null : games[own + by];
    return game && { ...place, game: game.path, ply: game.ply ?? null, move: null, n: from + own + by };
  };
  return { previous: beside(-1), next: beside(1) };
}

/** The tree at the move of a game that is shown. */
export function inTree(place, { game, current }) {
  return { ...filters(place), fen: current < 0 ? game.fen : game.moves[current].fen, tab: "tree" };
}

/** A game: its players, moves and tags, and the games beside it. */
export function game(shown, place, show) {
  const { game, near, current } = shown;
  const tag = (name) => game.tags.find(([own]) => own === name)?.[1];
  const known = (name) => /[^?.\s]/.test(tag(name) ?? "") ? tag(name) : null;
  const [white, black] = [tag("White") ?? "?", tag("Black") ?? "?"];
  const file = inFiles(place.game);
  const name = fileName([`${white} - ${black}`, known("Date")?.slice(0, 4)].filter(Boolean).join(" "));
  const others = game.tags.filter(([name]) => !["White", "Black", "Result", "WhiteElo", "BlackElo", "Date", "Event", "Site", "Round"].includes(name));
  const round = known("Round") && `round ${known("Round")}`;
  const facts = [known("Date"), [known("Event"), round].filter(Boolean).join(", "), known("Site")].filter(Boolean).join(" · ");
  const rating = (name) => known(name) ? element("span", { class: "rating" }, ` ${known(name)}`) : null;
  const copyAll = async ({ target }) => copy(target, await (await fetch(file)).text());
  return [
    element("h2", { "data-title": `${white} – ${black}` }, white, rating("WhiteElo"), ` – ${black}`, rating("BlackElo"), " ", element("span", { class: "dim" }, game.result)),
    facts ? element("p", { class: "facts dim" }, facts) : null,
    movetext(game, current, show),
    element("p", { class: "pager" },
      near.previous ? link(near.previous, "previous game") : null,
      near.next ? link(near.next, "next game") : null,
      link(inTree(place, shown), "this position in the tree"),
      element("button", { click: copyAll }, "Copy PGN"),
      element("a", { href: file, download: `${name}.pgn` }, "Download"),
      element("a", { href: file.slice(0, file.lastIndexOf("/") + 1) }, "In the files")),
    game.problems.length ? element("p", { class: "dim" }, game.problems.join("; ")) : null,
    element("dl", { class: "tags" }, others.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
  ];
}

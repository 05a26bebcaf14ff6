// The tab Prepare: what an opponent does, and what the opponent has changed lately.

import { ask, go, here } from "./api.js";
import { count, element, legend, results } from "./dom.js";
import { dash, downloads, link, listed, table } from "./views.js";

const SIDES = { white: "White", black: "Black" };

/** Asks for a player. */
export function form({ player, colour, since, q }) {
  // Whoever has searched for a player wants to prepare against this one.
  const [, quoted, plain] = /^player:(?:"([^"\\]+)"|([^\s":()|]+))$/.exec(q ?? "") ?? [];
  const searched = quoted ?? plain;
  const start = (event) => {
    event.preventDefault();
    const { player, colour, since } = event.target;
    go({ ...here(), q: searched ? null : q, player: player.value, colour: colour.value, since: since.value });
  };
  const options = [["", "both colours"], ["white", "as White"], ["black", "as Black"]];
  return element("form", { id: "prepare", submit: start },
    element("input", { name: "player", value: player ?? searched, placeholder: "Carlsen, or =\"Carlsen, Magnus\"", "aria-label": "Player", required: true }),
    element("select", { name: "colour", "aria-label": "Colour" },
      options.map(([value, text]) => element("option", { value, selected: value === (colour ?? "") }, text))),
    element("input", { name: "since", value: since, placeholder: "since 2024-06", "aria-label": "New since", size: 14 }),
    element("button", {}, "Prepare"));
}

/** Cells with results. */
function cells(row) {
  return [
    element("td", { class: "number" }, count(row.games)),
    element("td", {}, results([row.wins, row.draws, row.losses], "player")),
    element("td", { class: "number" }, row.score === null ? "" : `${row.score.toFixed(1)} %`),
  ];
}

const HEADS = [["Games", "number"], ["Results"], ["Score", "number"]];

/** Rows of results that lead to their games or to the tree of these; `name` gives the text of the first cell. */
function sums(head, rows, name, tab = "games") {
  const shown = rows.map((row) => {
    const to = { q: row.q, db: here().db, tab };
    return element("tr", { click: () => go(to) }, element("td", {}, link(to, name(row))), cells(row));
  });
  return table(head, [[head], ...HEADS], shown);
}

function section(title, content) {
  return element("section", {}, element("h3", {}, title), content);
}

/** A line of moves with their numbers. Lines of games that begin elsewhere have a first move of Black as well. */
function numbered(line, colour) {
  const isBlackFirst = (line.length % 2 === 1) !== (colour === "white");
  return line.map((san, n) => {
    const half = n + (isBlackFirst ? 1 : 0);
    if (half % 2 === 0) return `${half / 2 + 1}. ${san}`;
    return n === 0 ? `1… ${san}` : san;
  }).join(" ");
}

/** Moves that are new or given up. */
function changes(list, said) {
  if (!list.length) return element("p", { class: "dim" }, "none");
  const rows = list.map((change) => {
    const { db } = here();
    const tree = { q: change.q, db, fen: change.fen, play: change.play.slice(0, -1).join(","), tab: "tree" };
    const game = { q: change.q, db, game: change.game.path, ply: change.game.ply, tab: "game" };
    const moves = numbered(change.line, change.colour).split(" ");
    return element("tr", { click: () => go(tree) },
      element("td", {}, link(tree, moves.slice(0, -1).join(" "), " ", element("b", {}, moves.at(-1)))),
      element("td", { class: "dim" }, said(change)),
      element("td", { class: "short" }, link(game, dash(change.game.Date))));
  });
  return table("Changes", [["Moves"], ["Played"], ["Game"]], rows);
}

/** The page. */
export async function prepare(place, signal) {
  if (!place.player) return [form(place), element("p", { class: "dim" }, "What does your next opponent play?")];
  const { q, db, player, colour, since } = place;
  const found = await ask("prepare", { player, colour, since, q, db }, signal);
  if (!found.all.games) return [form(place), element("p", { class: "dim" }, "No game has this player.")];
  const all = { ...found.all, name: "all" };
  // Without a year nothing is recent.
  const recent = found.since ? [{ ...found.recent, name: `since ${found.since}` }] : [];
  const colours = found.colours.map((row) => ({ ...row, name: `as ${SIDES[row.colour]}` }));
  const openings = colours.map(({ colour, name }) => section(`Openings ${name}`,
    sums("Opening", found.openings.filter((row) => row.colour === colour), (row) => `${row.eco} ${row.name ?? ""}`, "tree")));
  const files = await downloads({ q: found.q, db }, signal);
  const games = (list) => list.length ? listed(list, { q: found.q, db }) : element("p", { class: "dim" }, "none");
  return [
    form(place),
    element("h2", {}, player.replace(/^=|"/g, ""), " ", element("span", { class: "dim" }, found.all.performance ? `performance ${found.all.performance}` : "")),
    sums("Which games", [all, ...(colours.length > 1 ? colours : []), ...recent], (row) => row.name),
    legend("player"),
    files,
    element("div", { class: "columns" },
      openings,
      ...(found.since ? [
        section(`First played since ${found.since}`, changes(found.new, (change) => `${change.games} of ${change.after}`)),
        section(`No longer played since ${found.since}`, changes(found.given_up, (change) => `${change.games} of ${change.before}, now 0 of ${change.after}`)),
      ] : [])),
    found.since ? section(`Lost since ${found.since}`, games(found.lost)) : null,
    section("Latest games", games(found.latest)),
    element("div", { class: "columns" },
      section("By year", sums("Year", found.years, (row) => String(row.year))),
      section("By the opponent's rating", sums("Rating", found.opponents, (row) => `${row.from}–${row.to}`))),
  ];
}

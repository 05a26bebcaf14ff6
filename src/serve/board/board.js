// The board: draws a position, and says which move was dragged, clicked or typed.

import { drawn, replace } from "./dom.js";
import { piece, NAMES } from "./pieces.js";

const SIZE = 45;
const FILES = "abcdefgh";

/** The pieces of a FEN by square. */
export function pieces(fen) {
  const placed = new Map();
  fen.split(" ")[0].split("/").forEach((rank, row) => {
    let file = 0;
    for (const sign of rank) {
      if (/\d/.test(sign)) file += Number(sign);
      else placed.set(FILES[file++] + (8 - row), sign);
    }
  });
  return placed;
}

/** The position in words, for those who do not see it. */
export function spoken(fen) {
  const [, turn] = fen.split(" ");
  const sides = { white: [], black: [] };
  for (const [square, sign] of pieces(fen)) {
    const kind = sign.toUpperCase();
    sides[sign === kind ? "white" : "black"].push(`${NAMES[kind]} ${square}`);
  }
  return `White: ${sides.white.join(", ")}. Black: ${sides.black.join(", ")}. ${turn === "b" ? "Black" : "White"} to move.`;
}

/** Lets `play` be called with a move of `legal` when it is made on the board. */
export class Board {
  constructor(svg, play) {
    this.svg = svg;
    this.play = play;
    this.flipped = false;
    this.chosen = null;
    this.dragged = null;
    /** The promotions among which is to be chosen, by the squares that show them. */
    this.offered = null;
    this.shown = { fen: "8/8/8/8/8/8/8/8 w - - 0 1", legal: [], last: null, marks: [] };
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointermove", (event) => this.drag(event));
    svg.addEventListener("pointerup", (event) => this.release(event));
    svg.addEventListener("pointercancel", () => this.drop());
  }

  /** Shows a position: its FEN, legal moves, the last move in UCI, and marks of comments. */
  show(shown) {
    this.shown = { last: null, marks: [], legal: [], ...shown };
    this.chosen = null;
    this.drop();
  }

  flip() {
    this.flipped = !this.flipped;
    this.draw();
  }

  /** The left upper corner of a square. */
  corner(square) {
    const file = FILES.indexOf(square[0]);
    const rank = Number(square[1]) - 1;
    return this.flipped ? [(7 - file) * SIZE, rank * SIZE] : [file * SIZE, (7 - rank) * SIZE];
  }

  /** The square at a place on the screen. */
  squareAt(event) {
    const frame = this.svg.getBoundingClientRect();
    const column = Math.floor(((event.clientX - frame.left) / frame.width) * 8);
    const row = Math.floor(((event.clientY - frame.top) / frame.height) * 8);
    if (column < 0 || column > 7 || row < 0 || row > 7) return null;
    return this.flipped ? FILES[7 - column] + (row + 1) : FILES[column] + (8 - row);
  }

  /** The legal moves from a square, or from one to another. */
  moves(from, to = "") {
    return this.shown.legal.filter((move) => move.uci.startsWith(from + to));
  }

  press(event) {
    const square = this.squareAt(event);
    if (!square || event.button > 0) return;
    if (this.offered) {
      const move = this.offered.get(square);
      this.drop();
      if (move) this.play(move.uci);
      return;
    }
    if (this.chosen && this.chosen !== square && this.make(this.chosen, square)) return;
    this.chosen = this.moves(square).length ? square : null;
    this.draw();
    if (!this.chosen) return;
    this.svg.setPointerCapture(event.pointerId);
    const at = this.svg.querySelector(`[data-square="${square}"]`);
    this.dragged = { at, x: event.clientX, y: event.clientY };
  }

  drag(event) {
    if (!this.dragged) return;
    const scale = 360 / this.svg.getBoundingClientRect().width;
    const [x, y] = this.corner(this.chosen);
    const by = [(event.clientX - this.dragged.x) * scale, (event.clientY - this.dragged.y) * scale];
    this.dragged.at.setAttribute("transform", `translate(${x + by[0]} ${y + by[1]})`);
    this.dragged.at.classList.add("dragged");
  }

  release(event) {
    const from = this.chosen;
    const was = this.dragged;
    this.dragged = null;
    const to = this.squareAt(event);
    if (was && from && to && to !== from && this.make(from, to)) return;
    this.draw();
  }

  drop() {
    this.dragged = null;
    this.offered = null;
    this.draw();
  }

  /** Makes a move if it is legal. Where there are several, they are promotions: the pieces are offered on the file. */
  make(from, to) {
    const legal = this.moves(from, to);
    if (!legal.length) return false;
    this.chosen = null;
    if (legal.length === 1) {
      this.play(legal[0].uci);
      return true;
    }
    const rank = Number(to[1]);
    const order = [...legal].sort((one, other) => "qrbn".indexOf(one.uci[4]) - "qrbn".indexOf(other.uci[4]));
    this.offered = new Map(order.map((move, n) => [to[0] + (rank === 8 ? rank - n : rank + n), move]));
    this.draw();
    return true;
  }

  draw() {
    const { fen, last, marks } = this.shown;
    const squares = [];
    for (const file of FILES) {
      for (let rank = 1; rank <= 8; rank++) squares.push(file + rank);
    }
    const ground = squares.map((square) => {
      const [x, y] = this.corner(square);
      const isLight = (FILES.indexOf(square[0]) + Number(square[1])) % 2 === 0;
      const isLast = last && (last.slice(0, 2) === square || last.slice(2, 4) === square);
      const kind = this.chosen === square ? "chosen" : isLast ? "last" : isLight ? "light" : "dark";
      return drawn("rect", { class: `square ${kind}`, x, y, width: SIZE, height: SIZE });
    });
    const coordinates = [...FILES].flatMap((file, n) => {
      const [x, y] = this.corner(file + (this.flipped ? 8 : 1));
      const [left, top] = this.corner((this.flipped ? "h" : "a") + (n + 1));
      return [
        drawn("text", { class: "coordinate", x: x + SIZE - 7, y: y + SIZE - 3 }, file),
        drawn("text", { class: "coordinate", x: left + 2, y: top + 9 }, String(n + 1)),
      ];
    });
    const placed = [...pieces(fen)].map(([square, sign]) => {
      const [x, y] = this.corner(square);
      const shape = piece(sign);
      shape.setAttribute("transform", `translate(${x} ${y})`);
      shape.dataset.square = square;
      return shape;
    });
    const targets = new Set((this.chosen ? this.moves(this.chosen) : []).map((move) => move.uci.slice(2, 4)));
    const dots = [...targets].map((square) => {
      const [x, y] = this.corner(square);
      return drawn("circle", { class: "dot", cx: x + SIZE / 2, cy: y + SIZE / 2, r: 7 });
    });
    const offered = [...(this.offered ?? [])].flatMap(([square, { uci }]) => {
      const [x, y] = this.corner(square);
      const shape = piece(uci[3] === "8" ? uci[4].toUpperCase() : uci[4]);
      shape.setAttribute("transform", `translate(${x} ${y})`);
      return [drawn("rect", { class: "offered", x, y, width: SIZE, height: SIZE }), shape];
    });
    replace(this.svg, ground, coordinates, placed, dots, marks.map((mark) => this.mark(mark)), offered);
  }

  /** A coloured square or an arrow, as `[%csl]`, `[%cal]` and `[%draw]` have them. */
  mark({ colour, from, to }) {
    const middle = (square) => this.corner(square).map((at) => at + SIZE / 2);
    const [x, y] = middle(from);
    if (!to) return drawn("rect", { class: `spot ${colour}`, x: x - 20, y: y - 20, width: 40, height: 40, rx: 4 });
    const [toX, toY] = middle(to);
    const angle = Math.atan2(toY - y, toX - x);
    const head = [2.6, -2.6].map((turn) => `M${toX} ${toY}L${toX + 14 * Math.cos(angle + turn)} ${toY + 14 * Math.sin(angle + turn)}`);
    return drawn("path", { class: `arrow ${colour}`, d: `M${x} ${y}L${toX} ${toY}${head.join("")}` });
  }
}

/** The coloured squares and arrows of several comments, each once. */
export function marks(texts) {
  const found = new Map();
  for (const text of texts) read(text, found);
  return [...found.values()];
}

/** Text of a comment without commands. */
export function comment(text) {
  return read(text, new Map());
}

/**
 * Text of a comment without commands. Its coloured squares and arrows are added to `marks`.
 *
 * A regular expression for `[%...]` would look for the end of each again, and a comment may have millions of beginnings.
 */
function read(text, marks) {
  const plain = [];
  let from = 0;
  for (;;) {
    const begin = text.indexOf("[%", from);
    const end = begin < 0 ? -1 : text.indexOf("]", begin);
    if (end < 0) break;
    plain.push(text.slice(from, begin));
    const kind = text.slice(begin + 2, begin + 6);
    const list = kind === "csl " || kind === "cal " ? text.slice(begin + 6, end).split(",") : [];
    for (const item of list) {
      const found = /^([GRYB])([a-h][1-8])([a-h][1-8])?$/.exec(item.trim());
      if (found && Boolean(found[3]) === (kind === "cal ")) marks.set(found[0], { colour: found[1], from: found[2], to: found[3] });
    }
    // Scid writes `[%draw arrow,e2,e4,red]`, and `[%draw full,e4,red]` or another shape for a square.
    const drawn = /^draw (?:arrow,([a-h][1-8])|(?!arrow)[a-z]+),([a-h][1-8])(?:,([a-z]))?/i.exec(text.slice(begin + 2, Math.min(end, begin + 40)));
    if (drawn) {
      const colour = "RGYB".includes(drawn[3]?.toUpperCase() ?? "-") ? drawn[3].toUpperCase() : "G";
      marks.set(drawn[0], drawn[1] ? { colour, from: drawn[1], to: drawn[2] } : { colour, from: drawn[2], to: undefined });
    }
    from = end + 1;
  }
  plain.push(text.slice(from));
  return plain.join("").trim();
}

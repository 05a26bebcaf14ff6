// The drawings of the pieces, each in a square of 45 by 45.

import { drawn } from "./dom.js";

const BASE = "M11 35h23v4h-23z";

const SHAPES = {
  P: ["M22.5 20c-4.5 0-6.5 5-8 13h16c-1.5-8-3.5-13-8-13z", "M22.5 8a6 6 0 1 1 0 12a6 6 0 1 1 0-12z", BASE],
  N: ["M14 34c0-7 7-9 7-14c-3 2-6 4-9 3l-2.5-3.500c1.5-5 5-8 9.5-10l.5-4l4 3c8 1 11.5 9 11 25.500z", BASE],
  B: ["M22.5 10c6 4.5 8 8.5 8 12.500c0 4-3 6-4 9.500h-8c-1-3.5-4-5.5-4-9.500c0-4 2-8 8-12.500z", "M22.5 5.500a2.3 2.3 0 1 1 0 4.600a2.3 2.3 0 1 1 0-4.600z", BASE],
  R: ["M12 9h5v3.500h3.500v-3.500h4v3.500h3.500v-3.500h5v8l-3 2.500v10.500l3 4h-21l3-4v-10.500l-3-2.500z", BASE],
  Q: ["M9.5 14.500l5 17.500h16l5-17.500l-7 9l-1.5-13.500l-4.5 12.500l-4.5-12.500l-1.5 13.500z", "M9.5 11.500a2 2 0 1 1 0 4a2 2 0 1 1 0-4z", "M18 7a2 2 0 1 1 0 4a2 2 0 1 1 0-4z", "M27 7a2 2 0 1 1 0 4a2 2 0 1 1 0-4z", "M35.5 11.500a2 2 0 1 1 0 4a2 2 0 1 1 0-4z", BASE],
  K: ["M21 4h3v3h3v3h-3v4h-3v-4h-3v-3h3z", "M13 32c-6-8-3-16 4-15.500c3 .2 5 2.5 5.5 5.500c.5-3 2.5-5.3 5.5-5.500c7-.5 10 7.5 4 15.500z", BASE],
};

/** Lines within the shapes. */
const DETAILS = {
  N: "M19 15.500l.2.200M31 33c0-9-1-15-4-19",
  B: "M22.5 15.500v6M19.5 18.500h6",
  R: "M15.5 20h14M15.5 30h14",
  Q: "M14.5 32c5-2 11-2 16 0",
  K: "M13.5 31c6-2.5 12-2.5 18 0M22.5 22v6",
};

export const NAMES = { P: "pawn", N: "knight", B: "bishop", R: "rook", Q: "queen", K: "king" };

/** The drawing of a piece as FEN writes it. */
export function piece(letter) {
  const kind = letter.toUpperCase();
  const colour = letter === kind ? "white" : "black";
  const parts = SHAPES[kind].map((d) => drawn("path", { d }));
  if (DETAILS[kind]) parts.push(drawn("path", { d: DETAILS[kind], class: "detail" }));
  return drawn("g", { class: `piece ${colour}` }, parts);
}

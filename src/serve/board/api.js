// Questions to the server, and the place where the page is: its address.

/** What is asked about games, of which each counts once unless the place says otherwise. */
const OF_GAMES = ["games", "moves", "prepare"];

/** Asks the server. Throws an error with what is wrong. */
export async function ask(what, parameters, signal) {
  const unique = OF_GAMES.includes(what) && here().copies !== "all" ? "true" : null;
  const given = Object.entries({ ...parameters, unique }).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const response = await fetch(`/api/${what}?${new URLSearchParams(given)}`, { signal });
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return answer;
  throw new Error(answer?.error?.message ?? `the server answered ${response.status}`);
}

/** Where the page is. */
export function here() {
  return Object.fromEntries(new URLSearchParams(location.search));
}

/** The address of a place, where games count as often as here unless it says otherwise. */
export function address(place) {
  const given = Object.entries({ copies: here().copies, ...place }).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const search = String(new URLSearchParams(given));
  return search ? `/?${search}` : "/";
}

const listeners = [];

/** Calls `listener` whenever the place changes; with how far its page was scrolled if it was here before. */
export function followed(listener) {
  listeners.push(listener);
}

/** Goes to a place. With `replace`, going back skips the present one. */
export function go(place, replace = false) {
  keep();
  if (replace) history.replaceState(history.state, "", address(place));
  else history.pushState(null, "", address(place));
  listeners.forEach((listener) => listener(here(), null));
}

/** How far the page of the present place was scrolled when it was last here. */
export const scrolled = () => history.state?.top ?? null;

let waits;

/** Keeps with the present place how far it is scrolled. */
function keep() {
  clearTimeout(waits);
  history.replaceState({ top: scrollY }, "");
}

addEventListener("scroll", () => {
  clearTimeout(waits);
  waits = setTimeout(keep, 100);
});
addEventListener("popstate", () => {
  clearTimeout(waits);
  listeners.forEach((listener) => listener(here(), scrolled()));
});

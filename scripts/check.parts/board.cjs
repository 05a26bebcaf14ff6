// Uses the board in Chromium. usage: node board.cjs ADDRESS [PICTURE]
//
// The variable STEP has a part of the names of the steps that are taken, by default all.

const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const axe = require("axe-core");
const { chromium } = require("playwright-core");

const [address, picture] = process.argv.slice(2);
const OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** A desk, a tablet and a phone. */
const SIZES = [[1280, 800], [820, 1180], [390, 844]];

let page;
const said = [];
/** How often a script of a database has set `window.ran`, on whatever page. */
let ran = 0;

/** Whether the browser reports that what is wrong on purpose was refused. */
const isRefusal = (message) => /status of 40[04]/.test(message.text()) && /q=playr%3Ax|since=June|000999|Ke3/.test(message.location().url);

/** Text of the panel beside the board. */
const panel = () => page.locator("#panel").innerText();

/** Waits until everything of the present place is on the page. */
const isShown = () => page.waitForSelector("#panel:not([aria-busy])");

/** Waits until the panel shows the present place, with a text. */
const shows = (text) => page.waitForFunction((text) => document.querySelector("#panel:not([aria-busy])")?.innerText.includes(text), text);

/** The line above the board. */
const box = () => page.getByRole("combobox", { name: "Search" });

const tab = (name) => page.getByRole("tab", { name, exact: true }).click();

/** The place of a square on the screen. */
async function square(name) {
  const box = await page.locator("#board").boundingBox();
  const side = box.width / 8;
  return [box.x + side * (name.charCodeAt(0) - 97 + 0.5), box.y + side * (8.5 - Number(name[1]))];
}

async function drag(from, to) {
  await page.mouse.move(...(await square(from)));
  await page.mouse.down();
  await page.mouse.move(...(await square(to)), { steps: 4 });
  await page.mouse.up();
}

const fen = () => page.locator("#fen code").innerText();

const STEPS = {
  async "a list of games leads to a game and back"() {
    await page.goto(address);
    await tab("Games");
    await shows("of ");
    await page.getByRole("link", { name: "Anderssen, Adolf" }).first().click();
    await shows("1. e4");
    assert.match(page.url(), /game=/);
    await page.goBack();
    await shows("of ");
    await page.goForward();
    await shows("1. e4");
  },
  async "a variation is stepped through with keys alone"() {
    await page.goto(`${address}?q=event:"Casual game"&db=annotated.pgn`);
    await shows("of ");
    const games = await page.locator("#panel tbody a").evaluateAll((links) => links.map((link) => link.href));
    let found = false;
    while (!found && games.length > 0) {
      await page.goto(games.shift());
      await page.waitForSelector(".movetext");
      found = (await page.locator(".variation button").count()) > 0;
    }
    assert.ok(found, "no game has a variation");
    await page.locator(".variation button").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".variation [aria-current=true]");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-current")), "true");
    const inside = await fen();
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction((inside) => document.querySelector("#fen code").innerText !== inside, inside);
    await page.keyboard.press("Home");
    await page.waitForFunction(() => document.querySelector("#fen code").innerText.startsWith("rnbqkbnr/pppppppp/8/8"));
    await page.keyboard.press("ArrowRight");
    await isShown();
    assert.equal(await page.locator(".movetext [aria-current=true]").count(), 1);
  },
  async "moves are played in the tree by dragging, clicking and choosing"() {
    await page.goto(`${address}?tab=tree`);
    await shows("games");
    await drag("e2", "e4");
    await shows("e5");
    await page.mouse.click(...(await square("e7")));
    await page.mouse.click(...(await square("e5")));
    await shows("Nf3");
    await page.locator("#panel tbody a", { hasText: /^f4$/ }).click();
    await shows("King's Gambit");
    assert.match(await fen(), /^rnbqkbnr\/pppp1ppp\/8\/4p3\/4PP2\/8/);
    await drag("a1", "a5");
    await isShown();
    assert.match(await fen(), /^rnbqkbnr\/pppp1ppp\/8\/4p3\/4PP2\/8/);
    await page.keyboard.press("ArrowLeft");
    await shows("Nf3");
    await page.keyboard.press("ArrowRight");
    await shows("King's Gambit");
    assert.equal(await page.title(), "C30 King's Gambit · pgnfs");
    await page.keyboard.press("Home");
    await isShown();
    assert.match(await fen(), /^rnbqkbnr\/pppppppp\/8\/8/);
    await page.keyboard.press("End");
    await shows("King's Gambit");
    assert.equal(await page.title(), "C30 King's Gambit · pgnfs");
    assert.match(await page.locator("#board").getAttribute("aria-label"), /pawn f4.*Black to move/);
    assert.equal(await page.locator("#spoken").innerText(), "f4");
  },
  async "a typed move is played, and a pawn becomes what is chosen"() {
    await page.goto(`${address}?fen=8/P6k/8/8/8/8/8/K7 w - - 0 1&tab=tree`);
    await shows("No game");
    await drag("a7", "a8");
    await page.mouse.click(...(await square("a5")));
    await page.waitForFunction(() => /^N7/.test(document.querySelector("#fen code").innerText));
    await page.keyboard.press("ArrowLeft");
    await isShown();
    assert.match(await fen(), /^8.P/);
    await page.getByLabel("Move", { exact: true }).fill("a8=R");
    await page.keyboard.press("Enter");
    await isShown();
    assert.match(await fen(), /^R7/);
    await page.getByLabel("Move", { exact: true }).fill("Kd4");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#message:not([hidden])");
    assert.match(await page.locator("#message").innerText(), /Kd4: not a legal move/);
  },
  async "a search acts on the tree and on the list"() {
    await page.goto(`${address}?tab=tree`);
    await shows("games");
    await box().fill("player:morphy");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /q=player%3Amorphy/.test(location.search));
    await shows("e4");
    await tab("Games");
    await shows("Morphy");
    await box().fill("playr:x");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#message:not([hidden])");
    assert.match(await page.locator("#message").innerText(), /playr/);
    assert.equal((await panel()).trim(), "Start again");
  },
  async "the line above the board takes a position and a game"() {
    const position = "rnbqkbnr/pppp1ppp/8/4p3/4PP2/8/PPPP2PP/RNBQKBNR b KQkq - 0 2";
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.goto(`${address}?tab=games`);
      await shows("of ");
      await box().fill(position);
      await page.keyboard.press("Enter");
      await shows("King's Gambit");
      assert.equal(await fen(), position);
      assert.equal(await box().inputValue(), "");
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    const games = [
      ['[Event "Casual (game) [x]"]\n[Site "?"]\n\n{A (comment [ 1. d4} 1. e4 e5 2. f4 (2. Nf3 Nc6 (2... d6) 3. Bb5) 2... exf4 $1 ; the 3. rest\n1-0\n\n[Event "b"]\n\n1. d4 *', "1. e4 e5 2. f4 exf4", "King's Gambit"],
      ["1.e4 c5 2.Nf3 d6", "1. e4 c5 2. Nf3 d6", "Sicilian"],
      ["1.e4{best}e5(1...c5)2.f4$1exf4;taken\n½-½", "1. e4 e5 2. f4 exf4", "King's Gambit"],
      ['[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7"]\n\n7... Ke7 8. e4 *', "7… Ke7 8. e4", "No game"],
    ];
    for (const [text, line, shown] of games) {
      await page.goto(`${address}?tab=games&q=result:1-0`);
      await shows("of ");
      // As the keys do that paste, which keep the lines.
      await box().evaluate((input, text) => {
        const data = new DataTransfer();
        data.setData("text", text);
        input.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
      }, text);
      await shows(shown);
      assert.equal((await page.locator("#line").innerText()).replace(/\s+/g, " "), line);
    }
    await box().fill("1. e4 e5 2. Ke3 Nc6");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#message:not([hidden])");
    assert.match(await page.locator("#message").innerText(), /moves: move 3, Ke3, is not legal/);
  },
  async "names are suggested while somebody types"() {
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.goto(`${address}?tab=games`);
      await shows("of ");
      const suggestions = page.getByRole("listbox").getByRole("option");
      await box().pressSequentially("year:1857.. morp");
      await suggestions.first().waitFor();
      assert.match(await suggestions.first().innerText(), /^Morphy, Paul\s+player · 5$/);
      const list = await page.getByRole("listbox").boundingBox();
      assert.ok(list.x >= 0 && list.x + list.width <= width, JSON.stringify(list));
      await page.keyboard.press("ArrowDown");
      assert.equal(await page.locator(`#${await box().getAttribute("aria-activedescendant")}`).getAttribute("aria-selected"), "true");
      await page.keyboard.press("Enter");
      assert.equal(await box().inputValue(), 'year:1857.. player:"Morphy, Paul" ');
      assert.equal(await page.getByRole("listbox").isVisible(), false);
      await page.keyboard.press("Enter");
      await shows("Morphy, Paul");
      assert.match(page.url(), /q=year/);
      // The field stays, and what follows the name.
      await box().fill('white:"Anderssen, ad" year:1851');
      await box().evaluate((input) => input.setSelectionRange(20, 20));
      await page.keyboard.press("Backspace");
      await suggestions.first().waitFor();
      await suggestions.first().click();
      assert.equal(await box().inputValue(), 'white:"Anderssen, Adolf" year:1851');
      await box().fill("opening:najd");
      await suggestions.first().waitFor();
      assert.match(await suggestions.first().innerText(), /^Sicilian Defense: Najdorf Variation\s+opening$/);
      await page.keyboard.press("Escape");
      assert.equal(await page.getByRole("listbox").isVisible(), false);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  },
  async "the help has examples and leads to all fields"() {
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.goto(`${address}?tab=games`);
      await shows("of ");
      await page.getByRole("button", { name: "Help on searching" }).click();
      const help = page.locator("#help");
      const examples = await help.getByRole("button").allInnerTexts();
      assert.equal(examples.length, 10);
      const place = await help.boundingBox();
      assert.ok(place.x >= 0 && place.y >= 0 && place.x + place.width <= width && place.y + place.height <= height, JSON.stringify(place));
      await help.getByRole("button", { name: "year:2013..2016" }).click();
      assert.equal(await box().inputValue(), "year:2013..2016");
      assert.equal(await help.isVisible(), false);
      for (const example of examples) {
        const answer = await page.request.get(`${address}api/query?q=${encodeURIComponent(example)}`);
        assert.equal(answer.status(), 200, example);
      }
      await page.getByRole("button", { name: "Help on searching" }).click();
      await help.getByRole("link", { name: "All fields" }).click();
      await page.waitForURL(/syntax\.txt$/);
      assert.match(await page.locator("body").innerText(), /FIELD:VALUE/);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  },
  async "fields write a search, and read it again"() {
    await page.goto(`${address}?tab=search`);
    await page.getByLabel("Player", { exact: true }).fill("Morphy, Paul");
    await page.getByLabel("Years from").fill("1857");
    await page.getByLabel("Result").selectOption("the player won");
    const line = box();
    assert.equal(await line.inputValue(), 'player:"Morphy, Paul" year:1857.. result:win');
    await page.getByRole("tabpanel").getByRole("button", { name: "Search" }).click();
    await shows("Morphy, Paul");
    assert.match(page.url(), /tab=games/);
    const mixed = '-site:paris player:"Morphy, Paul" year:1857.. eco:C4|B0 event:="a \\"b\\""';
    await page.goto(`${address}?tab=search&q=${encodeURIComponent(mixed)}`);
    await shows("and -site:paris eco:C4|B0");
    assert.equal(await page.getByLabel("Event").inputValue(), '=a "b"');
    await page.getByLabel("White", { exact: true }).fill("x");
    assert.equal(await line.inputValue(), 'player:"Morphy, Paul" white:x event:="a \\"b\\"" year:1857.. -site:paris eco:C4|B0');
    const choice = "( white:tal | black:tal ) year:1960";
    await page.goto(`${address}?tab=search&q=${encodeURIComponent(choice)}`);
    await shows(`and ${choice}`);
  },
  async "the strongest games come first, and lead to those beside them"() {
    const ratings = async () => {
      const rows = await page.locator("#panel tbody tr").evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll("td:nth-child(-n+2) span")].map((span) => Number(span.innerText))));
      return rows.map((pair) => pair.filter(Boolean)).filter((pair) => pair.length).map((pair) => pair.reduce((sum, elo) => sum + elo));
    };
    await page.goto(`${address}?tab=games&db=classics.pgn`);
    await page.locator("#panel").getByRole("link", { name: "strongest" }).click();
    await page.waitForFunction(() => /sort=elo/.test(location.search));
    await isShown();
    const shown = await ratings();
    assert.ok(shown.length > 2);
    assert.deepEqual(shown, [...shown].sort((one, other) => other - one));
    await page.goto(`${address}?tab=tree&db=classics.pgn`);
    await shows("the strongest");
    const players = () => page.locator("#panel table").last().locator("tbody a").first().innerText();
    const strongest = await players();
    await page.goto(`${address}?tab=games&db=classics.pgn&sort=elo`);
    await shows("of ");
    assert.equal(await players(), strongest);
    await page.locator("#panel tbody a").first().click();
    await page.getByRole("link", { name: "next game" }).click();
    await page.waitForFunction(() => /n=1/.test(location.search));
    await page.getByRole("link", { name: "previous game" }).click();
    await page.waitForFunction(() => /n=0/.test(location.search));
    await shows(strongest.split(" ")[0]);
    assert.equal(await page.getByRole("link", { name: "previous game" }).count(), 0);
  },
  async "the games beside a game are those of the list from which it was opened"() {
    const next = () => page.getByRole("link", { name: "next game" }).getAttribute("href");
    await page.goto(`${address}?tab=games&db=classics.pgn`);
    await shows("of ");
    const game = page.locator("#panel").getByRole("link", { name: "Morphy, Paul" }).first();
    await game.click();
    await page.waitForSelector(".movetext");
    const path = new URL(page.url()).searchParams.get("game");
    const all = await next();
    assert.doesNotMatch(all, /q=/);
    await box().fill("player:morphy");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /q=player/.test(location.search));
    await shows("of ");
    await game.click();
    await page.waitForSelector(".movetext");
    assert.equal(new URL(page.url()).searchParams.get("game"), path);
    assert.match(await next(), /q=player%3Amorphy/);
    // From one place of the game to the other, without a list between them.
    await page.evaluate(() => history.go(-2));
    await page.waitForFunction(() => !/q=/.test(location.search));
    await isShown();
    assert.equal(await next(), all);
  },
  async "the tree lists games that have its position, also at the start"() {
    const numbers = async () => {
      const text = await panel();
      return [/ ([\d,]+) games/, /all ([\d,]+)/].map((number) => Number(number.exec(text)[1].replace(",", "")));
    };
    await page.goto(`${address}?tab=tree`);
    await shows("all ");
    const [played, listed] = await numbers();
    assert.equal(listed, played);
    assert.ok(!(await panel()).includes("Set, Up"));
    const strongest = page.locator("#panel table").last().locator("tbody a");
    const names = await strongest.allInnerTexts();
    await strongest.first().click();
    await page.getByRole("link", { name: "next game" }).click();
    await page.waitForFunction(() => /n=1/.test(location.search));
    await shows(names[1].split(" ")[0]);
    await page.goto(`${address}?tab=tree`);
    await shows("all ");
    await page.getByRole("link", { name: `all ${listed}` }).click();
    await shows(`of ${listed}`);
  },
  async "games are those with the position once a line has been played, and the line is clicked"() {
    const found = async () => Number((await panel()).match(/of ([\d,]+)/)[1].replace(",", ""));
    await page.goto(`${address}?tab=games`);
    await shows("of ");
    const all = await found();
    assert.equal(await page.locator("#line").isVisible(), false);
    assert.ok(!(await panel()).includes("with this position"));
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.goto(`${address}?tab=tree&play=e2e4,e7e5,g1f3`);
      await shows("games");
      assert.equal((await page.locator("#line").innerText()).replace(/\s+/g, " "), "1. e4 e5 2. Nf3");
      await tab("Games");
      await shows("with this position");
      const knight = await found();
      await page.goto(`${address}?tab=games&play=e2e4`);
      await shows("with this position");
      const pawn = await found();
      assert.ok(knight < pawn && pawn < all, `${knight} ${pawn} ${all}`);
      await page.locator("#panel").getByRole("link", { name: "all", exact: true }).click();
      await shows(`of ${all}`);
      await page.locator("#panel").getByRole("link", { name: "with this position" }).click();
      await shows(`of ${pawn}`);
      if (width === 390) continue;
      await page.goto(`${address}?tab=games&play=e2e4,e7e5,g1f3`);
      await shows(`of ${knight}`);
      await page.locator("#line").getByRole("button", { name: "e4" }).click();
      await shows(`of ${pawn}`);
      // The moves after it stay, and are played again.
      await page.locator("#line").getByRole("button", { name: "Nf3" }).click();
      await shows(`of ${knight}`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${address}?fen=4k3/8/8/8/8/8/4P3/4K3 b - - 0 7&play=e8e7,e2e4&tab=tree`);
    await shows("No game");
    assert.equal((await page.locator("#line").innerText()).replace(/\s+/g, " "), "7… Ke7 8. e4");
  },
  async "the games of a list are files with a name"() {
    const taken = async (kind) => {
      const link = page.locator("#panel").getByRole("link", { name: kind, exact: true });
      const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "latin1") };
    };
    for (const [place, name] of [
      ["q=player:morphy&tab=games", "player-morphy"],
      ["q=Morphy&tab=games", "morphy"],
      ["q=morphy&db=classics.pgn&play=e2e4,e7e5&tab=games", "morphy classics.pgn after 1. e4 e5"],
      ["q=morphy&db=classics.pgn&play=e2e4,e7e5&tab=games&at=all", "morphy classics.pgn"],
      ["fen=rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1&tab=games", "with a position"],
      ["tab=games&db=annotated.pgn", "annotated.pgn"],
      ["tab=games", "all games"],
      ["play=d2d4&tab=tree", "after 1. d4"],
    ]) {
      // Files have all copies of a game.
      await page.goto(`${address}?${place}&copies=all`);
      await shows("not of this page");
      const shown = await panel();
      const count = Number((/of ([\d,]+)\n/.exec(shown) ?? /all (\d+)\n/.exec(shown))[1]);
      assert.ok(count > 0, place);
      const pgn = await taken("PGN");
      assert.equal(pgn.name, `${name}.pgn`);
      assert.equal(pgn.text.match(/^\[White "/gm).length, count, place);
      const csv = await taken("CSV");
      assert.equal(csv.name, `${name}.csv`);
      assert.equal(csv.text.trim().split("\n").length, count + 1, place);
      const parquet = await taken("Parquet");
      assert.equal(parquet.name, `${name}.parquet`);
      assert.ok(parquet.text.startsWith("PAR1"), place);
    }
    await page.goto(`${address}?tab=prepare&player=morphy&colour=white`);
    await shows("not of this page");
    assert.match((await taken("PGN")).name, /^player-morphy white-morphy\.pgn$/);
    await page.goto(`${address}?tab=games&q=repertoire:annotated.pgn by:white`);
    await shows("of ");
    const link = page.getByRole("link", { name: "Deviations" });
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    assert.match(download.suggestedFilename(), /deviations\.csv$/);
    assert.match(readFileSync(await download.path(), "utf8"), /^number|^path|ply/);
    // The games in that table, where it is the repertoire of the player.
    await page.goto(`${address}?tab=games&q=player:a -repertoire:annotated.pgn by:player`);
    await shows("Games that leave the repertoire");
    const rows = (await taken("Deviations from the repertoire (CSV)")).text.trim().split("\n").length - 1;
    const leaving = await taken("PGN of the games that leave the repertoire");
    assert.match(leaving.name, /\.leaving\.pgn$/);
    assert.ok(rows > 0);
    assert.equal(leaving.text.match(/^\[White "/gm).length, rows);
    // Names of files have at most 255 bytes.
    await page.goto(`${address}?tab=games&q=${Array.from({ length: 60 }, () => "-site:x").map((term, n) => term + n).join(" ")}`);
    await shows("of ");
    assert.equal(await page.getByRole("link", { name: "PGN", exact: true }).count(), 0);
  },
  async "an opponent is prepared against"() {
    await page.goto(`${address}?q=player:morphy`);
    await shows("of ");
    await tab("Prepare");
    await page.waitForSelector("#prepare");
    // What was searched for is the opponent.
    assert.equal(await page.getByLabel("Player").inputValue(), "morphy");
    // Other terms are not part of the name.
    await page.goto(`${address}?q=player:morphy anderssen&tab=prepare`);
    await isShown();
    assert.equal(await page.getByLabel("Player").inputValue(), "");
    await page.goto(`${address}?q=player:morphy&tab=prepare`);
    await isShown();
    await page.getByLabel("New since").fill("1858");
    await page.keyboard.press("Enter");
    await shows("First played since 1858");
    await shows("Openings as White");
    await page.locator("#panel tbody a", { hasText: "as White" }).first().click();
    await page.waitForFunction(() => /q=white/.test(location.search));
    await shows("Morphy");
    await page.goBack();
    await shows("No longer played since 1858");
    await page.locator("section", { hasText: "First played since" }).last().locator("tbody a").first().click();
    await shows("Results");
    assert.match(page.url(), /tab=tree/);
    await page.goBack();
    await shows("First played since 1858");
    await page.getByLabel("New since").fill("June");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#message:not([hidden])");
    assert.match(await page.locator("#message").innerText(), /since: 'June' is not a date/);
    // What was typed can be corrected.
    assert.equal(await page.getByLabel("Player").inputValue(), "morphy");
    assert.equal(await page.getByLabel("New since").inputValue(), "June");
    await page.getByLabel("New since").fill("1858-06");
    await page.keyboard.press("Enter");
    await shows("First played since 1858-06");
    assert.equal(await page.locator("#message").isVisible(), false);
    // The placeholder writes a name with quotes.
    await page.getByLabel("Player").fill('="Morphy, Paul"');
    await page.getByLabel("New since").fill("1858");
    await page.keyboard.press("Enter");
    await shows("Openings as White");
  },
  async "going back keeps the place in a list"() {
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.goto(`${address}?tab=games`);
      await shows("of ");
      const top = () => page.evaluate(() => scrollY);
      await page.locator("#panel tbody a").nth(40).scrollIntoViewIfNeeded();
      const place = await top();
      assert.ok(place > 200, String(place));
      await page.locator("#panel tbody a").nth(40).click();
      await page.waitForSelector(".movetext");
      await isShown();
      assert.ok((await top()) < 100);
      await page.goBack();
      await shows("of ");
      assert.ok(Math.abs((await top()) - place) < 3, `${await top()} ${place}`);
      await page.goForward();
      await page.waitForSelector(".movetext");
      await page.goBack();
      await shows("of ");
      assert.ok(Math.abs((await top()) - place) < 3, `${await top()} ${place}`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  },
  async "a missing game leaves the board as it was"() {
    const missing = "game=classics.pgn/games/000001-001000/000999.pgn";
    await page.goto(`${address}?${missing}`);
    await page.waitForSelector("#message:not([hidden])");
    assert.match(await fen(), /^rnbqkbnr\/pppppppp/);
    await drag("e2", "e4");
    await shows("e5");
    await page.goto(`${address}?db=classics.pgn&tab=games`);
    await shows("of ");
    await page.locator("#panel tbody a").first().click();
    await page.waitForSelector(".movetext");
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector("[aria-current=true]");
    await isShown();
    const before = await fen();
    await page.evaluate((missing) => {
      history.pushState(null, "", `/?${missing}`);
      dispatchEvent(new PopStateEvent("popstate"));
    }, missing);
    await page.waitForSelector("#message:not([hidden])");
    assert.equal(await fen(), before);
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector(".movetext [aria-current=true]");
    await isShown();
    assert.equal(await page.locator("#message").isVisible(), false);
    assert.notEqual(await fen(), before);
  },
  async "the board stays in sight while a game is stepped through, and only the moves scroll"() {
    await page.goto(`${address}?db=annotated.pgn&tab=games`);
    await shows("of ");
    const games = await page.locator("#panel tbody a").evaluateAll((links) => links.map((link) => link.href));
    for (const [width, height] of [...SIZES, [375, 667]]) {
      await page.setViewportSize({ width, height });
      for (const game of games.slice(0, 3)) {
        await page.goto(game);
        await page.waitForSelector(".movetext");
        await isShown();
        const places = () => page.evaluate(() => {
          const inside = (node, box) => {
            const [own, whole] = [node.getBoundingClientRect(), box];
            return own.top >= whole.top - 1 && own.bottom <= whole.bottom + 1 && own.left >= whole.left - 1 && own.right <= whole.right + 1;
          };
          const current = document.querySelector(".movetext [aria-current=true]");
          return {
            board: inside(document.querySelector("#board"), { top: 0, left: 0, bottom: innerHeight, right: innerWidth }),
            move: !current || ["#panel", ".movetext"].every((name) => inside(current, document.querySelector(name).getBoundingClientRect())) && inside(current, { top: 0, left: 0, bottom: innerHeight, right: innerWidth }),
            top: scrollY,
            last: document.querySelectorAll(".movetext > button").length === 0 || current === [...document.querySelectorAll(".movetext > button")].at(-1),
          };
        });
        const { top } = await places();
        for (let step = 0; step < 200; step++) {
          await page.getByTitle("One move forward").click();
          await isShown();
          const found = await places();
          assert.ok(found.board && found.move && found.top === top, `${width}: step ${step}: ${JSON.stringify(found)}`);
          if (found.last) break;
        }
        for (const key of ["Home", "End"]) {
          await page.keyboard.press(key);
          await isShown();
          const found = await places();
          assert.ok(found.board && found.move && found.top === top, `${width}: ${JSON.stringify(found)}`);
        }
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  },
  async "pieces stand out from squares, and a tab that cannot be used looks so"() {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`${address}?tab=tree`);
      await shows("games");
      const contrasts = await page.evaluate(() => {
        const light = (selector) => {
          const canvas = document.createElement("canvas").getContext("2d");
          canvas.fillStyle = getComputedStyle(document.querySelector(selector)).fill;
          canvas.fillRect(0, 0, 1, 1);
          const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => {
            const share = part / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        const [white, black, bright, dark] = [".piece.white", ".piece.black", ".square.light", ".square.dark"].map(light);
        return { black: contrast(black, dark), sides: contrast(white, black), squares: contrast(bright, dark) };
      });
      assert.ok(contrasts.black > 4 && contrasts.sides > 9 && contrasts.squares > 1.5, `${colorScheme}: ${JSON.stringify(contrasts)}`);
      const game = page.getByRole("tab", { name: "Game", exact: true });
      assert.ok(await game.isDisabled());
      assert.ok(Number(await game.evaluate((node) => getComputedStyle(node).opacity)) < 0.6);
    }
    await page.emulateMedia({ colorScheme: "light" });
  },
  async "the files fit a phone, with folders first"() {
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      for (const path of ["", "classics.pgn/", "classics.pgn/games/000001-001000/", "hostile.pgn/players/"]) {
        await page.goto(`${address}files/${path}`);
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
        assert.ok(!isWide, `${path} is wider than ${width}`);
        const names = (await page.locator("td a").allInnerTexts()).filter((name) => name !== "..");
        const folders = names.filter((name) => name.endsWith("/"));
        assert.deepEqual(names.slice(0, folders.length), folders, path);
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  },
  async "a phone shows one column, in the dark as well"() {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 390, height: 844 });
      for (const [place, text] of [["play=e2e4,e7e5&tab=tree", "Nf3"], ["tab=games", "of "], ["tab=games&sort=elo&play=e2e4", "of "], ["tab=search", "written"], ["tab=prepare&player=morphy", "Latest games"], ["tab=databases", "classics.pgn"]]) {
        await page.goto(`${address}?${place}`);
        await shows(text);
        const wide = await page.evaluate(() => [document.documentElement, document.querySelector("#panel")].filter((node) => node.scrollWidth > node.clientWidth).length);
        assert.equal(wide, 0, `${place}: the page or the list scrolls sideways`);
      }
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1280, height: 800 });
  },
  async "names that try to be markup are text"() {
    await page.goto(`${address}?db=hostile.pgn&tab=games`);
    await shows("<b onclick=window.ran=1>A</b>");
    await page.locator("#panel tbody a").first().click();
    await shows('<img src=x onerror="window.ran = 1">');
    assert.equal(await page.locator("#panel img, #panel script, #panel b[onclick]").count(), 0);
    await page.goto(`${address}files/hostile.pgn/players/`);
    assert.equal(await page.locator("b[onclick]").count(), 0);
    assert.equal(ran, 0);
    await page.evaluate(() => {
      window.ran = 1;
      return window.hasRun();
    });
    assert.equal(ran, 2, "a script that runs is not noticed");
    ran = 0;
  },
  async "axe finds nothing serious on any page"() {
    const PLACES = ["?tab=tree&play=e2e4", "?tab=games&play=e2e4", "?db=annotated.pgn&tab=games&n=0", "?tab=search", "?tab=prepare&player=morphy", "?tab=databases", "files/", "files/classics.pgn/"];
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      for (const [width, height] of SIZES) {
        await page.setViewportSize({ width, height });
        const finds = async (what) => {
          await page.evaluate(axe.source);
          const { violations } = await page.evaluate(() => globalThis.axe.run());
          const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
          assert.deepEqual(serious.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]), [], `${what}, ${width}, ${colorScheme}`);
        };
        for (const place of PLACES) {
          await page.goto(address + place);
          if (place.startsWith("?")) await isShown();
          await finds(place);
        }
        await page.goto(`${address}?db=annotated.pgn&tab=games`);
        await shows("of ");
        await page.locator("#panel tbody a").first().click();
        await page.waitForSelector(".movetext");
        await page.keyboard.press("ArrowRight");
        await page.waitForSelector(".movetext [aria-current=true]");
        await finds("a game");
        await box().pressSequentially("morp");
        await page.getByRole("option").first().waitFor();
        await page.keyboard.press("ArrowDown");
        await finds("names");
        await page.getByRole("button", { name: "Help on searching" }).click();
        await finds("help");
      }
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1280, height: 800 });
  },
  async "moves, tree and games are used with keys alone"() {
    const press = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const isNamed = (name) => page.getByRole("table", { name }).count();
    await page.goto(`${address}?tab=tree`);
    await shows("games");
    assert.equal(await isNamed("Moves played here"), 1);
    await page.locator("#panel tbody a").first().focus();
    const move = await page.evaluate(() => document.activeElement.innerText);
    await press("Enter");
    await page.waitForSelector("#line li");
    assert.equal(await page.locator("#spoken").innerText(), move);
    await page.getByRole("tab", { name: "Tree" }).focus();
    await press("ArrowRight");
    await shows("with this position");
    assert.equal(await isNamed("Games"), 1);
    await page.locator("#panel tbody a").first().focus();
    await press("Enter");
    await page.waitForSelector(".movetext");
    await isShown();
    assert.equal(await page.getByRole("group", { name: "Moves of the game" }).count(), 1);
    await page.locator(".movetext button").first().focus();
    await press("Tab", "Enter");
    await page.waitForSelector(".movetext [aria-current=true]");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.move), "1");
  },
  async "the first page is small"() {
    // With a new browser, as somebody has who comes for the first time.
    const other = await page.context().browser().newPage();
    const answers = [];
    other.on("response", (response) => answers.push(response.body()));
    await other.goto(address);
    await other.waitForSelector("#panel table");
    await other.waitForLoadState("networkidle");
    const bytes = (await Promise.all(answers)).reduce((sum, body) => sum + body.length, 0);
    assert.ok(bytes > 20_000 && bytes < 250 * 1024, `${bytes} bytes`);
    await other.close();
  },
  async "each game counts once, or with all its copies"() {
    const games = async () => Number((await panel()).match(/of ([\d,. ]+)/)[1].replace(/\D/g, ""));
    await page.goto(`${address}?tab=games`);
    await shows("of ");
    const once = await games();
    await page.getByLabel("each game once").uncheck();
    await page.waitForFunction(() => /copies=all/.test(location.search));
    await shows("of ");
    assert.ok((await games()) > once, "no game has a copy");
    await tab("Tree");
    await page.waitForFunction(() => /copies=all/.test(location.search));
    await page.getByLabel("each game once").check();
    await page.waitForFunction(() => !/copies/.test(location.search));
  },
  async "the databases are listed"() {
    // Problems of games are known once somebody has looked.
    await page.goto(`${address}files/club/2020/cup.pgn/tables/problems.txt`);
    await page.goto(address);
    await tab("Databases");
    await shows("classics.pgn");
    assert.match(await panel(), /PGN/);
    // Folders lead to the games of all databases in them, and problems to what they are.
    const rows = await page.locator("#panel tbody tr").allInnerTexts();
    const inFolder = rows.slice(rows.findIndex((row) => row.trim() === "club/2020/") + 1);
    assert.ok(inFolder.some((row) => /^cup\.pgn\s+PGN\s+1\s+1/.test(row)), inFolder.join());
    await page.getByRole("link", { name: "1", exact: true }).click();
    await page.waitForURL(/problems\.txt$/);
    assert.match(await page.locator("body").innerText(), /no king can go to e8/);
    await page.goBack();
    await shows("classics.pgn");
    await page.getByRole("link", { name: "club/2020/" }).click();
    await shows("1–8 of 8");
    await page.goBack();
    await shows("classics.pgn");
    await page.getByRole("link", { name: "club/[1]/" }).click();
    await shows("1–1 of 1");
  },
  async "a game says who played, when and where, and its file has a name"() {
    await page.goto(`${address}?db=club/2020/cup.pgn&tab=games`);
    await shows("Two/B");
    await page.locator("#panel tbody a").first().click();
    await shows("2020.02.??");
    assert.equal((await page.locator("#panel h2").innerText()).trim(), "One: A 2711 – Two/B 1-0");
    assert.equal((await page.locator(".facts").innerText()).trim(), "2020.02.?? · Cup, round 3");
    assert.equal(await page.title(), "One: A – Two/B · pgnfs");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download" }).click()]);
    assert.equal(download.suggestedFilename(), "One_ A - Two_B 2020.pgn");
  },
  async "a colour of a bar has one meaning, which a legend says"() {
    const meanings = new Map();
    for (const [place, text] of [["tab=tree", "games"], ["tab=prepare&player=morphy", "Latest games"]]) {
      await page.goto(`${address}?${place}`);
      await shows(text);
      const keys = await page.locator(".legend span").evaluateAll((spans) => spans.map((span) => [getComputedStyle(span.querySelector("rect")).fill, span.innerText]));
      assert.equal(keys.length, 3);
      for (const [colour, meaning] of keys) {
        assert.equal(meanings.get(colour) ?? meaning, meaning);
        meanings.set(colour, meaning);
      }
      const bars = await page.locator(".bar rect").evaluateAll((rects) => rects.map((rect) => getComputedStyle(rect).fill));
      const known = new Set(keys.map(([colour]) => colour));
      assert.ok(bars.length > 3 && bars.every((colour) => known.has(colour)));
    }
    assert.equal(meanings.size, 5);
  },
};

async function main() {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: OPTIONS });
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.exposeFunction("hasRun", () => { ran += 1; });
  await page.addInitScript(() => Object.defineProperty(window, "ran", { set: () => window.hasRun() }));
  page.on("console", (message) => {
    if (!isRefusal(message)) said.push(message.text());
  });
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(address)) said.push(`asked ${request.url()}`);
  });
  if (picture) {
    await page.goto(`${address}?play=e2e4,e7e5&tab=tree`);
    await shows("Nf3");
    await page.screenshot({ path: picture });
    await page.goto(`${address}?tab=prepare&player=morphy`);
    await shows("First played");
    await page.screenshot({ path: picture.replace("board.png", "prepare.png") });
  } else {
    for (const [name, step] of Object.entries(STEPS).filter(([name]) => name.includes(process.env.STEP ?? ""))) {
      await step();
      assert.deepEqual(said, [], name);
      console.log(`ok: ${name}`);
    }
    assert.equal(ran, 0);
  }
  await browser.close();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});

//! The scripts of the board, where the games of strangers could make them take long. `scripts/check board` uses it in a browser.

use std::fs;
use std::process::Command;

use super::client::Served;
use testkit::needs;

/// Runs a script beside the board's own, and returns what it prints.
fn run(script: &str) -> String {
    let served = Served::games(&[]);
    let folder = tempfile::tempdir().unwrap();
    for name in ["api.js", "board.js", "box.js", "dom.js", "pieces.js", "views.js"] {
        let text = served.get(&format!("/board/{name}")).text();
        fs::write(folder.path().join(name), text).unwrap();
    }
    fs::write(folder.path().join("package.json"), "{\"type\": \"module\"}").unwrap();
    let file = folder.path().join("script.js");
    fs::write(&file, script).unwrap();
    let output = Command::new("node").arg(file).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn commands_are_taken_out_of_comments() {
    needs!(program "node", in "nodejs");
    let printed = run(r#"
        import { comment, marks } from "./board.js";
        for (const text of [
          "plain",
          "a [%csl Gd4,Re5, Yh8 ] b [%cal Ge2e4,Ge2] c",
          "[%clk 0:01:00][%eval 0.3]",
          "[%csl Gd4,Gd4][%csl Gd4] twice",
          "[%csl Gd4 not closed",
          "x [% y] z",
          "[%csl Gz9,Gd44,gd4]",
          "[%draw arrow,e2,e4,red] d [%draw full,d4,blue][%draw circle,a8,gray]",
          "[%draw arrow,e2,e9,red][%draw full,d4]",
        ]) {
          console.log("%s %s", JSON.stringify(comment(text)), marks([text]).map(({ colour, from, to }) => colour + from + (to ?? "")).join(" "));
        }
        "#);
    assert_eq!(
        printed.lines().map(str::trim_end).collect::<Vec<_>>(),
        [
            "\"plain\"",
            "\"a  b  c\" Gd4 Re5 Yh8 Ge2e4",
            "\"\"",
            "\"twice\" Gd4",
            "\"[%csl Gd4 not closed\"",
            "\"x  z\"",
            "\"\"",
            "\"d\" Re2e4 Bd4 Ga8",
            "\"\" Gd4",
        ]
    );
}

#[test]
fn games_and_positions_are_told_from_searches() {
    needs!(program "node", in "nodejs");
    let printed = run(r#"
        globalThis.addEventListener = () => {};
        globalThis.document = { querySelector: () => ({ q: {} }) };
        const { pasted } = await import("./box.js");
        for (const text of [
          '1. e4 e5 2. Nf3 $1 (2. d4 {x}) {y} Nc6 1-0 [Event "next"]',
          '[White "A"]\n; a comment\n[Black "B"] {and another}\n\n1. e4 e5 *',
          "% no game\n{a study} ; of mine\n 1. d4 d5",
          "1. e4 +- e5 ± 2. exd6 e.p. N -- D 3. a8=Q ! 1:0",
          '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n1. e4',
          "8/8/8/8/8/8/8/8_w",
          "{only a comment}",
          "player:carlsen",
          "{ 1. e4",
        ]) {
          console.log(JSON.stringify(pasted(text)));
        }
        "#);
    let wanted = [
        r#"{"fen":null,"moves":"1. e4 e5 2. Nf3 Nc6"}"#,
        r#"{"fen":null,"moves":"1. e4 e5"}"#,
        r#"{"fen":null,"moves":"1. d4 d5"}"#,
        r#"{"fen":null,"moves":"1. e4 e5 2. exd6 -- 3. a8=Q"}"#,
        r#"{"fen":"8/8/8/8/8/8/8/8 w - - 0 1","moves":"1. e4"}"#,
        r#"{"fen":"8/8/8/8/8/8/8/8 w","moves":""}"#,
        "null",
        "null",
        "null",
    ];
    assert_eq!(printed.lines().collect::<Vec<_>>(), wanted);
}

/// Characters are counted that are looked through.
#[test]
fn a_comment_takes_time_in_proportion_to_its_length() {
    needs!(program "node", in "nodejs");
    let printed = run(r#"
        import { comment } from "./board.js";
        let looked = 0;
        const find = String.prototype.indexOf;
        String.prototype.indexOf = function (wanted, from = 0) {
          const at = find.call(this, wanted, from);
          looked += (at < 0 ? this.length : at) - from + 1;
          return at;
        };
        for (const name of ["replace", "replaceAll", "match", "matchAll", "search"]) {
          String.prototype[name] = () => { throw new Error(`${name} may look at every beginning again`); };
        }
        for (const text of ["[%csl ".repeat(500000), "[%csl Gd4]".repeat(300000), "[%".repeat(100000) + "]", "]".repeat(100000) + "[%"]) {
          looked = 0;
          comment(text);
          console.log(looked < 3 * text.length + 10);
        }
        "#);
    assert_eq!(printed, "true\ntrue\ntrue\ntrue\n");
}

#[test]
fn a_game_of_very_many_moves_is_shown() {
    needs!(program "node", in "nodejs");
    let printed = run(r#"
        class Node {
          constructor() { this.children = []; }
          setAttribute() {}
          addEventListener() {}
          append(...nodes) {
            if (nodes.length > 10000) throw new Error("too many arguments for a browser");
            for (const node of nodes) this.children.push(node);
          }
        }
        globalThis.addEventListener = () => {};
        globalThis.document = { createElement: () => new Node() };
        const { movetext } = await import("./views.js");
        const { marks } = await import("./board.js");
        const fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        const line = Array.from({ length: 80000 }, (_, n) => ({ parent: n ? n - 1 : null, san: "Nf3", uci: "g1f3", fen }));
        const beside = Array.from({ length: 80000 }, () => ({ parent: null, san: "e4", uci: "e2e4", fen }));
        for (const moves of [line, beside]) {
          const shown = movetext({ moves, fen, comments: [], result: "*" }, -1, () => {});
          console.log(shown.children.length > 80000);
        }
        const comments = Array.from({ length: 200000 }, () => "[%csl Gd4,Re5] x");
        const move = { ...line[0], comments, before: comments };
        const shown = movetext({ moves: [move], fen, comments, result: "*" }, -1, () => {});
        console.log(shown.children.filter((node) => node.children?.length).length);
        console.log(marks(comments).length);
        "#);
    assert_eq!(printed, "true\ntrue\n600002\n2\n");
}

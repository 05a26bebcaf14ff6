//! JSON that may be shown on a terminal.

use std::fmt::Write;

use serde_json::Value;

use chessdb_library::library::is_unprintable;

/// A value as JSON, with line feeds. Unprintable characters are escaped: a parser gets the same strings, and a
/// terminal gets no commands.
pub fn text(value: &Value) -> String {
    let plain = format!("{value:#}");
    let mut text = String::with_capacity(plain.len());
    for c in plain.chars() {
        // Line feeds occur only between values, all other unprintable characters only inside strings.
        if c != '\n' && is_unprintable(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_parser_gets_the_same_strings_and_a_terminal_no_commands() {
        let value = json!({ "a\u{9b}b": ["\n\u{7f}\u{202e}\u{2028}", "\u{e0041}é\\u0041"] });
        let text = text(&value);
        assert!(text.chars().all(|c| c == '\n' || !is_unprintable(c)), "{text:?}");
        assert!(
            text.contains(r"\u202e") && text.contains(r"\udb40\udc41é"),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}

//! Text in HTML and XML.

use std::borrow::Cow;

/// Escapes a text for any place in a document, including attributes. Control characters become U+FFFD, because XML
/// cannot contain them.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    let is_special = |c: char| matches!(c, '<' | '>' | '&' | '"' | '\'') || c.is_control() || is_forbidden(c);
    if !text.contains(is_special) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() || is_forbidden(c) => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped.into()
}

/// True for the two characters that XML excludes apart from control characters.
fn is_forbidden(c: char) -> bool {
    matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn text_is_no_markup() {
        assert_eq!(escaped("<script>a('&\")"), "&lt;script&gt;a(&#39;&amp;&quot;)");
        assert_eq!(escaped("a\0b\u{1b}\u{ffff}"), "a\u{fffd}b\u{fffd}\u{fffd}");
        assert_eq!(escaped("Müller, Käthe"), "Müller, Käthe");
    }
}

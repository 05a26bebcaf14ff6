//! Comma-separated values as in RFC 4180.

use std::sync::LazyLock;

use csv_core::{Writer, quote};

/// The writer of fields, which has a table of the characters that need quotation marks.
static WRITER: LazyLock<Writer> = LazyLock::new(Writer::new);

/// Appends a field, quoted if necessary.
pub fn append_field(out: &mut Vec<u8>, value: &str) {
    let value = value.as_bytes();
    if !WRITER.should_quote(value) {
        return out.extend_from_slice(value);
    }
    out.push(b'"');
    let start = out.len();
    // In the worst case each byte is a quotation mark, and is doubled.
    out.resize(start + 2 * value.len(), 0);
    let (_, _, len) = quote(value, &mut out[start..], b'"', b'"', true);
    out.truncate(start + len);
    out.push(b'"');
}

/// Length in bytes of what [`append_field`] appends.
pub(crate) fn field_len(value: &str) -> usize {
    if WRITER.should_quote(value.as_bytes()) {
        value.len() + value.bytes().filter(|&c| c == b'"').count() + 2
    } else {
        value.len()
    }
}

/// Appends a record with its line feed.
pub fn append_record(out: &mut Vec<u8>, fields: impl IntoIterator<Item: AsRef<str>>) {
    for (n, field) in fields.into_iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        append_field(out, field.as_ref());
    }
    out.push(b'\n');
}

/// A field that is empty if the number is not known.
pub(crate) fn number(number: Option<impl ToString>) -> String {
    number.map_or(String::new(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_fields_that_need_them_have_quotation_marks() {
        let fields = ["", "plain ; 'text'", "a,b", "\"\"", "two\nlines", "é"];
        let mut out = Vec::new();
        append_record(&mut out, fields);
        let expected = ",plain ; 'text',\"a,b\",\"\"\"\"\"\",\"two\nlines\",é\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        let separators = fields.len();
        let lens: usize = fields.into_iter().map(field_len).sum();
        assert_eq!(lens + separators, expected.len());
    }
}

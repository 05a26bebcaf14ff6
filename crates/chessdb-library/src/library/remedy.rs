//! Advice for users of pgnfs about the faults that decoders report.

use chessdb::Remedy;

/// What is wrong, and what can be done about it.
pub fn advised(what: &str, remedy: Option<Remedy>) -> String {
    let advice = match remedy {
        Some(Remedy::Password) => "password-file=FILE names a file with one password a line",
        Some(Remedy::Unpack) => "unpack it and mount the folder",
        Some(Remedy::UnpackIfTrusted) => "if you trust it, unpack it and mount the folder",
        _ => return what.to_owned(),
    };
    format!("{what}: {advice}")
}

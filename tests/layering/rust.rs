//! Rust sources as tokens, and the paths that they name.

#[derive(Debug, PartialEq, Eq)]
pub enum Token {
    Word(String),
    Text(String),
    /// A character, or `::`.
    Sign(&'static str),
}

/// The tokens of a source with their lines. Comments, characters and lifetimes are left out.
pub fn tokens(source: &str) -> Vec<(usize, Token)> {
    let mut tokens = Vec::new();
    let mut rest = source;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let size = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some((size, text)) = string(rest) {
            tokens.push((line, Token::Text(text.to_owned())));
            size
        } else if first == '\'' {
            character(rest)
        } else if is_word(first) {
            let word = rest.strip_prefix("r#").unwrap_or(rest);
            let size = word.find(|c| !is_word(c)).unwrap_or(word.len());
            tokens.push((line, Token::Word(word[..size].to_owned())));
            size + rest.len() - word.len()
        } else if rest.starts_with("::") {
            tokens.push((line, Token::Sign("::")));
            2
        } else {
            let signs = ["{", "}", ",", ";", "*", "<"];
            let sign = signs.into_iter().find(|sign| rest.starts_with(sign));
            if !first.is_whitespace() {
                tokens.push((line, Token::Sign(sign.unwrap_or("other"))));
            }
            first.len_utf8()
        };
        line += rest[..size].matches('\n').count();
        rest = &rest[size..];
    }
    tokens
}

/// Bytes of a comment that begins here; comments nest.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let step = match text.as_bytes()[at..] {
            [b'/', b'*', ..] => 1,
            [b'*', b'/', ..] => -1,
            _ => 0,
        };
        depth += step;
        at += if step == 0 { 1 } else { 2 };
        if depth == 0 {
            break;
        }
    }
    at
}

/// Bytes and contents of a string that begins here, of whichever kind.
fn string(text: &str) -> Option<(usize, &str)> {
    let body = text.trim_start_matches(['b', 'c']);
    if text.len() - body.len() > 1 {
        return None;
    }
    let hashes = body
        .strip_prefix('r')
        .map(|raw| raw.len() - raw.trim_start_matches('#').len());
    let open = hashes.map_or(1, |hashes| hashes + 2);
    if body.as_bytes().get(open - 1) != Some(&b'"') {
        return None;
    }
    let inside = &body[open..];
    let len = match hashes {
        Some(hashes) => inside.find(&format!("\"{}", "#".repeat(hashes)))?,
        None => {
            let mut escaped = false;
            inside.find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            })?
        }
    };
    let size = text.len() - body.len() + open + len + 1 + hashes.unwrap_or(0);
    Some((size, &inside[..len]))
}

/// Bytes of a character, or of the apostrophe of a lifetime.
fn character(text: &str) -> usize {
    let mut characters = text.char_indices().skip(1);
    match (characters.next(), characters.next()) {
        (Some((_, '\\')), Some((after, _))) => {
            let escaped = after + 1;
            text[escaped..]
                .find('\'')
                .map_or(text.len(), |end| escaped + end + 1)
        }
        (Some(_), Some((end, '\''))) => end + 1,
        _ => 1,
    }
}

/// Every path that tokens name, with its line. Paths inside the crate begin with `crate`.
pub fn paths(tokens: &[(usize, Token)], file: &[String]) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    // Modules that are written out in the file, each with the depth of its braces.
    let mut inner: Vec<(usize, &str)> = Vec::new();
    let mut depth = 0;
    let mut at = 0;
    while let Some((line, token)) = tokens.get(at) {
        let after = tokens.get(at + 1).map(|(_, token)| token);
        let mut named = Vec::new();
        match token {
            Token::Sign("{") => depth += 1,
            Token::Sign("}") => {
                depth -= 1;
                inner.retain(|(outer, _)| *outer < depth);
            }
            Token::Word(word) if word == "mod" => {
                if let (Some(Token::Word(name)), Some((_, Token::Sign("{")))) = (after, tokens.get(at + 2)) {
                    inner.push((depth, name));
                }
            }
            Token::Word(word) if word == "use" && after != Some(&Token::Sign("<")) => {
                at += 1;
                use_tree(tokens, &mut at, &[], &mut named);
            }
            Token::Word(_) if after == Some(&Token::Sign("::")) => {
                named.push((*line, path(tokens, &mut at)));
            }
            _ => {}
        }
        let module = file
            .iter()
            .cloned()
            .chain(inner.iter().map(|(_, name)| (*name).to_owned()));
        let module: Vec<String> = module.collect();
        found.extend(
            named
                .into_iter()
                .map(|(line, path)| (line, resolved(&path, &module))),
        );
        at += 1;
    }
    found
}

/// The words of a path. Leaves `at` at its last token.
fn path(tokens: &[(usize, Token)], at: &mut usize) -> Vec<String> {
    let mut path = Vec::new();
    while let Some((_, Token::Word(word))) = tokens.get(*at) {
        path.push(word.clone());
        let goes_on = matches!(
            (tokens.get(*at + 1), tokens.get(*at + 2)),
            (Some((_, Token::Sign("::"))), Some((_, Token::Word(_))))
        );
        if !goes_on {
            break;
        }
        *at += 2;
    }
    path
}

/// The paths of a `use`, braces resolved. Leaves `at` behind it, before what ends it.
fn use_tree(
    tokens: &[(usize, Token)],
    at: &mut usize,
    before: &[String],
    found: &mut Vec<(usize, Vec<String>)>,
) {
    let mut path = before.to_vec();
    while let Some((line, token)) = tokens.get(*at) {
        match token {
            Token::Sign("::") => {}
            Token::Word(word) if word == "as" => *at += 1,
            Token::Word(word) => path.push(word.clone()),
            Token::Sign("*") => path.push("*".to_owned()),
            Token::Sign("{") => {
                while !matches!(tokens.get(*at), None | Some((_, Token::Sign("}")))) {
                    *at += 1;
                    use_tree(tokens, at, &path, found);
                }
                *at += 1;
                return;
            }
            _ => {
                if path.len() > before.len() {
                    found.push((*line, path));
                }
                return;
            }
        }
        *at += 1;
    }
}

/// A path from the crate's root where it leads there.
fn resolved(path: &[String], module: &[String]) -> Vec<String> {
    let mut words = path.iter().map(String::as_str).peekable();
    let mut full: Vec<String> = match words.peek() {
        Some(&"crate" | &"pgnfs") => {
            words.next();
            Vec::new()
        }
        Some(&"self" | &"super") => module.to_vec(),
        _ => return path.to_vec(),
    };
    for word in words {
        match word {
            "self" => {}
            "super" => {
                full.pop();
            }
            word => full.push(word.to_owned()),
        }
    }
    // Nothing behind `crate` is the root itself, which has nothing but modules.
    let rest = if full.is_empty() {
        vec!["*".to_owned()]
    } else {
        full
    };
    std::iter::once("crate".to_owned()).chain(rest).collect()
}

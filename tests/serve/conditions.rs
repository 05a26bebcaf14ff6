//! Headers of a request for a file that say something together: each pair and triple, and what RFC 9110 wants.

use super::client::Served;

const GAME: &str = "/files/a.pgn/games/000001-001000/000001.pgn";

const EARLIER: &str = "Sat, 01 Jan 2000 00:00:00 GMT";
const LATER: &str = "Fri, 31 Dec 2100 00:00:00 GMT";

/// What the headers of one request say; `None` where there is no such header.
#[derive(Clone, Debug, Default)]
struct Conditions {
    /// Whether the tag of `If-Match` is the file's.
    matches: Option<bool>,
    /// Whether the file has not changed since the time.
    unmodified: Option<bool>,
    none_match: Option<bool>,
    modified: Option<bool>,
    range: Option<Part>,
    /// Whether `If-Range` is of these bytes.
    if_range: Option<bool>,
    lines: Vec<String>,
}

/// What a range asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    First,
    Beyond,
}

impl Conditions {
    /// The status of the answer (sections 13.2.2 and 14.2).
    fn status(&self) -> u16 {
        let is_wanted = match (self.matches, self.unmodified) {
            (Some(matches), _) => matches,
            (None, unmodified) => unmodified.unwrap_or(true),
        };
        let is_known = match (self.none_match, self.modified) {
            (Some(matches), _) => matches,
            (None, modified) => modified == Some(false),
        };
        match self.range.filter(|_| self.if_range != Some(false)) {
            _ if !is_wanted => 412,
            _ if is_known => 304,
            None => 200,
            Some(Part::First) => 206,
            Some(Part::Beyond) => 416,
        }
    }
}

/// A header with a value, and what it says.
type Header = (String, fn(&mut Conditions));

#[test]
fn each_combination_of_conditions_has_the_answer_of_the_standard() {
    let served = Served::games(&[]);
    let first = served.get(GAME);
    let (tag, time) = (
        first.header("etag").to_owned(),
        first.header("last-modified").to_owned(),
    );
    let others = [
        vec![
            (
                format!("If-Match: {tag}"),
                (|own| own.matches = Some(true)) as fn(&mut Conditions),
            ),
            ("If-Match: *".to_owned(), |own| own.matches = Some(true)),
            // Weak tags are never the same here.
            (format!("If-Match: W/{tag}"), |own| own.matches = Some(false)),
            ("If-Match: \"x\"".to_owned(), |own| own.matches = Some(false)),
        ],
        vec![
            (format!("If-Unmodified-Since: {time}"), |own| {
                own.unmodified = Some(true)
            }),
            (format!("If-Unmodified-Since: {LATER}"), |own| {
                own.unmodified = Some(true)
            }),
            (format!("If-Unmodified-Since: {EARLIER}"), |own| {
                own.unmodified = Some(false)
            }),
        ],
        vec![
            (format!("If-None-Match: \"x\", {tag}"), |own| {
                own.none_match = Some(true)
            }),
            (format!("If-None-Match: W/{tag}"), |own| {
                own.none_match = Some(true)
            }),
            ("If-None-Match: *".to_owned(), |own| own.none_match = Some(true)),
            ("If-None-Match: \"x\"".to_owned(), |own| {
                own.none_match = Some(false)
            }),
        ],
        vec![
            (format!("If-Modified-Since: {time}"), |own| {
                own.modified = Some(false)
            }),
            (format!("If-Modified-Since: {LATER}"), |own| {
                own.modified = Some(false)
            }),
            (format!("If-Modified-Since: {EARLIER}"), |own| {
                own.modified = Some(true)
            }),
        ],
        vec![
            ("Range: bytes=0-9".to_owned(), |own| own.range = Some(Part::First)),
            ("Range: bytes=999999-".to_owned(), |own| {
                own.range = Some(Part::Beyond)
            }),
        ],
        vec![
            (format!("If-Range: {tag}"), |own| own.if_range = Some(true)),
            (format!("If-Range: {time}"), |own| own.if_range = Some(false)),
            ("If-Range: \"x\"".to_owned(), |own| own.if_range = Some(false)),
            (format!("If-Range: {LATER}"), |own| own.if_range = Some(false)),
        ],
    ];
    let mut all = vec![Conditions::default()];
    for headers in &others as &[Vec<Header>] {
        let longer = all.iter().flat_map(|own| {
            headers.iter().map(|(line, says)| {
                let mut own = own.clone();
                says(&mut own);
                own.lines.push(line.clone());
                own
            })
        });
        let longer: Vec<Conditions> = longer.filter(|own| own.lines.len() <= 3).collect();
        all.extend(longer);
    }
    let mut seen = std::collections::BTreeMap::new();
    for (number, asked) in all.iter().enumerate() {
        // All pairs, and some of the triples in an ordinary run.
        if asked.lines.len() > 2 && !number.is_multiple_of(testkit::cases(5, 1) as usize) {
            continue;
        }
        let lines: Vec<&str> = asked.lines.iter().map(String::as_str).collect();
        let answer = served.ask("GET", GAME, &lines);
        let status = asked.status();
        assert_eq!(answer.status, status, "{lines:?}");
        let body = match status {
            200 => &first.body[..],
            206 => &first.body[..10],
            304 => &[],
            _ => &answer.body[..],
        };
        assert_eq!(answer.body, body, "{lines:?}");
        // The answer to HEAD has the same head, and no range: it is defined for GET alone.
        let without_range = Conditions {
            range: None,
            ..asked.clone()
        };
        let head = served.ask("HEAD", GAME, &lines);
        assert_eq!(
            (head.status, head.body.len()),
            (without_range.status(), 0),
            "HEAD {lines:?}"
        );
        *seen.entry(status).or_insert(0) += 1;
    }
    for status in [200, 206, 304, 412, 416] {
        assert!(seen[&status] > 10, "{seen:?}");
    }
}

//! Checks of requests: the name of the server, and the origin of the page that makes it.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::path::TreePath;

/// Headers that pages of other sites may send. Clients of Lichess send a token, and some send their name.
const HEADERS: &str = "authorization, accept, user-agent";

/// The directories of the tree whose entries are found by searching games.
const SEARCHES: &[&str] = &["search", "positions", "moves"];

/// The header in which a browser says whether a request comes from another site.
const SITE: &str = "sec-fetch-site";

/// Seconds for which a browser caches the answer to a preflight request.
const REMEMBERED: &str = "600";

/// The policy of the board and of listings.
const POLICY: &str = "default-src 'self'; frame-ancestors 'none'";

/// The policy of files, whose content is not trusted: no script runs, and only images and styles in the file itself
/// load.
const POLICY_OF_FILES: &str =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";

/// The hosts and origins whose requests are answered.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    /// Names that clients may use for the server, in small letters.
    pub hosts: Vec<String>,
    /// Origins of other sites whose pages may send requests.
    pub origins: Vec<String>,
    /// True if the server listens on all addresses, so that any IP address is accepted as its name.
    pub any_address: bool,
}

impl Guard {
    /// The answer to a request that is refused; `None` if it is allowed.
    pub(super) fn refuses(&self, path: &str, headers: &HeaderMap) -> Option<Response> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return Some((StatusCode::BAD_REQUEST, "one Host header is needed\n").into_response());
        };
        let host = host.to_str().unwrap_or_default().to_lowercase();
        if !self.is_server_name(&host) {
            let what = "this server does not have the name in the Host header: start it with --host NAME to allow it\n";
            return Some((StatusCode::MISDIRECTED_REQUEST, what).into_response());
        }
        let may_ask = match headers.get(header::ORIGIN) {
            Some(origin) => self.allows(origin, &host).is_some(),
            None => is_from_here(headers) || is_visit(path, headers),
        };
        (!may_ask).then(|| {
            let what = if headers.contains_key(header::ORIGIN) {
                "requests from pages of this origin are refused: start the server with --allow-origin ORIGIN to allow them\n"
            } else {
                "other sites may link to the board and to files, but not to searches: paste the address into the browser\n"
            };
            (StatusCode::FORBIDDEN, what).into_response()
        })
    }

    /// True for a name of the server, with any port or none: with a proxy or a container, clients use another port.
    fn is_server_name(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, digits)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        let address = name
            .trim_start_matches('[')
            .trim_end_matches(']')
            .parse::<IpAddr>();
        self.hosts.iter().any(|own| own == name || own == host) || self.any_address && address.is_ok()
    }

    /// The origin, if its pages may send requests.
    fn allows<'a>(&self, origin: &'a HeaderValue, host: &str) -> Option<&'a HeaderValue> {
        let text = origin.to_str().ok()?;
        let is_own = ["http://", "https://"]
            .iter()
            .any(|scheme| text.strip_prefix(scheme) == Some(host));
        (is_own || self.origins.iter().any(|allowed| allowed == text)).then_some(origin)
    }

    /// The answer to a browser's preflight request for a page of another site. Paths below `/files` get no such answer.
    pub(super) fn preflight(&self, method: &Method, path: &str, headers: &HeaderMap) -> Option<Response> {
        let is_preflight = method == Method::OPTIONS
            && headers.contains_key("access-control-request-method")
            && !path.starts_with("/files");
        is_preflight.then(|| {
            let mut response = StatusCode::NO_CONTENT.into_response();
            let allowed = [
                ("access-control-allow-methods", "GET, HEAD"),
                ("access-control-allow-headers", HEADERS),
                ("access-control-allow-private-network", "true"),
                ("access-control-max-age", REMEMBERED),
            ];
            for (name, value) in allowed {
                let name = HeaderName::from_static(name);
                response
                    .headers_mut()
                    .insert(name, HeaderValue::from_static(value));
            }
            response
        })
    }

    /// Adds the headers that every answer has for browsers.
    pub(super) fn finish(&self, path: &str, asked: &HeaderMap, response: &mut Response) {
        let host = asked.get(header::HOST).and_then(|host| host.to_str().ok());
        let host = host.unwrap_or_default().to_lowercase();
        let origin = asked
            .get(header::ORIGIN)
            .and_then(|origin| self.allows(origin, &host));
        let headers = response.headers_mut();
        let is_file = path.starts_with("/files/") && !path.ends_with('/');
        let policy = if is_file { POLICY_OF_FILES } else { POLICY };
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
        headers.insert(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        );
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        let resources = HeaderName::from_static("cross-origin-resource-policy");
        let (sharing, from) = match origin {
            Some(origin) => ("cross-origin", Some(origin)),
            None => ("same-origin", None),
        };
        headers.insert(resources, HeaderValue::from_static(sharing));
        if !self.origins.is_empty() {
            headers.append(header::VARY, HeaderValue::from_static("Origin"));
        }
        if let Some(from) = from {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, from.clone());
        }
    }
}

/// False if the browser says that the request comes from a page of another site. Images, scripts and `no-cors` requests
/// of such a page have no `Origin`, but the page can measure how long they take. Browsers send this header only to
/// addresses that they trust: to this machine, and to `https` addresses.
fn is_from_here(headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all(SITE).iter();
    sites.all(|site| site == "none" || site == "same-origin")
}

/// True if a user follows a link to the board or to a file, so that it opens as a page of its own.
///
/// A page can open such a link itself, and measure when it has opened. So links to files open only those that need no
/// search. The board opens before it searches.
fn is_visit(path: &str, headers: &HeaderMap) -> bool {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|own| own == value);
    let is_page = path == "/" || path.strip_prefix("/files").is_some_and(is_without_search);
    is_page && is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document")
}

/// True if a path of the tree can be found without a search.
fn is_without_search(address: &str) -> bool {
    let is_search = |name: &String| SEARCHES.contains(&name.as_str());
    TreePath::read(address).is_some_and(|path| !path.names.iter().any(is_search))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard {
            hosts: ["127.0.0.1", "localhost", "nas.local"]
                .map(str::to_owned)
                .to_vec(),
            origins: vec!["tauri://localhost".to_owned()],
            any_address: false,
        }
    }

    fn status(guard: &Guard, headers: &[(&str, &str)]) -> Option<u16> {
        status_of(guard, "/masters", headers)
    }

    fn status_of(guard: &Guard, path: &str, headers: &[(&str, &str)]) -> Option<u16> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(
                HeaderName::try_from(*name).unwrap(),
                HeaderValue::from_str(value).unwrap(),
            );
        }
        let refused = guard.refuses(path, &map);
        refused.map(|response| response.status().as_u16())
    }

    #[test]
    fn only_own_names_are_answered() {
        let guard = guard();
        for own in [
            "127.0.0.1:9002",
            "localhost:9002",
            "LOCALHOST:9002",
            "localhost",
            "nas.local",
            "nas.local:443",
            "127.0.0.1:8080",
        ] {
            assert_eq!(status(&guard, &[("host", own)]), None, "{own}");
        }
        for other in [
            "evil.example",
            "evil.example:9002",
            "127.0.0.2:9002",
            "",
            "[::1]:9002",
            "localhost.evil:9002",
        ] {
            assert_eq!(status(&guard, &[("host", other)]), Some(421), "{other}");
        }
        assert_eq!(status(&guard, &[]), Some(400));
        assert_eq!(
            status(&guard, &[("host", "localhost"), ("host", "localhost")]),
            Some(400)
        );
        let everywhere = Guard {
            any_address: true,
            ..guard
        };
        for address in [
            "192.168.1.7:9002",
            "192.168.1.7:8080",
            "[fe80::1]:9002",
            "10.0.0.1",
        ] {
            assert_eq!(status(&everywhere, &[("host", address)]), None, "{address}");
        }
        assert_eq!(status(&everywhere, &[("host", "evil.example:9002")]), Some(421));
    }

    #[test]
    fn pages_elsewhere_may_not_ask_unless_they_are_allowed() {
        let from = |origin| status(&guard(), &[("host", "localhost:9002"), ("origin", origin)]);
        assert_eq!(from("http://localhost:9002"), None);
        assert_eq!(from("tauri://localhost"), None);
        for other in [
            "null",
            "https://evil.example",
            "http://localhost:9003",
            "tauri://localhost.evil",
        ] {
            assert_eq!(from(other), Some(403), "{other}");
        }
    }

    /// A text that differs from an allowed text by one character (added, removed or replaced) is refused.
    #[test]
    fn an_origin_or_a_name_is_compared_as_a_whole() {
        let guard = Guard {
            hosts: ["localhost", "nas.local", "127.0.0.1"]
                .map(str::to_owned)
                .to_vec(),
            origins: [
                "http://localhost:3000",
                "https://lichess.org",
                "tauri://localhost",
            ]
            .map(str::to_owned)
            .to_vec(),
            any_address: false,
        };
        let other_texts = |text: &str| {
            let mut others = vec![
                text[1..].to_owned(),
                text[..text.len() - 1].to_owned(),
                text.to_uppercase(),
            ];
            for character in ["0", "9", "a", ".", "/", ":", " ", "@", "x."] {
                others.extend([format!("{text}{character}"), format!("{character}{text}")]);
            }
            for at in 0..text.len() {
                others.push(format!("{}~{}", &text[..at], &text[at + 1..]));
            }
            others
        };
        let from = |origin: &str| status(&guard, &[("host", "localhost:9002"), ("origin", origin)]);
        let own = ["http://localhost:9002", "https://localhost:9002"];
        let allowed = guard.origins.iter().map(String::as_str).chain(own);
        let mut refused = 0;
        for origin in allowed.clone() {
            assert_eq!(from(origin), None, "{origin}");
            for other in other_texts(origin) {
                let is_allowed = allowed.clone().any(|allowed| allowed == other);
                assert_eq!(from(&other), if is_allowed { None } else { Some(403) }, "{other}");
                refused += usize::from(!is_allowed);
            }
        }
        assert!(refused > 150, "{refused}");
        for name in &guard.hosts {
            assert_eq!(status(&guard, &[("host", name)]), None, "{name}");
            for other in other_texts(name) {
                // A port may follow, and letters may be capital.
                let is_name = other.eq_ignore_ascii_case(name) || other == format!("{name}:");
                let wanted = if is_name { None } else { Some(421) };
                assert_eq!(status(&guard, &[("host", &other)]), wanted, "{other}");
            }
        }
    }

    #[test]
    fn requests_that_a_browser_makes_for_other_pages_are_refused() {
        let own = guard();
        let of = |path: &str, more: &[(&str, &str)]| {
            let host = [("host", "localhost:9002")];
            status_of(&own, path, &[&host[..], more].concat())
        };
        for path in [
            "/",
            "/files/",
            "/files/a.pgn/all.pgn",
            "/api/games",
            "/in/x/masters",
        ] {
            assert_eq!(of(path, &[]), None, "{path}");
            for (site, refused) in [
                ("none", None),
                ("same-origin", None),
                ("same-site", Some(403)),
                ("cross-site", Some(403)),
                ("", Some(403)),
                ("Same-Origin", Some(403)),
            ] {
                assert_eq!(of(path, &[("sec-fetch-site", site)]), refused, "{path} {site}");
                let twice = [("sec-fetch-site", "none"), ("sec-fetch-site", site)];
                assert_eq!(of(path, &twice), refused, "{path} {site}");
            }
            let allowed = [("sec-fetch-site", "cross-site"), ("origin", "tauri://localhost")];
            assert_eq!(of(path, &allowed), None, "{path}");
            let other = [("sec-fetch-site", "none"), ("origin", "https://evil.example")];
            assert_eq!(of(path, &other), Some(403), "{path}");
            // A link that a user follows.
            for (mode, dest, is_visit) in [
                ("navigate", "document", true),
                ("navigate", "iframe", false),
                ("no-cors", "document", false),
                ("no-cors", "script", false),
                ("no-cors", "empty", false),
            ] {
                let headers = [
                    ("sec-fetch-site", "cross-site"),
                    ("sec-fetch-mode", mode),
                    ("sec-fetch-dest", dest),
                ];
                let answered = is_visit && (path == "/" || path.starts_with("/files/"));
                assert_eq!(of(path, &headers).is_none(), answered, "{path} {mode} {dest}");
            }
        }
    }
}

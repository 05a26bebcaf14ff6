//! Views that users add, whose names no section may have.

use std::fmt;
use std::sync::Arc;

use super::inode::MOST_VIEWS;
use super::layout::Layout;
use super::rows::ROWS;
use super::template::TemplateError;
use super::views::{TemplateView, VIEWS};
use chessdb_library::library::{LONGEST_NAME, cut, safe_name};

/// Why a view cannot be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewError {
    /// The `=` between name and template is missing.
    NoTemplate,
    /// The name is not valid for a directory.
    BadName,
    /// Another view or entry has this name.
    TakenName,
    /// The template is invalid.
    Template(TemplateError),
    /// The maximum number of views is reached.
    TooMany,
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ViewError::NoTemplate => {
                f.write_str("write it as NAME=TEMPLATE, such as openings=%{eco}/%{white}")
            }
            ViewError::BadName => write!(
                f,
                "its name must be a valid name of a directory: not empty, without / and \\, at most {LONGEST_NAME} bytes"
            ),
            ViewError::TakenName => f.write_str("its name is already used; choose another"),
            ViewError::Template(error) => error.fmt(f),
            ViewError::TooMany => write!(
                f,
                "at most {} views of your own are possible",
                MOST_VIEWS - VIEWS.len()
            ),
        }
    }
}

impl std::error::Error for ViewError {}

impl Layout {
    /// Adds a view in the form `NAME=TEMPLATE`.
    ///
    /// # Errors
    /// If name or template is invalid, the name is taken, or there are too many views.
    pub fn add_view(&mut self, text: &str) -> Result<(), ViewError> {
        let (name, template) = text.split_once('=').ok_or(ViewError::NoTemplate)?;
        if safe_name(name) != name || cut(name, LONGEST_NAME) != name {
            return Err(ViewError::BadName);
        }
        let is_taken = ROWS
            .iter()
            .any(|row| row.names.iter().any(|taken| taken.0 == name));
        if is_taken || self.views().any(|(_, view)| view.name() == name) {
            return Err(ViewError::TakenName);
        }
        if VIEWS.len() + self.own_views.len() >= MOST_VIEWS {
            return Err(ViewError::TooMany);
        }
        let view = TemplateView::parse(name, template).map_err(ViewError::Template)?;
        self.own_views.push(Arc::new(view));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_views_are_checked() {
        let mut layout = Layout::default();
        assert_eq!(layout.add_view("days=%{date}"), Ok(()));
        for (view, error) in [
            ("days=%{date}", ViewError::TakenName),
            ("players=%{date}", ViewError::TakenName),
            ("tables=%{date}", ViewError::TakenName),
            ("%{date}", ViewError::NoTemplate),
            ("=%{date}", ViewError::BadName),
            ("..=%{date}", ViewError::BadName),
            ("a/b=%{date}", ViewError::BadName),
            (&format!("{}=%{{date}}", "é".repeat(121)), ViewError::BadName),
        ] {
            assert_eq!(layout.add_view(view), Err(error), "{view}");
        }
        assert!(matches!(layout.add_view("x="), Err(ViewError::Template(_))));
        assert_eq!(layout.views().count(), VIEWS.len() + 1);
    }

    #[test]
    fn there_are_as_many_views_as_inodes_allow() {
        let mut layout = Layout::default();
        for number in 1..=27 {
            assert_eq!(layout.add_view(&format!("v{number}=%{{date}}")), Ok(()));
        }
        assert_eq!(layout.add_view("one more=%{date}"), Err(ViewError::TooMany));
        let error = ViewError::TooMany.to_string();
        assert!(error.contains("27 views"), "{error}");
        for (id, view) in layout.views() {
            assert_eq!(
                layout.view(id).map(|view| view.name().to_owned()),
                Some(view.name().to_owned())
            );
        }
    }
}

//! Views that users add, whose names no section may have.

use std::sync::Arc;

use super::inode::MOST_VIEWS;
use super::layout::{Layout, LayoutError};
use super::rows::ROWS;
use super::source::UNIQUE;
use super::views::{TemplateView, VIEWS};
use chessdb_library::library::{LONGEST_NAME, cut, safe_name};

impl Layout {
    /// Adds a view in the form `NAME=TEMPLATE`.
    ///
    /// # Errors
    /// If name or template is invalid, the name is taken, or there are too many views.
    pub fn add_view(&mut self, text: &str) -> Result<(), LayoutError> {
        let form = "NAME=TEMPLATE, such as openings=%{eco}/%{white}";
        let (name, template) = text.split_once('=').ok_or(LayoutError::NoValue(form))?;
        if safe_name(name) != name || cut(name, LONGEST_NAME) != name {
            return Err(LayoutError::BadName("/ and \\"));
        }
        let is_taken = ROWS
            .iter()
            .any(|row| row.names.iter().any(|taken| taken.0 == name));
        if is_taken || name == UNIQUE || self.views().any(|(_, view)| view.name() == name) {
            return Err(LayoutError::TakenName);
        }
        if VIEWS.len() + self.own_views.len() >= MOST_VIEWS {
            let most = MOST_VIEWS - VIEWS.len();
            return Err(LayoutError::TooMany(most, "views of your own"));
        }
        let view = TemplateView::parse(name, template).map_err(LayoutError::Template)?;
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
            ("days=%{date}", "its name is already used"),
            ("players=%{date}", "its name is already used"),
            ("tables=%{date}", "its name is already used"),
            ("unique=%{date}", "its name is already used"),
            ("%{date}", "write it as NAME=TEMPLATE"),
            ("=%{date}", "its name must be a valid name of a directory"),
            ("..=%{date}", "its name must be a valid name of a directory"),
            ("a/b=%{date}", "without / and \\, at most"),
            (&format!("{}=%{{date}}", "é".repeat(121)), "at most 240 bytes"),
        ] {
            let found = layout.add_view(view).unwrap_err().to_string();
            assert!(found.contains(error), "{view}: {found}");
        }
        assert!(matches!(layout.add_view("x="), Err(LayoutError::Template(_))));
        assert_eq!(layout.views().count(), VIEWS.len() + 1);
    }

    #[test]
    fn there_are_as_many_views_as_inodes_allow() {
        let mut layout = Layout::default();
        for number in 1..=27 {
            assert_eq!(layout.add_view(&format!("v{number}=%{{date}}")), Ok(()));
        }
        let error = layout.add_view("one more=%{date}").unwrap_err().to_string();
        assert_eq!(error, "at most 27 views of your own are possible");
        for (id, view) in layout.views() {
            assert_eq!(
                layout.view(id).map(|view| view.name().to_owned()),
                Some(view.name().to_owned())
            );
        }
    }
}

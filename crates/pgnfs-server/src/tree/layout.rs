//! What users can configure in the tree: their own views, and the names of games.

use std::fmt;
use std::sync::Arc;

use super::inode::ViewId;
use super::names::GameName;
use super::template::TemplateError;
use super::views::{BuiltInView, ECO_BY_MOVES, TemplateView, VIEWS, View};
use chessdb_library::library::{LONGEST_NAME, cut, safe_name};
use chessdb_library::query::{Query, QueryError};
use chessdb_library::repertoire::RepertoireError;
use chessdb_library::spelling::Spelling;

/// Maximum number of searches that are listed.
const MOST_SEARCHES: usize = 27;

/// Layout of a database's directory. The default has only the built-in views.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    pub(super) own_views: Vec<Arc<TemplateView>>,
    game_name: GameName,
    searches: Vec<NamedSearch>,
    leaves_out_positions: bool,
    spelling: Spelling,
    has_eco_by_moves: bool,
}

/// Why a view or a search cannot be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayoutError {
    /// The `=` after the name is missing, or what follows it; has the form.
    NoValue(&'static str),
    /// The name is not valid for a directory, or could be a query; has the characters that it may not have.
    BadName(&'static str),
    /// Another view, search or entry has this name.
    TakenName,
    /// The template of a view is invalid.
    Template(TemplateError),
    /// The query of a search is wrong.
    Query(QueryError),
    /// The limit is reached: this many, of these.
    TooMany(usize, &'static str),
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutError::NoValue(form) => write!(f, "write it as {form}"),
            LayoutError::BadName(denied) => write!(
                f,
                "its name must be a valid name of a directory: not empty, without {denied}, at most {LONGEST_NAME} bytes"
            ),
            LayoutError::TakenName => f.write_str("its name is already used; choose another"),
            LayoutError::Template(error) => error.fmt(f),
            LayoutError::Query(error) => error.fmt(f),
            LayoutError::TooMany(most, of) => write!(f, "at most {most} {of} are possible"),
        }
    }
}

impl std::error::Error for LayoutError {}

impl Layout {
    /// Adds a search in the form `NAME=QUERY` to `search/` in every directory.
    ///
    /// # Errors
    /// If name or query is invalid, the name is taken, or there are too many searches.
    pub fn add_search(&mut self, text: &str) -> Result<(), LayoutError> {
        let named = text.split_once('=').filter(|(_, query)| !query.trim().is_empty());
        let form = "NAME=QUERY, such as najdorf=eco:B9 white_elo:2600..";
        let (name, query) = named.ok_or(LayoutError::NoValue(form))?;
        let is_name = safe_name(name) == name && cut(name, LONGEST_NAME) == name && !name.contains(':');
        if !is_name {
            return Err(LayoutError::BadName("/, \\ and :"));
        }
        if name == SYNTAX_FILE || self.searches.iter().any(|other| other.name == name) {
            return Err(LayoutError::TakenName);
        }
        if self.searches.len() >= MOST_SEARCHES {
            return Err(LayoutError::TooMany(MOST_SEARCHES, "searches"));
        }
        let parsed = Query::parse(query).map_err(LayoutError::Query)?;
        self.searches.push(NamedSearch {
            name: name.to_owned(),
            text: query.to_owned(),
            query: Arc::new(parsed),
        });
        Ok(())
    }

    /// The searches that `search/` lists.
    pub fn searches(&self) -> &[NamedSearch] {
        &self.searches
    }

    /// Leaves out `moves/` and `positions/`, which need an index.
    pub fn leave_out_positions(&mut self) {
        self.leaves_out_positions = true;
    }

    /// Joins spellings of players in views and in the tables of all databases.
    pub fn spell(&mut self, spelling: Spelling) {
        self.spelling = spelling;
    }

    /// Which spellings of players are joined.
    pub fn spelling(&self) -> &Spelling {
        &self.spelling
    }

    /// Whether `eco/` has games without an ECO code by the opening of their moves.
    pub fn sort_eco_by_moves(&mut self, is_wanted: bool) {
        self.has_eco_by_moves = is_wanted;
    }

    /// True if `eco/` has the games without an ECO code by the opening of their moves.
    pub fn has_eco_by_moves(&self) -> bool {
        self.has_eco_by_moves
    }

    /// True if the tree has `moves/` and `positions/`.
    pub(super) fn has_positions(&self) -> bool {
        !self.leaves_out_positions
    }

    /// Sets the template for names of games.
    ///
    /// # Errors
    /// See `GameName::parse`.
    pub fn name_games(&mut self, template: &str) -> Result<(), TemplateError> {
        self.game_name = GameName::parse(template)?;
        Ok(())
    }

    /// The template for names of games in views.
    pub fn game_name(&self) -> &GameName {
        &self.game_name
    }

    /// All views with their ids.
    pub fn views(&self) -> impl Iterator<Item = (ViewId, View)> {
        let own = self.own_views.iter().map(|view| View::Own(Arc::clone(view)));
        let built_in = VIEWS.iter().map(|view| self.built_in(view));
        (0..).map(ViewId).zip(built_in.chain(own))
    }

    /// The view with this id.
    pub fn view(&self, id: ViewId) -> Option<View> {
        match (VIEWS.get(id.index()), id.index().checked_sub(VIEWS.len())) {
            (Some(view), _) => Some(self.built_in(view)),
            (None, own) => self.own_views.get(own?).map(|view| View::Own(Arc::clone(view))),
        }
    }

    /// A row of [`VIEWS`], or the view that takes its place.
    fn built_in(&self, view: &'static BuiltInView) -> View {
        let is_replaced = self.has_eco_by_moves && view.name == ECO_BY_MOVES.name;
        View::BuiltIn(if is_replaced { &ECO_BY_MOVES } else { view })
    }
}

/// Name of the file that describes queries.
pub(super) const SYNTAX_FILE: &str = "syntax.txt";

/// Maximum length of a name in bytes.
const LONGEST: usize = 255;

/// The meaning of a name in `search/`.
pub enum SearchName {
    /// The directory of a search.
    Directory(NamedSearch),
    /// A link to the directory with this name.
    Link(String),
}

impl SearchName {
    /// Reads a name that is not listed.
    ///
    /// # Errors
    /// If it is no query.
    pub(super) fn read(name: &str) -> Result<SearchName, SearchRefusal> {
        let query = Query::parse_name(name).map_err(SearchRefusal::Query)?;
        if !query.has_fields() {
            return Err(SearchRefusal::NoField);
        }
        let canonical = query.name();
        Ok(if canonical == name || canonical.len() > LONGEST {
            SearchName::Directory(NamedSearch {
                name: name.to_owned(),
                text: name.to_owned(),
                query: Arc::new(query),
            })
        } else {
            SearchName::Link(canonical)
        })
    }
}

/// Why a name or a query is not a valid search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchRefusal {
    /// It has no field. File managers and shells look up such names by themselves.
    NoField,
    /// The query is invalid.
    Query(QueryError),
    /// This term names a repertoire, but no database that is searched has that name.
    NoRepertoire(String),
    /// Its repertoire cannot be used; has the reason.
    Repertoire(String),
}

impl fmt::Display for SearchRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchRefusal::NoField => f.write_str("a search needs a field, as in player:carlsen"),
            SearchRefusal::Query(error) => error.fmt(f),
            SearchRefusal::NoRepertoire(term) => write!(
                f,
                "{term}: no database here has this name; all/search/ has all databases"
            ),
            SearchRefusal::Repertoire(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for SearchRefusal {}

impl From<RepertoireError> for SearchRefusal {
    fn from(error: RepertoireError) -> SearchRefusal {
        match error {
            RepertoireError::Unknown(term) => SearchRefusal::NoRepertoire(term),
            error => SearchRefusal::Repertoire(error.to_string()),
        }
    }
}

/// A search with the name of its directory.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedSearch {
    /// Its name.
    pub name: String,
    /// The text of its query.
    pub text: String,
    /// What the search finds.
    pub query: Arc<Query>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_at_most_27_searches() {
        let mut layout = Layout::default();
        for number in 1..=27 {
            assert_eq!(layout.add_search(&format!("s{number}=result:1-0")), Ok(()));
        }
        assert_eq!(
            layout.add_search("one-more=result:1-0"),
            Err(LayoutError::TooMany(27, "searches"))
        );
    }

    #[test]
    fn a_link_leads_to_a_name_of_at_most_255_bytes() {
        for (len, is_link) in [(254, true), (255, true), (256, false)] {
            let name = format!("player:{}", "X".repeat(len - "player:".len()));
            let canonical = name.replace('X', "x");
            let Ok(search) = SearchName::read(&name) else {
                panic!("{len}")
            };
            let leads_there = matches!(search, SearchName::Link(name) if name == canonical);
            assert_eq!(leads_there, is_link, "{len}");
        }
    }
}

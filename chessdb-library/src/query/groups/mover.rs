//! Whose move it is.

use chessdb::board::Color;

use super::reflection::Reflection;

/// The side to move at the positions of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mover {
    /// White; Black in an image with sides and colours exchanged.
    White,
    /// Black; likewise.
    Black,
    /// The player of whom a query speaks, in all images.
    Player,
    /// The other side.
    Opponent,
}

impl Mover {
    const NAMES: [(&str, Mover); 4] = [
        ("white", Mover::White),
        ("black", Mover::Black),
        ("player", Mover::Player),
        ("opponent", Mover::Opponent),
    ];

    /// The side with a name.
    pub fn of_name(name: &str) -> Option<Mover> {
        let row = Mover::NAMES
            .iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(name));
        row.map(|(_, mover)| *mover)
    }

    /// The name of the side.
    pub fn name(self) -> &'static str {
        let row = Mover::NAMES.iter().find(|(_, mover)| *mover == self);
        row.map_or("", |(name, _)| name)
    }

    /// True if it depends on who the player is.
    pub fn is_of_player(self) -> bool {
        matches!(self, Mover::Player | Mover::Opponent)
    }

    /// The colour to move in the position itself, so that the side is to move in its image.
    pub(super) fn color(self, player: Color, reflection: Reflection) -> Color {
        match self {
            Mover::White => reflection.color(Color::White),
            Mover::Black => reflection.color(Color::Black),
            Mover::Player => player,
            Mover::Opponent => !player,
        }
    }
}

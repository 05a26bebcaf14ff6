//! Decoders: bytes of databases become the right games, and no bytes do harm.

mod board;
mod bounds;
mod by_content;
mod choices;
mod companions;
mod damage;
mod golden;
mod limits;
mod packed;
mod pgn;
mod roundtrip;
mod starts;
mod twice;

use testkit::harness::meter::Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

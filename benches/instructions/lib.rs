//! The benches are in `benches/instructions.rs`. Cargo wants a library or a program beside them.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pgnfs_fuzz::chess_assistant_records(bytes));

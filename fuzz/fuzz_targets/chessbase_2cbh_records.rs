#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pgnfs_fuzz::chessbase_2cbh_records(bytes));

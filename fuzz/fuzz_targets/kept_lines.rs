#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pgnfs_fuzz::kept_lines(bytes));

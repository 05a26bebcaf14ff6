# Counts the instructions of the inner loops and compares them with benches/instructions/counts.tsv, whose first
# line is the compiler. usage: count_instructions check|record
# shellcheck shell=bash

# A line for each bench: its name and the instructions of its part of the program, setup excluded.
counted='select(.kind == "LibraryBenchmark") | .profiles[0].data.total.metrics as $all
    | [.function_name + " " + .id, ($all | .. | .Ir? | select(. != null) | .values.new)] | @tsv'

count_instructions() {
    local counts=$root/benches/instructions/counts.tsv folder=$target/instructions/databases runner format
    need_package valgrind valgrind || exit 2
    need_package jq jq || exit 2
    # The library and its runner must have the same version.
    runner=$(sed -n '/^name = "gungraun-runner"$/{n;s/^version = "\(.*\)"$/\1/p;}' benches/instructions/Cargo.lock)
    if [[ $("$target/gungraun/bin/gungraun-runner" --version 2>/dev/null) != *" $runner" ]]; then
        say "installing gungraun-runner $runner in $target/gungraun"
        cargo install gungraun-runner --version "$runner" --locked --quiet --root "$target/gungraun" ||
            fail "gungraun-runner is missing. Install it with: cargo install gungraun-runner --version $runner"
    fi
    run cargo build --locked --quiet -p testkit --example make_database
    rm -rf -- "$folder"
    mkdir -p -- "$folder"
    for format in simplecdb chessbase chessbase-cbh chessbase-2cbh chess-assistant jose brenner scid; do
        "$target/debug/examples/make_database" --count 500 "$format" "$folder/$format" examples/games/classics.pgn
    done
    for _ in {1..10}; do cat examples/games/classics.pgn; done >"$folder/pgn.pgn"
    (
        cd -- "$root/benches/instructions" || exit 1
        export PGNFS_DATABASES=$folder GUNGRAUN_RUNNER=$target/gungraun/bin/gungraun-runner
        export CARGO_TARGET_DIR=$target/instructions
        say "counting instructions"
        cargo bench --quiet -- --output-format=json >"$folder/counts.json"
    ) || fail "the benches did not run to their end"
    {
        rustc --version
        jq -r "$counted" "$folder/counts.json" | sort
    } >"$folder/counts.tsv"
    [[ $1 == check ]] || cp -- "$folder/counts.tsv" "$counts"
    compare_counts "$counts" "$folder/counts.tsv"
}

# Prints the counts of two files, and fails if the compiler is the same and one has grown by more than 2 %.
compare_counts() {
    awk -F '\t' '
        FNR == 1 { compiler[++files] = $0; next }
        files == 1 { before[$1] = $2; next }
        {
            change = $1 in before ? ($2 / before[$1] - 1) * 100 : 0
            printf "%-40s %14d %14d %+8.2f %%\n", $1, before[$1], $2, change
            if (change > 2) grown++
            seen[$1]
        }
        END {
            for (name in before) if (!(name in seen)) { print name ": not measured"; missing++ }
            if (compiler[1] != compiler[2])
                print "counted with " compiler[2] ", recorded with " compiler[1] ": the counts cannot be compared"
            else if (grown || missing)
                print grown + 0 " counts have grown by more than 2 %, " missing + 0 " are missing"
            exit compiler[1] == compiler[2] && (grown || missing) ? 1 : 0
        }' "$1" "$2"
}

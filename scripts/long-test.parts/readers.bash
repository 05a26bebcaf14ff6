#!/usr/bin/env bash
# Opens a mount in ChessX on a separate X server, through NFS, in Chromium (overview.html) and in Spark: ten minutes.
#
# usage: scripts/long-test readers [FOLDER]
#
# Needs root, and names what is missing. Screenshots are saved in FOLDER, or else in a temporary
# folder, for inspection. docs/readers.md describes what they should show.
set -euo pipefail

# shellcheck source=scripts/common.bash
. "$(dirname -- "${BASH_SOURCE[0]}")/../common.bash"
PATH=$PATH:/usr/games:/usr/sbin

[[ ${1-} != -* ]] || no_more "$@"
no_more "${@:2}"
[[ $(id -u) -eq 0 ]] || fail "it takes root to share a mount by NFS"
need_rust
need_package chessx chessx
need_package Xvfb xvfb
need_package xdotool xdotool
need_package import imagemagick
need_package ganesha.nfsd nfs-ganesha nfs-ganesha-vfs rpcbind
need_package nfs-cat libnfs-utils
need_package chromium chromium
need_package java default-jre-headless
spark=$target/spark
"$spark/bin/python3" -c 'import pyspark' 2>/dev/null ||
    fail "pyspark is missing. Install it with: python3 -m venv $spark && $spark/bin/pip install pyspark"

(cd -- "$root" && cargo build --locked -p pgnfs -p testkit --bin pgnfs --example make_database)
PATH=$target/debug:$PATH
place=$(mktemp -d "${TMPDIR:-/tmp}/pgnfs-readers.XXXXXX")
pictures=$(realpath -- "${1:-$place}")
started=()
clean_up() {
    for process in "${started[@]}"; do
        kill "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    pgnfs unmount "$place/mount" 2>/dev/null || true
}
trap clean_up EXIT
mkdir -p "$place/databases" "$place/mount" "$place/home" "$place/nfs" "$pictures"
(cd -- "$root" && for games in classics annotated; do
    "$target/debug/examples/make_database" simplecdb "$place/databases/$games" "examples/games/$games.pgn"
done)
cd -- "$place"
run env XDG_CACHE_HOME="$place/cache" pgnfs mount databases mount

say
say "ChessX opens a mounted file, and its fifth game is clicked at."
Xvfb -displayfd 3 -screen 0 1400x900x24 3>display 2>/dev/null &
started+=($!)
while [[ ! -s display ]]; do sleep 0.1; done
DISPLAY=:$(<display)
export DISPLAY
for games in classics annotated; do
    HOME=$place/home chessx "$place/mount/$games.dci/all.pgn" >/dev/null 2>&1 &
    chessx=$!
    started+=("$chessx")
    # ChessX asks once whether to download a database.
    asked=$(timeout 60 xdotool search --sync --onlyvisible --name '^(Load Database|all - ChessX)$' | head -n 1)
    sleep 3
    xdotool windowfocus "$asked" key Escape
    window=$(xdotool search --onlyvisible --name '^all - ChessX$' | head -n 1)
    xdotool windowsize "$window" 1400 860
    sleep 2
    import -window root "$pictures/chessx-$games-list.png"
    xdotool mousemove 945 814 click 1
    sleep 1
    xdotool mousemove 1000 560 click --repeat 2 --delay 80 1
    sleep 2
    import -window root "$pictures/chessx-$games.png"
    xdotool getwindowname "$window"
    kill "$chessx"
    wait "$chessx" 2>/dev/null || true
done

say
say "NFS-Ganesha shares the mount; every game is read through it after the kernel has dropped what it knew."
if ! pgrep -x rpcbind >/dev/null; then
    rpcbind -f &
    started+=($!)
fi
cat >nfs/conf <<END
NFS_CORE_PARAM { Protocols = 4; NFS_Port = 12049; Bind_addr = 127.0.0.1; Enable_NLM = false; Enable_RQUOTA = false; }
NFSv4 { Graceless = true; RecoveryBackend = fs; RecoveryRoot = $place/nfs; }
EXPORT { Export_Id = 77; Path = $place/mount; Pseudo = /chess; Access_Type = RO; Squash = No_Root_Squash;
         SecType = none, sys; Protocols = 4; Filesystem_Id = 7.7; Attr_Expiration_Time = 1;
         FSAL { Name = VFS; } }
END
ganesha.nfsd -F -f nfs/conf -L "$place/nfs/log" -p "$place/nfs/pid" &
started+=($!)
served=nfs://127.0.0.1/chess
how='nfsport=12049&version=4'
for _ in {1..100}; do
    nfs-ls "$served?$how" >/dev/null 2>&1 && break
    sleep 0.2
done
run nfs-ls "$served?$how"
same=0
for game in mount/*.dci/games/*/*.pgn mount/*.dci/all.pgn; do
    echo 2 >/proc/sys/vm/drop_caches
    nfs-cat "$served/${game#mount/}?$how" >copy.pgn
    cmp copy.pgn "$game"
    same=$((same + 1))
done
say "$same files are the same"

say
say "Chromium shows overview.html of a database and of all."
for page in all classics.dci; do
    cp "mount/$page/tables/overview.html" page.html
    chromium --headless --no-sandbox --disable-gpu --user-data-dir="$place/chromium" --enable-logging=stderr \
        --window-size=800,2600 --screenshot="$pictures/overview-${page%.dci}.png" "file://$place/page.html" 2>chromium.log
    if grep 'CONSOLE' chromium.log; then
        fail "$page/tables/overview.html has an error"
    fi
done

say
say "Spark reads parts of an export and a table in the mount: the program and the output of docs/tables.md."
# The page has a directory between its databases.
mkdir -p classics-and-studies/studies
cp databases/classics.* classics-and-studies/
cp databases/annotated.* classics-and-studies/studies/
for part in 1 2; do
    pgnfs export --to parquet --part "$part/2" --columns database,number,White,Black,year,plies \
        --output "games-$part.parquet" classics-and-studies
done
pgnfs unmount --lazy mount
pgnfs mount classics-and-studies mount
spark_block() {
    sed -n "/$1/,/^$/s/^    //p" "$root/docs/tables.md"
}
spark_block '^    from pyspark' >spark.py
diff <("$spark/bin/python3" spark.py 2>spark.log) <(spark_block '^    classics.dci ') || { cat spark.log; fail "Spark says something else"; }

say
say "The pictures are in $pictures. Remove $place when you have seen them."

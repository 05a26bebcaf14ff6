"""Sends requests to `pgnfs serve` that are made up, cut and bent, and looks at every answer.

usage: requests.py PGNFS FOLDER SECONDS [SEED]

An answer is wrong if it has an error of the server, breaks off before its length, says it is JSON and is not, lacks the
headers that keep scripts from running, or has a word that only stands outside the source. The server is wrong if it ends,
panics, does not answer a plain request within two seconds, or keeps threads, files or memory.
"""

import json
import random
import re
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Optional
from urllib.parse import quote

# Stands in a file beside the source, which no request may reach.
SECRET = "neverseenoutside"
GAMES = """[Event "Club <b>"]
[White "Tal, \\"M\\""]
[Black "Müller"]
[Date "1960.05.07"]
[Result "1-0"]
[ECO "B97"]
[WhiteElo "2700"]

1. e4 c5 2. Nf3 (2. c3 {[%clk 0:01:00] slow}) d6 3. d4 $1 1-0

[Event "x"]
[SetUp "1"]
[FEN "8/8/4k3/8/r7/4P3/4K3/7R w - - 0 1"]

1. Rh6+ *

"""
WORDS = [
    "", "0", "-1", "1", "12", "1000", "1001", "99999999999999999999", "NaN", "true", "white", "black", "player", "tal",
    "player:tal", "result:1-0", "( eco:B | played:e4 )", "played:*#", "fen:x", "line:e4", "text:slow", "moves:..5", "-elo",
    "date", "length", "database", "2024", "2024-06", "1952-01", "e2e4", "e2e4,c7c5", "e1g1", "0000", "rapid,blitz", "2000",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "8/8/8/8/8/8/8/8 w - - 0 1", "8/8/4k3/8/r7/4P3/4K3/7R w",
    "a.pgn", "all", "games", "search", "..", ".", "%00", "\\", "<script>", '"', "'", "é", "\u202e", "a" * 300, "A" * 5000,
]
NAMES = ["q", "db", "fen", "play", "sort", "from", "count", "path", "player", "colour", "color", "since", "until", "moves",
         "topGames", "recentGames", "speeds", "ratings", "modes", "history", "variant", "source", "x"]
ROUTES = ["/", "/api/databases", "/api/games", "/api/game", "/api/position", "/api/moves", "/api/query", "/api/prepare",
          "/api", "/masters", "/lichess", "/player", "/master", "/masters/pgn/abcd", "/board/main.js", "/listing.css", "/x"]
PARTS = ["all", "a.pgn", "b", "b/c.pgn", "info.txt", "games", "000001-001000", "000001.pgn", "search", "player:tal", "players",
         "moves", "e4", "positions", "tables", "games.csv", "all.pgn", "overview.html", "duplicates.csv", "games.parquet", "eco", "B"]
BENT = ["..", ".", "%2e%2e", "..%2f", "%00", "%", "%zz", "%c3%28", "\\", "%5c", "", "secret.txt", "/etc/passwd"]
METHODS = ["GET"] * 20 + ["HEAD", "HEAD", "PROPFIND", "PROPFIND", "OPTIONS", "POST", "PUT", "DELETE", "MKCOL", "LOCK", "TRACE", "X", "g\0t"]
RANGES = ["bytes=0-0", "bytes=-5", "bytes=5-", "bytes=9-5", "bytes=0-99999999999999999999", "bytes=" + ",".join(["0-1"] * 9),
          "bytes=0-1,3-4", "lines=1", "bytes=", "bytes=-0", "bytes=a-b"]
HEADERS = [("Depth", ["0", "1", "infinity", "-1", "x"]), ("Range", RANGES), ("If-None-Match", ["*", '"x"', "x"]),
           ("If-Range", ['"x"', "Sat, 01 Jan 2000 00:00:00 GMT"]), ("If-Modified-Since", ["Sat, 01 Jan 2000 00:00:00 GMT", "x"]),
           ("Accept", ["application/json", "text/html", "*/*;q=x", "\xff"]), ("Origin", ["null", "http://evil.example"]),
           ("Accept-Encoding", ["gzip", "identity;q=0"]), ("Authorization", ["Basic x", "Bearer y"]),
           ("Transfer-Encoding", ["chunked", "gzip"]), ("Content-Length", ["0", "5", "-1", "99999999999"]),
           ("Expect", ["100-continue"]), ("Host", ["evil.example", "localhost"]), ("X-Forwarded-For", ["1.2.3.4"]),
           ("Connection", ["close", "keep-alive", "upgrade"]), ("Overwrite", ["F"]), ("Destination", ["/files/x"])]
BODY = b'<?xml version="1.0"?><propfind xmlns="DAV:"><prop><getcontentlength/></prop></propfind>'


def place() -> str:
    if random.random() < 0.4:
        part = lambda: random.choice(BENT if random.random() < 0.1 else PARTS)
        top = random.choice(["all/", "a.pgn/", "b/c.pgn/", ""])
        path = "/files/" + top + "/".join(part() for _ in range(random.randint(0, 3)))
        return path + random.choice(["", "", "/", "//"])
    path = random.choice(ROUTES)
    if random.random() < 0.15:
        path = "/in/" + quote(random.choice(WORDS), safe="") + path
    given = [f"{random.choice(NAMES)}={quote(random.choice(WORDS), safe=',/')}" for _ in range(random.randint(0, 4))]
    return path + ("?" + random.choice(["&", "&", "&&", ";"]).join(given) if given else "")


def request(host: str) -> bytes:
    method = random.choice(METHODS)
    headers = [] if random.random() < 0.02 else [("Host", host)]
    for _ in range(random.choice([0, 0, 0, 0, 1, 1, 3])):
        name, values = random.choice(HEADERS)
        headers.append((name, random.choice(values)))
    body = BODY if method == "PROPFIND" and random.random() < 0.5 else b""
    if body:
        headers.append(("Content-Length", str(len(body))))
    lines = [f"{method} {place()} HTTP/1.1"] + [f"{name}: {value}" for name, value in headers]
    if random.random() < 0.9:
        lines.append("Connection: close")
    text = bytearray("\r\n".join(lines).encode("utf-8", "surrogatepass") + b"\r\n\r\n" + body)
    if random.random() < 0.25:
        for _ in range(random.randint(1, 4)):
            at = random.randrange(len(text))
            bend = random.randrange(4)
            if bend == 0:
                text[at] = random.randrange(256)
            elif bend == 1:
                del text[at : at + random.randint(1, 20)]
            elif bend == 2:
                text[at:at] = random.randbytes(random.randint(1, 20))
            else:
                text[at:at] = text[at // 2 : at]
            if not text:
                return b"\n"
    return bytes(text)


def answer(address: tuple[str, int], sent: bytes, patience: float, leaves: bool = False) -> Optional[bytes]:
    """All bytes of the answer; `None` if none came. A client that leaves does not wait for it."""
    with socket.create_connection(address, timeout=5) as client:
        client.settimeout(patience)
        received = b""
        try:
            client.sendall(sent)
            if leaves:
                return None
            while some := client.recv(1 << 16):
                received += some
        except (TimeoutError, ConnectionError):
            pass
        return received or None


def wrong(sent: bytes, received: bytes, source: str) -> Optional[str]:
    """What is wrong with an answer, if anything is."""
    received = received.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")
    head, _, body = received.partition(b"\r\n\r\n")
    status = re.match(rb"HTTP/1\.[01] (\d{3}) ", head)
    if not status:
        return "no status"
    code = int(status[1])
    if code >= 500 and code != 503:
        return f"status {code}"
    if SECRET.encode() in received or source.encode() in received:
        return "shows what is outside"
    headers = {}
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        headers[name.lower().decode("latin-1")] = value.strip().decode("latin-1")
    # What is no request at all is refused before anything is known of it.
    if code in (400, 431, 414) and "content-security-policy" not in headers:
        return None
    if headers.get("x-content-type-options") != "nosniff" or "content-security-policy" not in headers:
        return "lacks headers"
    is_without_body = sent.startswith(b"HEAD") or code in (204, 304) or code < 200
    is_single = received.count(b"HTTP/1.1 ") == 1
    if "content-length" in headers and not is_without_body and is_single:
        if len(body) != int(headers["content-length"]):
            return f"has {len(body)} of {headers['content-length']} bytes"
        if headers.get("content-type") == "application/json":
            json.loads(body)
    return None


def used(pid: int) -> tuple[int, int, int]:
    """Threads, open files, and resident memory in MiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    number = lambda name: int(re.search(rf"{name}:\s+(\d+)", status)[1])
    return number("Threads"), len(list(Path(f"/proc/{pid}/fd").iterdir())), number("VmRSS") // 1024


def main() -> None:
    program, folder, seconds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else time.time_ns() % 1_000_000
    random.seed(seed)
    print(f"seed {seed}", flush=True)
    source = folder / "source"
    (source / "b").mkdir(parents=True)
    (source / "a.pgn").write_text(GAMES, "utf-8")
    (source / "b" / "c.pgn").write_text(GAMES * 40, "utf-8")
    (folder / "secret.txt").write_text(SECRET)
    log = folder / "log"
    command = [program, "serve", "--listen=127.0.0.1:0", "--cache-dir=none", str(source)]
    with log.open("wb") as errors, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors) as serving:
        try:
            host = serving.stdout.readline().decode().strip().removeprefix("http://").rstrip("/")
            name, port = host.split(":")
            address = (name, int(port))
            plain = f"GET /api/games HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
            end, sent_all, faults, codes = time.monotonic() + seconds, 0, 0, {}
            pool = ThreadPoolExecutor(8)
            while time.monotonic() < end and faults < 10:
                many = [request(host) for _ in range(100)]
                answers = list(pool.map(lambda sent: answer(address, sent, 0.7, random.random() < 0.02), many))
                sent_all += len(many)
                for sent, received in zip(many, answers):
                    code = received[9:12].decode("latin-1") if received else "none"
                    codes[code] = codes.get(code, 0) + 1
                    if received and (fault := wrong(sent, received, str(source))):
                        faults += 1
                        print(f"{fault}\n  {sent!r}\n  {received[:600]!r}", flush=True)
                begin = time.monotonic()
                received = answer(address, plain, 5) or b""
                if not received.startswith(b"HTTP/1.1 200") or time.monotonic() - begin > 2:
                    faults += 1
                    print(f"a plain request is not answered: {received[:300]!r}")
                if serving.poll() is not None or b"panicked" in log.read_bytes():
                    print("the server has ended or panicked")
                    faults = 10
                    break
                threads, files, memory = used(serving.pid)
                if threads > 60 or files > 200 or memory > 800:
                    faults += 1
                    print(f"{threads} threads, {files} files, {memory} MiB")
            threads, files, memory = used(serving.pid)
            print(f"{sent_all} requests, {faults} wrong; answers {dict(sorted(codes.items()))}")
            print(f"{threads} threads, {files} files, {memory} MiB in the end")
        finally:
            serving.terminate()
    print(log.read_text(errors="replace")[-2000:])
    sys.exit(faults > 0)


main()

"""Types a session into a terminal and draws what the terminal shows.

usage: terminal.py SESSION PICTURE.svg

Each line of SESSION is run by sh in a terminal of 80 columns. One that fails ends the program.
"""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path
from xml.sax.saxutils import escape

COLUMNS, ROWS = 80, 24
# Of a letter and of a line, in pixels.
WIDTH, HEIGHT, SIZE = 8.4, 19, 14
MARGIN = 18


def shown(command: str) -> list[str]:
    """The lines that a command prints on a terminal."""
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    # Without the progress bars, which a person sees only while they move.
    errors = tempfile.TemporaryFile()
    program = subprocess.Popen(["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=end, stderr=errors)
    os.close(end)
    text = b""
    while True:
        try:
            read = os.read(terminal, 4096)
        except OSError:  # Nobody has the other end any more.
            break
        if not read:
            break
        text += read
    os.close(terminal)
    if program.wait() != 0:
        errors.seek(0)
        sys.exit(f"{command}: {errors.read().decode()}")
    lines = text.decode().replace("\r\n", "\n").rstrip("\n").expandtabs().split("\n")
    assert all("\x1b" not in line and len(line) <= COLUMNS for line in lines), lines
    return [line.rstrip() for line in lines] if any(lines) else []


def main() -> None:
    session, picture = Path(sys.argv[1]), Path(sys.argv[2])
    rows: list[tuple[str, str]] = []
    for command in session.read_text(encoding="utf-8").splitlines():
        rows.append(("typed", command))
        rows.extend(("printed", line) for line in shown(command))
    width = round(2 * MARGIN + COLUMNS * WIDTH)
    height = 2 * MARGIN + len(rows) * HEIGHT
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        "<style>",
        f"text {{ font: {SIZE}px 'DejaVu Sans Mono', Menlo, Consolas, monospace; white-space: pre; }}",
        ".typed { fill: #ffffff; font-weight: bold; } .prompt { fill: #8ae234; } .printed { fill: #d3d7cf; }",
        "</style>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#22272e"/>',
    ]
    for number, (kind, line) in enumerate(rows):
        y = MARGIN + (number + 1) * HEIGHT - 5
        prompt = '<tspan class="prompt">$ </tspan>' if kind == "typed" else ""
        letters = len(line) + 2 * bool(prompt)
        if letters:
            place = f'x="{MARGIN}" y="{y}" textLength="{letters * WIDTH:.1f}"'
            drawn.append(f'<text class="{kind}" {place} xml:space="preserve">{prompt}{escape(line)}</text>')
    drawn.append("</svg>")
    picture.write_text("\n".join(drawn) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

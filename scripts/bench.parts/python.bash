# The Python package: headers, texts, tables and positions, compared with python-chess.
# shellcheck shell=bash

say
python=$target/python-bench
[[ -x $python/bin/python3 ]] || python3 -m venv "$python"
"$python/bin/python3" -m pip install --quiet --disable-pip-version-check 'maturin>=1.8,<2' chess==1.11.2 pyarrow
(
    cd python
    export VIRTUAL_ENV=$python PATH=$python/bin:$PATH CARGO_TARGET_DIR=$target
    run maturin develop --release --locked --quiet
)
run "$python/bin/python3" python/benches/figures.py "$source" | tee "$place/python"
grep '^[Pp]ython' "$place/python" >>"$table"

"""Progress as a bar of tqdm."""

from __future__ import annotations

from typing import Callable


def bar(total: int) -> Callable[[int, int], None]:
    """What a search calls with the number of games that have been read and that of all.

    The bar is a widget in a notebook and text elsewhere.

    Raises :class:`ImportError` with what to install.
    """
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError(
            f"progress=True needs tqdm ({error}): pip install tqdm, or give a function", name=error.name
        ) from error
    shown = tqdm(total=total, unit=" games", unit_scale=True)

    def show(done: int, total: int) -> None:
        shown.update(done - shown.n)
        if done == total:
            shown.close()

    return show

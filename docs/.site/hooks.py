"""Brings the pictures of ``screenshots/`` into the site: the pages link to them where they lie in the repository."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

PICTURES = Path(__file__).parents[2] / "screenshots"

KINDS = ("*.svg", "*.cast")


def on_files(files: Files, *, config: Any) -> Files:
    """Adds the pictures as if they lay beside the pages."""
    for kind in KINDS:
        for path in sorted(PICTURES.glob(kind)):
            files.append(File.generated(config, f"screenshots/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Points the pages to them."""
    return markdown.replace("](../screenshots/", "](screenshots/")

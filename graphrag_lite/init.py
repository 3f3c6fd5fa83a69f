"""Write the shipped defaults where a user can change them."""

from importlib import resources
from pathlib import Path

from graphrag_lite import settings, snapshots
from graphrag_lite.errors import OutputError


def shipped_prompts() -> dict[str, str]:
    """Return the shipped prompt files, by name: from the wheel, or from a checkout."""
    package = Path(str(resources.files("graphrag_lite")))
    folder = next(f for f in (package / "shipped" / "prompts", package.parent / "prompts") if f.is_dir())
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}


def write_defaults(folder: Path, *, force: bool) -> list[Path]:
    """Write settings.yaml and prompts/ into a folder, and return their paths.

    Raises OutputError, and writes nothing, where one of them is there already and `force` is not set.
    """
    files = {folder / "settings.yaml": settings.render()}
    files |= {folder / "prompts" / name: text for name, text in shipped_prompts().items()}
    there = [str(path) for path in files if path.exists()]
    if there and not force:
        raise OutputError(f"{', '.join(there)} would be overwritten. Use --force if you mean that.")
    with snapshots.writing(folder):
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            snapshots.write_text(path, text)
    return list(files)

"""Write the shipped defaults where a user can change them."""

from pathlib import Path

from graphrag_lite import prompts
from graphrag_lite.errors import OutputError
from graphrag_lite.ops.exported import write_output
from graphrag_lite.settings import file as settings_file


def write_defaults(folder: Path, *, force: bool) -> list[Path]:
    """Write settings.yaml and prompts/ into a folder, and return their paths.

    Raises OutputError, and writes nothing, where one of them is there already and `force` is not set.
    """
    if folder.is_file():
        raise OutputError(f"{folder}: this is a file, not a folder.")
    files = {folder / "settings.yaml": settings_file.render_defaults()}
    files |= {folder / "prompts" / name: text for name, text in prompts.shipped().items()}
    there = [str(path) for path in files if path.exists()]
    if there and not force:
        raise OutputError(f"{', '.join(there)} would be overwritten. Use --force if you mean that.")
    for path, text in files.items():
        write_output(path, text.encode())
    return list(files)

"""What this package is installed as: its import name belongs to another package, too."""

import sys
from importlib import metadata
from pathlib import Path

NAME = "graphrag-build"
NAMESAKE = "graphrag-lite"  # of another project, with a folder graphrag_lite of its own


def installed_version() -> str:
    """Return the version that is installed, "unknown" where the source alone is there."""
    try:
        return metadata.version(NAME)
    except metadata.PackageNotFoundError:
        return "unknown"


def shipped_folder(name: str, *in_checkout: str) -> Path:
    """Return a folder that ships beside the code: in the wheel, or `in_checkout`, below the repository's root."""
    package = Path(__file__).parent
    return next(f for f in (package / "shipped" / name, package.parent.joinpath(*in_checkout)) if f.is_dir())


def install_hint(name: str) -> str:
    """Say how an extra is installed.

    >>> install_hint("mcp")
    "the extra [mcp]: pip install 'graphrag-build[mcp]'"
    """
    return f"the extra [{name}]: pip install '{NAME}[{name}]'"


def namesake_hint() -> str:
    """Return what to do where the namesake was installed over this package, or removed from it; "" where it was not.

    Both have `graphrag_lite/__init__.py`, and whatever is done last to it stays.
    """
    if getattr(sys.modules[__package__], "DISTRIBUTION", "") == NAME:
        return ""
    return (
        f"Error: files of {NAME} are missing, or another's: the package {NAMESAKE} of another project has the same"
        f" folder, and was installed or removed after it. Run `pip uninstall {NAMESAKE}`, then"
        f" `pip install --force-reinstall {NAME}` (or the wheel, or the checkout, that it came from)."
    )

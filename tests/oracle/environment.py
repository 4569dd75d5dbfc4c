"""Makes the environments with the reference implementation: ``python -m tests.oracle.environment``.

They lie in ``.reference`` of the checkout, apart from the project's own environment, so that
nothing of ours can import the reference by accident.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import venv

from tests.oracle.reference import ROOT, VARIABLES, Version, python_of

RELEASES: dict[Version, str] = {"016": "0.1.6", "dev92": "0.1.5.dev92"}


def make(version: Version) -> None:
    """Makes the environment of one release anew and installs it."""
    folder = ROOT / ".reference" / version
    venv.create(folder, clear=True, with_pip=True)
    python = folder / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"pyserq=={RELEASES[version]}"], check=True
    )


def main(arguments: list[str] | None = None) -> int:
    """Makes what is missing; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.environment", description=__doc__)
    parser.add_argument("releases", nargs="*", metavar="RELEASE", help=f"of {', '.join(RELEASES)}; default: all")
    parser.add_argument("--anew", action="store_true", help="make an environment anew that is there already")
    options = parser.parse_args(arguments)
    unknown = set(options.releases) - set(RELEASES)
    if unknown:
        parser.error(f"no release is called {', '.join(sorted(unknown))}; there are {', '.join(RELEASES)}")
    for version in options.releases or RELEASES:
        if options.anew or python_of(version) is None:
            make(version)
        print(f"pyserq {RELEASES[version]}: {python_of(version)} (or set {VARIABLES[version]})")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`schedule --print`: what it writes is read by those it is for, whatever a path holds."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from graphrag_lite.cli import main

ODD = '-a b%n "q" $HOME $(x) `y` ;&# ü日 it\'s'
STANDARD = ["--set", "method=standard", "--set", "llm.model=m", "--set", "llm.api_key_env=MY_KEY"]


@pytest.fixture
def printed(tmp_path: Path) -> Callable[..., Any]:
    root = tmp_path / ODD
    (root / "corpus").mkdir(parents=True)

    def run(
        form: str, *options: str, cron: str = "*/20 8-18 13 * fri", code: int = 0, corpus: Path | None = None
    ) -> str:
        command = ["schedule", "--root", str(root), "--cron", cron, "--print", form, *options]
        result = CliRunner().invoke(main, [*command, "--", str(corpus or root / "corpus")])
        assert result.exit_code == code, result.output
        return result.stderr if code else result.stdout

    return run


def wanted(root: Path, *options: str) -> list[str]:
    return ["index", "--root", str(root), *options, "--json", "--", str(root / "corpus")]


def unit_words(line: str) -> list[str]:
    """Read a command line as systemd.service(5) says, of what we write: quotes, escapes, %% and $$."""
    words = re.findall(r'"(?:[^"\\]|\\.)*"|[^ ]+', line)
    plain = [re.sub(r"\\(.)", r"\1", word[1:-1]) if word.startswith('"') else word for word in words]
    assert all(re.fullmatch(r"(?:[^%$]|%%|\$\$)*", word) for word in plain)
    return [word.replace("%%", "%").replace("$$", "$") for word in plain]


def test_systemd(printed: Callable[..., str], tmp_path: Path) -> None:
    page = printed("systemd", "--timezone", "Europe/Berlin", "--metrics-file", str(tmp_path / "m.prom"), *STANDARD)
    _, service, timer = re.split(r"(?m)^(?=# /etc/systemd/system/)", page)
    names = [part.splitlines()[0].rpartition("/")[2] for part in (service, timer)]
    assert names == ["graphrag-lite-a-b-n-q-home-x-y-it-s.service", "graphrag-lite-a-b-n-q-home-x-y-it-s.timer"]
    start = re.search("^ExecStart=(.*)$", service, re.M)
    assert start
    options = [*STANDARD, "--metrics-file", str(tmp_path / "m.prom")]
    assert unit_words(start[1]) == [sys.executable, "-P", "-m", "graphrag_lite", *wanted(tmp_path / ODD, *options)]
    assert "MY_KEY=" in service and "EnvironmentFile=-/etc/graphrag-lite" in service
    calendars = ["*-*-13 08..18:00,20,40:00 Europe/Berlin", "Fri *-*-* 08..18:00,20,40:00 Europe/Berlin"]
    assert re.findall("^OnCalendar=(.*)$", timer, re.M) == calendars
    if shutil.which("systemd-analyze"):
        for name, part in zip(names, (service, timer), strict=True):
            (tmp_path / name).write_text(part, encoding="utf-8")
        files = [str(tmp_path / name) for name in names]
        done = subprocess.run(["systemd-analyze", "verify", *files], capture_output=True, text=True, check=False)
        assert (done.returncode, [line for line in done.stderr.splitlines() if "graphrag" in line]) == (0, [])


def test_cron(printed: Callable[..., str], tmp_path: Path) -> None:
    page = printed("cron", "--set", "search.response_type=100% $HOME", cron="*/20 8-18 * * 7")
    line = page.splitlines()[-1]
    fields, command = line.split(" ", 5)[:5], line.split(" ", 5)[5]
    assert fields == ["*/20", "8-18", "*", "*", "0"]
    assert not re.search(r"(?<!\\)%", command)  # cron ends the command there
    heard = command.replace("\\%", "%")
    words = shlex.split(heard)
    log = str(tmp_path / ODD / "index.log")
    assert words[4:] == [*wanted(tmp_path / ODD, "--set", "search.response_type=100% $HOME"), ">>", log, "2>&1"]
    done = subprocess.run(
        ["sh", "-c", heard], cwd="/", env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}, check=False
    )
    assert done.returncode == 1
    assert Path(log).read_text(encoding="utf-8").startswith("Error: ")  # of the run: there are no documents
    assert "# Needs MY_KEY" in printed("cron", *STANDARD)
    assert "cron has the time zone" in printed("cron", "--timezone", "UTC", code=1)
    assert "990 characters" in printed("cron", "--set", f"search.response_type={'x' * 1000}", code=1)
    assert "backslash" in printed("cron", "--set", "search.response_type=a\\b", code=1)


def test_kubernetes(printed: Callable[..., str], tmp_path: Path) -> None:
    root = tmp_path / ODD
    page = printed(
        "kubernetes", *STANDARD, "--timezone", "UTC", "--metrics-file", str(root / "m.prom"), cron="0 2 * * 7"
    )
    manifest = yaml.safe_load(page)
    spec = manifest["spec"]
    pod = spec["jobTemplate"]["spec"]["template"]["spec"]
    container = pod["containers"][0]
    assert (spec["schedule"], spec["timeZone"], spec["concurrencyPolicy"]) == ("0 2 * * 0", "UTC", "Forbid")
    assert [argument.replace("$$", "$") for argument in container["args"]] == wanted(
        root, *STANDARD, "--metrics-file", str(root / "m.prom")
    )
    assert not re.search(r"(?<!\$)(?:\$\$)*\$\(", " ".join(container["args"]))
    assert [mount["mountPath"] for mount in container["volumeMounts"]] == [str(root)]  # the corpus lies within
    assert container["env"][0]["valueFrom"]["secretKeyRef"] == {"name": "your-secret", "key": "MY_KEY"}
    validator = pytest.importorskip("kubernetes_validate")
    validator.validate(manifest, "1.31", strict=True)


def test_kubernetes_mounts_the_corpus_and_says_what_it_cannot(printed: Callable[..., str], tmp_path: Path) -> None:
    pod = yaml.safe_load(printed("kubernetes", corpus=tmp_path))["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert [volume["name"] for volume in pod["volumes"]] == ["root", "corpus"]
    assert "env" not in pod["containers"][0]
    assert "cannot ask for both" in printed("kubernetes", cron="0 0 */2 * fri", code=1)
    assert "Put it under" in printed("kubernetes", "--metrics-file", str(tmp_path / "m.prom"), code=1)
    assert "colon" in printed("kubernetes", corpus=tmp_path / "a:b", code=1)


@pytest.mark.parametrize("form", ["systemd", "cron", "kubernetes"])
def test_a_line_break_in_a_path_is_refused(printed: Callable[..., str], tmp_path: Path, form: str) -> None:
    for name in ("a\nUser=root", "a\udcffb"):
        assert "Rename it" in printed(form, corpus=tmp_path / name, code=1)


def test_a_corpus_that_is_not_there_is_warned_of(tmp_path: Path) -> None:
    for folder, n_warnings in ((tmp_path, 0), (tmp_path / "nowhere", 1)):
        command = ["schedule", str(folder), "--root", str(tmp_path), "--cron", "0 2 * * *", "--print", "cron"]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0 and "0 2 * * *" in result.stdout
        assert result.stderr.count(f"Warning: {folder}: there is no such folder") == n_warnings

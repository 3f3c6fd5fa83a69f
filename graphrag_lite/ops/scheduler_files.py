"""What other schedulers need to keep an index up to date: units of systemd, a line of cron, a CronJob of Kubernetes.

What a path may hold is quoted as each of them reads it: systemd expands % and $, cron ends a command at %, Kubernetes
expands $(NAME).
"""

import contextlib
import os
import re
import shlex
import string
import unicodedata
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from graphrag_lite.errors import SettingsError
from graphrag_lite.ops.cron import DAY, WEEKDAY, Cron, crontab, systemd_calendars
from graphrag_lite.ops.schedule import Job, command

MAX_CRON_LINE = 990  # characters; a longer command is cut off without a word by many a cron
MAX_CRON_JOB = 52  # characters of a CronJob's name


def absolute(job: Job) -> Job:
    """Return a job with absolute paths: a scheduler starts it in another folder. Raises SettingsError."""

    def full(path: Path | None) -> Any:
        return path and Path(os.path.abspath(path))  # noqa: PTH100 - without following symbolic links

    optional = {"config": full(job.config), "metrics_file": full(job.metrics_file)}
    job = replace(job, corpus=full(job.corpus), root=full(job.root), **optional)
    for part in command(job):
        if any(unicodedata.category(char) in ("Cc", "Cs") for char in part):  # Cs: bytes that are no UTF-8
            raise SettingsError(f"--print: {part!r} holds a line break or another control. Rename it.")
    return job


def name(root: Path) -> str:
    """Return a name for what keeps a root up to date, of the letters that all schedulers take.

    >>> name(Path("/srv/My index")), name(Path("/"))
    ('graphrag-lite-my-index', 'graphrag-lite')
    """
    words = re.findall("[a-z0-9]+", root.name.lower())
    return "-".join(["graphrag-lite", *words])[:MAX_CRON_JOB].rstrip("-")


def systemd(job: Job, cron: Cron, timezone: str | None, key: str | None) -> str:
    """Return a service and its timer, two files after one another. `key`: the environment variable of the model's."""
    program, *arguments = command(job)
    # Of the program's own path systemd expands % alone.
    start = " ".join([_word(program), *(_word(part).replace("$", "$$") for part in arguments)])
    own, user = name(job.root), _user()
    secret = f"# Holds the line {key}=..., and is readable by root alone.\nEnvironmentFile=-/etc/{own}.env\n"
    return string.Template(_shipped("systemd.txt")).substitute(
        own=own,
        about=f"index of graphrag-lite in {job.root}".replace("%", "%%"),
        folders=f"{_word(str(job.root))} {_word(str(job.corpus))}",
        user=f"User={user}\n" if user else "",
        environment=secret if key else "",
        start=start,
        calendars="".join(f"OnCalendar={calendar}\n" for calendar in systemd_calendars(cron, timezone)),
    )


def _shipped(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


def _word(text: str) -> str:
    """Quote a word of a unit file (systemd.syntax(7)), and its specifiers."""
    if re.fullmatch(r"[\w./:=,@+-]+", text):
        return text
    return '"{}"'.format(text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%"))


def _user() -> str | None:
    """Return who writes the index, a name or a number; None for root."""
    number = os.getuid() if hasattr(os, "getuid") else 0
    with contextlib.suppress(ImportError, KeyError):  # no users on Windows; one without a name in a container
        import pwd

        return pwd.getpwuid(number).pw_name if number else None
    return str(number) if number else None


def cron_line(job: Job, cron: Cron, timezone: str | None, key: str | None) -> str:
    """Return a line for `crontab -e`. Raises SettingsError for what such a line cannot say."""
    if not job.root.is_dir():
        raise SettingsError(f"--root {job.root}: there is no such folder. Make it: the line keeps its log there.")
    if timezone:
        raise SettingsError("--timezone: cron has the time zone of its machine. Leave it out, or print systemd.")
    line = f"{shlex.join(command(job))} >> {shlex.quote(str(job.root / 'index.log'))} 2>&1".replace("%", "\\%")
    if "\\" in line.replace("\\%", ""):
        raise SettingsError("--print cron: a path with a backslash is read differently by every cron. Rename it.")
    if len(line) > MAX_CRON_LINE:
        raise SettingsError(
            f"--print cron: the line has over {MAX_CRON_LINE} characters. Put --set into settings.yaml."
        )
    needs = (
        f"# Needs {key}: cron knows no other variables than those of lines {key}=... above this one.\n" if key else ""
    )
    return f"# For `crontab -e`. A time that the machine was off is not caught up.\n{needs}{crontab(cron)} {line}\n"


def kubernetes(job: Job, cron: Cron, timezone: str | None, key: str | None) -> str:
    """Return a CronJob (batch/v1). Raises SettingsError for what it cannot say."""
    import yaml

    if not cron.either and cron.days != DAY.every and cron.weekdays != WEEKDAY.every:
        raise SettingsError(
            "--cron: Kubernetes runs on a day that day of month or day of week names, and cannot ask for both at once."
        )
    corpus = job.corpus.parent if job.corpus.is_file() else job.corpus
    folders = {"root": job.root} if corpus.is_relative_to(job.root) else {"root": job.root, "corpus": corpus}
    for option, path in (("--config", job.config), ("--metrics-file", job.metrics_file)):
        if path and not path.is_relative_to(job.root):
            raise SettingsError(f"{option} {path}: the pod mounts root and corpus alone. Put it under {job.root}.")
    for path in folders.values():
        if ":" in str(path):
            raise SettingsError(f"--print kubernetes: {path} cannot be mounted: a colon in it. Rename it.")
    claims = " and ".join(f"your-{name}-claim (mounted as {path})" for name, path in folders.items())
    notes = [
        "Replace: image your-registry/graphrag-lite, an image with this package; volume claims",
        f"  {claims}" + (f"; secret your-secret, which holds {key}." if key else "."),
        "A job fails with exit code 3 where the index is published and failures are recorded in it.",
        *([] if timezone else ["Times are those of the cluster, most often UTC; --timezone names another zone."]),
    ]
    manifest = yaml.safe_load(_shipped("cron_job.yaml"))
    manifest["metadata"]["name"] = name(job.root)
    spec = manifest["spec"]
    pod = spec["jobTemplate"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    spec |= {"schedule": crontab(cron), "timeZone": timezone}
    container["args"] = [part.replace("$", "$$") for part in job.arguments()]
    container["volumeMounts"] = [{"name": name, "mountPath": str(path)} for name, path in folders.items()]
    container["env"] = [{"name": key, "valueFrom": {"secretKeyRef": {"name": "your-secret", "key": key}}}]
    pod["volumes"] = [{"name": own, "persistentVolumeClaim": {"claimName": f"your-{own}-claim"}} for own in folders]
    if not timezone:
        del spec["timeZone"]
    if not key:
        del container["env"]
    page = yaml.safe_dump(manifest, sort_keys=False, allow_unicode=True, width=1000)
    return "".join(f"# {note}\n" for note in notes) + page


FORMS = {"systemd": systemd, "cron": cron_line, "kubernetes": kubernetes}

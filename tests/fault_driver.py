"""Runs `graphrag-lite` in processes that meet a fault at a chosen moment: jobs as JSON lines on stdin, results on stdout.

    {"arguments": ["index", ...], "watched": "root/output", "log": "asked.jsonl", "fault": "kill", "at": 17}

Every job is a process of its own, forked from this one, which has all imports done. Counted are the steps that change
what is on disk under `watched`: opening to write, renaming, linking, removing, making a folder, fsync; and, apart from
them, the statements of the memo's writer, as its transactions depend on time. `fault`:

    count   none; the steps are listed in the result
    kill    SIGKILL before step `at`; before an fsync of a file, half of the file is cut off, as if writing were half done
    memo    SIGKILL before statement `at` of the memo's writer
    ENOSPC, EIO, EROFS    step `at` and all after it are refused with this error of the system; `once`: only step `at`
"""

# ruff: noqa: PTH100, PTH115, PTH118
import errno
import json
import os
import signal
import stat
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a process with threads is not to be forked
TESTS = Path(__file__).parent
sys.path.insert(0, str(TESTS))
CHANGING = {  # event of the interpreter: how many paths it names
    "os.rename": 2,
    "os.link": 2,
    "os.symlink": 2,
    "os.remove": 1,
    "os.mkdir": 1,
    "os.rmdir": 1,
    "os.utime": 1,
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
Job = dict[str, Any]


class Faults:
    """Counts the steps of this process, and lets one of them fail."""

    def __init__(self, job: Job, memo_steps: list[str]) -> None:
        self.watched = os.path.abspath(job["watched"])
        self.fault, self.at, self.once = job["fault"], job.get("at", -1), job.get("once", False)
        self.steps: list[list[str]] = []
        self.memo_steps = memo_steps
        self.lock = threading.RLock()
        self.fsync = os.fsync
        os.fsync = self.synced  # type: ignore[assignment]
        sys.addaudithook(self.audited)

    def audited(self, event: str, values: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(values[0], str | bytes | os.PathLike) and values[2] & WRITING:
            self.step("open", [values[0]])
        elif event in CHANGING:
            self.step(event.partition(".")[2], values[: CHANGING[event]], inside=values[-1])

    def synced(self, descriptor: int) -> None:
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        self.step("sync folder" if folder else "sync", [path], descriptor=None if folder else descriptor)
        self.fsync(descriptor)

    def step(self, kind: str, paths: Iterable[Any], inside: Any = -1, descriptor: int | None = None) -> None:
        names = [os.fsdecode(path) for path in paths if not isinstance(path, int)]
        if isinstance(inside, int) and inside >= 0:  # a folder's descriptor, of rmtree
            names = [os.path.join(os.readlink(f"/proc/self/fd/{inside}"), names[0])]
        names = [os.path.abspath(name) for name in names]
        if not any(name == self.watched or name.startswith(self.watched + os.sep) for name in names):
            return
        with self.lock:
            number = len(self.steps)
            self.steps.append([kind, *(os.path.relpath(name, self.watched) for name in names)])
        if self.fault == "kill" and number == self.at:
            if descriptor is not None:
                os.ftruncate(descriptor, os.fstat(descriptor).st_size // 2)
            os.kill(os.getpid(), signal.SIGKILL)
        if self.fault in errno.errorcode.values() and (number == self.at or (number > self.at >= 0 and not self.once)):
            number = getattr(errno, self.fault)
            raise OSError(number, os.strerror(number), *(names[:1] if descriptor is None else ()))

    def stated(self, statement: str) -> None:
        """Is told of every statement that the memo's writer begins."""
        with self.lock:
            number = len(self.memo_steps)
            self.memo_steps.append(statement[:40])
        if self.fault == "memo" and number == self.at:
            os.kill(os.getpid(), signal.SIGKILL)


def watch_model(job: Job, faults: Faults) -> None:
    """Put the stub in the model's place; what it is asked goes to the log before it answers."""
    import stub_replies
    from stub_model import StubModel

    from graphrag_lite.llm import model
    from graphrag_lite.llm.chat import Request
    from graphrag_lite.llm.memo import Memo

    log = os.open(job["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def reply(request: Request) -> str:
        os.write(log, f"{Memo.key(stub.identity, request)}\n".encode())
        return stub_replies.reply(request.messages)

    stub = StubModel(reply)
    model.chat_model = lambda *_: stub
    made = Memo.__init__

    def traced(self: Memo, *arguments: Any, **options: Any) -> None:
        made(self, *arguments, **options)
        self._writer.set_trace_callback(faults.stated)

    Memo.__init__ = traced  # type: ignore[method-assign]


def work(job: Job, results: int) -> None:
    """Do a job in this process, and tell its steps and its exit code."""
    for descriptor, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(f"{job['log']}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    from graphrag_lite.cli import main

    memo_steps: list[str] = []
    faults = Faults(job, memo_steps)
    watch_model(job, faults)
    try:
        main(job["arguments"])
    except SystemExit as ended:
        code = ended.code
    faults.watched, faults.fault = "/nowhere", "count"
    os.write(results, json.dumps({"code": code or 0, "steps": faults.steps, "memo": memo_steps}).encode())


def forked(job: Job) -> dict[str, Any]:
    """Return what a job ended with: exit code (minus the signal's number), steps, and all that it printed."""
    receiving, sending = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            work(job, sending)
            code = 0
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(sending)
    with os.fdopen(receiving, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    result = json.loads(told) if told else {"code": os.waitstatus_to_exitcode(status), "steps": [], "memo": []}
    for name in ("stdout", "stderr"):
        result[name] = Path(f"{job['log']}.{name}").read_text(encoding="utf-8", errors="replace")
    return dict(result)


def prepare() -> None:
    """Do a run of each method, so that what is loaded and warmed up by one is so for every job."""
    import tempfile

    import stub_replies
    from stub_model import StubModel

    from graphrag_lite import cli, pipeline
    from graphrag_lite.cli import terminal
    from graphrag_lite.run import file_hashes
    from graphrag_lite.settings import Settings

    assert cli and terminal
    file_hashes.TICK = 0  # files of a moment ago are remembered, too
    with tempfile.TemporaryDirectory() as name:
        corpus = Path(name) / "corpus"
        corpus.mkdir()
        (corpus / "a.txt").write_text("Alice Smith met Bob Jones in Paris. Bob Jones works for Acme Corporation.\n")
        for method in ("fast", "standard"):
            settings = Settings.model_validate({"method": method, "llm": {"model": "stub"}})
            stub = StubModel(lambda request: stub_replies.reply(request.messages))
            pipeline.index(corpus, Path(name) / method / "output", settings, model=stub)


if __name__ == "__main__":
    prepare()
    for line in sys.stdin:
        print(json.dumps(forked(json.loads(line))), flush=True)

"""One system on one treebank: trained and run in processes of its own, scored here."""

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from runs import file_digest, files_of

from parser.evaluate.load import read_corpus
from parser.evaluate.report import as_dict, evaluate
from peers_lib.systems import System
from peers_lib.worker import environment

BENCHMARKS = Path(__file__).resolve().parent.parent


class PeerError(Exception):
    """A system that cannot be measured; `str(error)` is the reason that the table gives."""


@dataclass(frozen=True)
class Bench:
    store: Path
    interpreters: dict[str, str]  # by name of the peer
    seconds: float  # of rounds
    again: str | None = None  # what is not taken from the store: "parse", or "all"
    fresh: set[Path] = field(default_factory=set)  # results of this run: these are not made again

    def python(self, system: System) -> str:
        return self.interpreters.get(system.peer, sys.executable)


def measure(bench: Bench, system: System, treebank: str) -> dict:
    """A row of the table. A system that fails has its reason there instead of figures."""
    train, dev = files_of(treebank)
    facts = {"system": system.name, "title": system.title, "treebank": Path(treebank).name, "about": system.about}
    facts |= {"reduced": system.reduced, "data": digest(file_digest(train), file_digest(dev))}
    try:
        check_there(bench, system)
        trained, parsed, output = trained_and_parsed(bench, system, train, dev)
    except PeerError as error:
        return facts | {"missing": str(error)}
    if trained.get("stopped"):
        facts["reduced"] = ""  # of its own accord, before the limit
    return facts | figures(trained, parsed) | {"scores": scores(dev, str(output))}


def check_there(bench: Bench, system: System) -> None:
    """PeerError where its interpreter cannot import it."""
    if system.module is None:
        return
    command = [bench.python(system), "-c", f"import {system.module}"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, env=variables())
    except OSError as error:
        raise PeerError(f"{command[0]}: {error.strerror}") from None
    if run.returncode:
        raise PeerError(last_line(run.stderr))


def trained_and_parsed(bench: Bench, system: System, train: str, dev: str) -> tuple[dict, dict, Path]:
    """What the two processes wrote, and the file with the trees. Systems with the same training share a model."""
    name = digest(system.worker, system.training, file_digest(train), file_digest(dev))
    folder = (bench.store / Path(train).resolve().parent.name / f"{system.peer}-{name}").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / f"{system.name}.conllu"
    task = {"model": str(folder / "model"), "options": system.training | system.parsing}
    training = task | {"do": "train", "train": train, "dev": dev}
    parsing = task | {"do": "parse", "input": dev, "output": str(output), "seconds": bench.seconds}
    trained = kept_or_run(bench, system, folder / "trained.json", training, bench.again == "all")
    return trained, kept_or_run(bench, system, folder / f"{system.name}.json", parsing, bool(bench.again)), output


def kept_or_run(bench: Bench, system: System, result: Path, task: dict, again: bool) -> dict:
    if not result.exists() or (again and result not in bench.fresh):
        result.unlink(missing_ok=True)
        run(bench.python(system), system.worker, task | {"result": str(result)}, result.with_suffix(".log"))
        bench.fresh.add(result)
    return json.loads(result.read_text(encoding="utf-8"))


def run(python: str, worker: str, task: dict, log: Path) -> None:
    """The worker's messages go to the log, and its last line into the table if it fails."""
    command = [python, "-m", f"peers_lib.{worker}", json.dumps(task)]
    with log.open("w", encoding="utf-8") as stream:
        code = subprocess.run(command, stdout=stream, stderr=subprocess.STDOUT, env=variables()).returncode
    if code:
        said = last_line(log.read_text(encoding="utf-8", errors="replace"))
        raise PeerError(f"could not {task['do']}: {said or f'exit code {code}'}")


def variables() -> dict[str, str]:
    """Of a worker's process: one thread, and the modules of this folder and of the project."""
    paths = [str(BENCHMARKS), str(BENCHMARKS.parent), os.environ.get("PYTHONPATH", "")]
    return os.environ | environment() | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


def last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def digest(*facts: object) -> str:
    return hashlib.blake2b(json.dumps(facts, sort_keys=True).encode(), digest_size=8).hexdigest()


def figures(trained: dict, parsed: dict) -> dict:
    """As the table has them: words a second of the best round and of the first one, megabytes, seconds of CPU."""
    words, own, files = parsed["words"], parsed.get("parse"), parsed.get("files")
    return {
        "version": trained["version"],
        "parse": words / min(own) if own else None,
        "first": words / own[0] if own else None,
        "files": words / min(files) if files else None,
        "train_seconds": trained["cpu_seconds"],
        "train_mb": trained["peak_mb"],
        "model_mb": trained["bytes"] / 1e6,
        "parse_mb": parsed["peak_mb"],
        "load": parsed["load"],
        "remark": remark(trained, parsed),
    }


def remark(trained: dict, parsed: dict) -> str:
    """What is to be said of this run besides its settings."""
    parts = []
    if "steps" in trained:
        parts.append(f"scored until step {trained['steps']}, step {trained['best_step']} kept")
    if "repaired" in parsed:
        parts.append(f"{parsed['repaired']} of {parsed['words']} arcs had to be repaired")
    return ", ".join(parts)


def scores(gold: str, found: str) -> dict:
    """Percentages, labels with subtypes, all words and without punctuation."""
    corpora = [read_corpus(path, "conllu", "ignore")[0] for path in (gold, found)]
    report = as_dict(evaluate(*corpora))
    every, words = (report[key]["scores"] for key in ("with_punctuation", "without_punctuation"))
    return {"las": every["LAS"]["f1"], "uas": every["UAS"]["f1"], "las_no_punct": words["LAS"]["f1"]}

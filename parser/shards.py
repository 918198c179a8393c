"""Many files parsed into a folder, one for each: what was interrupted goes on where it was.

A shard that is finished has its name; one that is being written has `.partial` in its name (see treebank.stream). What
all shards have in common, the model and the options, is noted in the folder, and does not change between two runs.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from parser.errors import UserError
from parser.model.atomic import whole_file
from parser.treebank import TreebankError
from parser.treebank.layout import SUFFIXES
from parser.treebank.stream import OPENERS
from parser.version import __version__

NOTE = "arcspeed-run.json"
PLAIN = ("text", "vertical")
ENDINGS = (*SUFFIXES, ".conll", ".jsonl", ".parquet", ".txt", ".vert", ".vrt")


class ShardError(UserError):
    """Files that cannot be parsed into one folder; `str(error)` is the one line to show."""

    exit_code = 2


@dataclass(frozen=True)
class Shard:
    source: str
    target: Path

    @property
    def is_done(self) -> bool:
        return self.target.exists()


def wants_folder(sources: Sequence[str], output: str) -> bool:
    """Are these shards, or is it one file into another?"""
    return len(sources) > 1 or os.path.isdir(sources[0]) or os.path.isdir(output)


def plan_shards(sources: Iterable[str], folder: str, format: str, to: str) -> list[Shard]:
    """One shard for each file; a folder among the sources stands for the files in it, by name."""
    if folder == "-":
        raise ShardError("several files are parsed into a folder: name it by --output")
    shards: dict[Path, Shard] = {}
    for source in files_in(sources, folder):
        target = Path(folder, target_name(os.path.basename(source), format, to))
        if target in shards:
            raise ShardError(f"{shards[target].source} and {source} would both become {target}")
        shards[target] = Shard(source, target)
    if not shards:
        raise ShardError("no files to parse: the folder has none")
    return list(shards.values())


def files_in(sources: Iterable[str], folder: str) -> list[str]:
    found: list[str] = []
    for source in sources:
        if source == "-":
            raise ShardError("standard input is no shard: name files")
        if not os.path.isdir(source):
            found.append(source)
            continue
        if os.path.realpath(source) == os.path.realpath(folder):
            raise ShardError(f"{source} is both input and output")
        names = (name for name in sorted(os.listdir(source)) if not name.startswith(".") and ".partial" not in name)
        paths = (os.path.join(source, name) for name in names)
        found += [path for path in paths if os.path.isfile(path) and os.path.basename(path) != NOTE]
    return found


def target_name(name: str, format: str, to: str) -> str:
    """x.conllu.gz -> x.conllu.gz, x.jsonl.gz, x.parquet: packed as before, but Parquet packs for itself."""
    if to == "auto" and format not in PLAIN:
        return name
    stem, packing = os.path.splitext(name)
    if packing.lower() not in OPENERS:
        stem, packing = name, ""
    ending = os.path.splitext(stem)[1]
    if ending.lower() in ENDINGS:
        stem = stem.removesuffix(ending)
    kind = "conllu" if to == "auto" else to
    return f"{stem}.{kind}" + ("" if kind == "parquet" else packing)


def digest_of(model: str) -> str:
    try:
        return hashlib.blake2b(Path(model).read_bytes(), digest_size=16).hexdigest()
    except OSError as error:
        raise TreebankError(f"cannot be read: {error.strerror}", model) from None


def begin(folder: str, shards: Sequence[Shard], facts: dict, resume: bool) -> list[Shard]:
    """Makes the folder and notes the facts there, or compares them with what is noted. Gives the shards to be done."""
    note = Path(folder, NOTE)
    facts = {"arcspeed": __version__, **facts}
    try:
        os.makedirs(folder, exist_ok=True)
        noted = json.loads(note.read_bytes()) if note.exists() else None
    except OSError as error:
        raise TreebankError(f"cannot be written: {error.strerror}", folder) from None
    except ValueError:
        raise TreebankError("is not a note of an earlier run, remove it to begin anew", str(note)) from None
    if noted is not None and not resume:
        raise ShardError(f"{folder}: holds what an earlier run wrote; --resume goes on with it")
    if noted is None:
        if there := [shard.target for shard in shards if shard.is_done]:
            raise ShardError(f"{there[0]}: exists already and is not of an earlier run")
        with whole_file(note) as stream:
            stream.write((json.dumps(facts, indent=1) + "\n").encode())
    elif noted != facts:
        raise ShardError(f"{folder}: was begun with {difference(noted, facts)}: --resume goes on with the same alone")
    return [shard for shard in shards if not shard.is_done]


def difference(noted: object, facts: dict) -> str:
    """What an earlier run had that this one has not."""
    if not isinstance(noted, dict) or noted.keys() != facts.keys():
        return "other options"
    name = next(name for name in facts if noted[name] != facts[name])
    return "another model" if name == "model" else f"{name} {noted[name]}, not {facts[name]}"

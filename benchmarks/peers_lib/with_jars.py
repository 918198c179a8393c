"""MaltParser and Yara: programs in Java archives that the user has; their documented command lines, one thread.

They read CoNLL-X and load their model at every call, so that parsing is timed by difference: the test file many times
over against the test file once, from file to file.
"""

import subprocess
from pathlib import Path

from peers_lib.conllu import UPOS, as_conllx, read, tag_of, trees_of_conllx, write_trees
from peers_lib.worker import cpu_seconds, size_of, work

JAVA = ("java", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1")
TIMES = 10  # how much longer the longer of the two files is


def malt_commands(jar: str, folder: str) -> dict:
    """MaltParser's user guide: `-m learn` and `-m parse`, everything else by default (arc-eager, liblinear)."""
    malt = [*JAVA, "-jar", jar, "-w", folder, "-c", "model"]
    return {
        "train": [*malt, "-i", f"{folder}/train.conll", "-m", "learn"],
        "parse": [*malt, "-i", f"{folder}/in.conll", "-o", f"{folder}/out.conll", "-m", "parse"],
    }


def yara_commands(jar: str, folder: str, iterations: int, beam: int) -> dict:
    """Yara's README: `train` and `parse_conll`; beam:1 is greedy. A model is written after every iteration."""
    yara = [*JAVA, "-jar", jar]
    files = ["-train-file", f"{folder}/train.conll", "-dev", f"{folder}/dev.conll", "-punc", f"{folder}/punctuation"]
    options = [f"iter:{iterations}", f"beam:{beam}", "nt:1"]
    parsing = ["-input", f"{folder}/in.conll", "-out", f"{folder}/out.conll"]
    return {
        "train": [*yara, "train", *files, "-model", f"{folder}/model", *options],
        "parse": [*yara, "parse_conll", *parsing, "-model", f"{folder}/model_iter{iterations}", "nt:1"],
    }


def commands(task: dict) -> dict:
    options = dict(task["options"])
    build = {"malt": malt_commands, "yara": yara_commands}[options.pop("peer")]
    return build(folder=task["model"], **options)


def train(task: dict) -> dict:
    folder = Path(task["model"])
    folder.mkdir(parents=True, exist_ok=True)
    sentences = read(task["train"])
    (folder / "train.conll").write_text(as_conllx(sentences), encoding="utf-8")
    (folder / "dev.conll").write_text(as_conllx(read(task["dev"])), encoding="utf-8")
    (folder / "punctuation").write_text("\n".join(punctuation_tags(sentences)) + "\n", encoding="utf-8")
    subprocess.run(commands(task)["train"], check=True)
    (folder / "train.conll").unlink()
    return {"version": Path(task["options"]["jar"]).stem, "bytes": size_of(model_file(task))}


def model_file(task: dict) -> Path:
    options = task["options"]
    name = "model.mco" if options["peer"] == "malt" else f"model_iter{options['iterations']}"
    return Path(task["model"]) / name


def punctuation_tags(sentences: list) -> list:
    return sorted({tag_of(word) for words in sentences for word in words if word[UPOS] == "PUNCT"})


def parse(task: dict) -> dict:
    sentences = read(task["input"])
    long = seconds_for(task, sentences * TIMES)
    short = seconds_for(task, sentences)  # the last one: its output is kept
    write_trees(task["input"], task["output"], trees_of_conllx(f"{task['model']}/out.conll"))
    return {"words": sum(map(len, sentences)), "files": [(long - short) / (TIMES - 1)]}


def seconds_for(task: dict, sentences: list) -> float:
    Path(task["model"], "in.conll").write_text(as_conllx(sentences), encoding="utf-8")
    start = cpu_seconds()
    subprocess.run(commands(task)["parse"], check=True)
    return cpu_seconds() - start


if __name__ == "__main__":
    work(train=train, parse=parse)

"""Vowpal Wabbit's dependency parser (Chang et al. 2015, "Learning to Search for Dependencies"), as its demo calls it.

A line is a word: head, label number, then its features, the lower-cased form and tag. Release 9.11 reads the first two
as `head,label`, and ends a sentence before its last word is attached, so every sentence gets a pseudo-word at its end.
"""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from peers_lib.conllu import DEPREL, FORM, HEAD, read, tag_of, write_trees
from peers_lib.worker import rounds, size_of, work

ROOT_LABEL = 1
ESCAPES = str.maketrans({":": "COLON", "|": "PIPE", " ": "_"})
PSEUDO_WORD, PSEUDO_LABEL = "</s>", "punct"


def train(task: dict) -> dict:
    sentences = read(task["train"])
    labels = label_numbers(sentences)
    data = Path(f"{task['model']}.data")
    data.write_text(as_vw(sentences, labels), encoding="utf-8")
    Path(f"{task['model']}.labels").write_text(json.dumps(labels), encoding="utf-8")
    run_vw(training_arguments(str(data), task["model"], len(labels), task["options"]))
    data.unlink()
    Path(f"{data}.cache").unlink()
    return {"version": version("vowpalwabbit"), "bytes": size_of(task["model"])}


def training_arguments(data: str, model: str, n_labels: int, options: dict) -> list:
    """Those of the demo `dependencyparsing`; the number of passes and of bits come with the options."""
    return [
        *("-d", data, "-k", "-c", "--passes", str(options["passes"]), "--holdout_off", "-f", model, "--quiet"),
        *("--search_task", "dep_parser", "--search", str(n_labels), "--num_label", str(n_labels)),
        *("--root_label", str(ROOT_LABEL), "--search_rollin", "mix_per_roll", "--search_rollout", "oracle"),
        *("--search_alpha", "1e-5", "--search_history_length", "3", "--search_no_caching"),
        *("-b", str(options["bits"]), "--nn", "5", "--ftrl"),
    ]


def run_vw(arguments: list) -> None:
    subprocess.run([sys.executable, "-m", "vowpalwabbit", *arguments], check=True)


def parse(task: dict) -> dict:
    from vowpalwabbit import Workspace

    sentences = read(task["input"])
    labels = json.loads(Path(f"{task['model']}.labels").read_text(encoding="utf-8"))
    repaired = write_output(task, sentences, labels)
    vw = Workspace(arg_list=["-t", "-i", task["model"], "--quiet"])
    lines = [as_vw([words], labels).splitlines()[:-1] for words in sentences]
    examples = [vw.parse(sentence) for sentence in lines]

    def parse_all(_) -> None:
        for sentence in examples:
            vw.predict(sentence)

    return {"words": sum(map(len, sentences)), "parse": rounds(parse_all, task["seconds"]), "repaired": repaired}


def write_output(task: dict, sentences: list, labels: dict) -> int:
    """Trees by VW's own command, as CoNLL-U; returns the number of words whose head or label had to be made up."""
    data, found = Path(f"{task['output']}.vw"), Path(f"{task['output']}.predictions")
    data.write_text(as_vw(sentences, labels), encoding="utf-8")
    run_vw(["-t", "-i", task["model"], "-d", str(data), "-p", str(found), "--quiet"])
    answers = found.read_text(encoding="utf-8").splitlines()
    trees = [repair(tree) for tree in read_predictions(answers, sentences, labels)]
    write_trees(task["input"], task["output"], [tree for tree, _ in trees])
    data.unlink()
    found.unlink()
    return sum(repaired for _, repaired in trees)


def label_numbers(sentences: list) -> dict:
    """From 1 on, that of ROOT first, then in alphabetical order."""
    others = {word[DEPREL] for words in sentences for word in words} - {"root"}
    return {"root": ROOT_LABEL, **{label: i for i, label in enumerate(sorted(others), ROOT_LABEL + 1)}}


def as_vw(sentences: list, labels: dict) -> str:
    """Labels that training has not seen are written as that of ROOT: they are in test data only, and not looked at."""
    lines = []
    for words in sentences:
        root = next(word[0] for word in words if word[HEAD] == "0")
        end = f"{root},{labels.get(PSEUDO_LABEL, ROOT_LABEL)} |w {PSEUDO_WORD} |p {PSEUDO_WORD}"
        lines += [vw_line(word, labels.get(word[DEPREL], ROOT_LABEL)) for word in words] + [end, ""]
    return "\n".join(lines) + "\n"


def vw_line(word: list, label: int) -> str:
    form, tag = (text.lower().translate(ESCAPES) for text in (word[FORM], tag_of(word)))
    return f"{word[HEAD]},{label} |w {form} |p {tag}"


def read_predictions(lines: list, sentences: list, labels: dict) -> list:
    """Per sentence [(head, label or None)], without the pseudo-word; VW writes `head:label` and names of no label."""
    names = {number: label for label, number in labels.items()}
    answers = iter([line for line in lines if line and ":" in line])
    trees = []
    for words in sentences:
        pairs = [map(int, next(answers).split(":")) for _ in [*words, None]][:-1]
        trees.append([(head, names.get(label)) for head, label in pairs])
    return trees


def repair(tree: list) -> tuple:
    """A well-formed tree and the number of changes: words attached to nothing or to the pseudo-word go to the root."""
    n = len(tree)
    roots = [i for i, (head, _) in enumerate(tree, 1) if head == 0]
    root = roots[0] if roots else next((i for i, (head, _) in enumerate(tree, 1) if head > n), 1)
    arcs = [(0, "root") if i == root else mended(arc, root, n) for i, arc in enumerate(tree, 1)]
    return arcs, sum(new != old for new, old in zip(arcs, tree, strict=True))


def mended(arc: tuple, root: int, n: int) -> tuple:
    head, label = arc
    return (head if 0 < head <= n else root, label or "dep")


if __name__ == "__main__":
    work(train=train, parse=parse)

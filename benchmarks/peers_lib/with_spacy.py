"""spaCy: tok2vec and parser of `spacy init config --optimize efficiency`, trained from scratch without vectors.

Sentences come with gold tokens and boundaries, one Doc each. Tags are no features in spaCy's own settings; with the
option `tags` the gold UPOS, XPOS and FEATS are embedded beside prefix, suffix and shape.
"""

from importlib.metadata import version
from pathlib import Path

from peers_lib.conllu import DEPREL, FEATS, FORM, HEAD, UPOS, XPOS, read, write_trees
from peers_lib.worker import rounds, size_of, work

READER, LOGGER = "arcspeed_gold_sentences.v1", "arcspeed_scores.v1"
TAG_ATTRIBUTES, TAG_ROWS = ("POS", "TAG", "MORPH"), 1000


def train(task: dict) -> dict:
    import spacy
    from spacy.training.initialize import init_nlp
    from spacy.training.loop import train as run

    scores: dict = {}
    spacy.registry.readers.register(READER, func=gold_sentences)
    spacy.registry.loggers.register(LOGGER, func=lambda: logger_into(scores))
    Path(task["model"]).mkdir(parents=True, exist_ok=True)
    config = config_of(task)
    run(init_nlp(config), Path(task["model"]))
    steps = {"steps": max(scores), "best_step": max(scores, key=scores.get)}
    steps["stopped"] = steps["steps"] + config["training"]["eval_frequency"] <= config["training"]["max_steps"]
    return {"version": version("spacy"), "bytes": size_of(Path(task["model"]) / "model-best"), **steps}


def config_of(task: dict):
    from spacy.cli.init_config import init_config

    options = task["options"]
    config = init_config(lang="xx", pipeline=["parser"], optimize="efficiency", gpu=False)
    for name in ("train", "dev"):
        config["corpora"][name] = {"@readers": READER, "path": task[name], "tags": options["tags"]}
    config["training"]["max_steps"] = options["max_steps"]
    config["training"]["logger"] = {"@loggers": LOGGER}
    if options["tags"]:
        embed = config["components"]["tok2vec"]["model"]["embed"]
        embed["attrs"] = [*embed["attrs"], *TAG_ATTRIBUTES]
        embed["rows"] = [*embed["rows"], *[TAG_ROWS] * len(TAG_ATTRIBUTES)]
    return config


def logger_into(scores: dict):
    """A logger that prints a line per evaluation, and keeps the score by step."""

    def setup(nlp, stdout, stderr):  # noqa: ARG001 (spaCy passes them by name)
        def log(info) -> None:
            if info is not None and info["score"] is not None:
                scores[info["step"]] = info["score"]
                print(f"epoch {info['epoch']} step {info['step']} score {info['score']:.4f}", flush=True)

        return log, lambda: None

    return setup


def gold_sentences(path: str, tags: bool):
    """Examples of a file: what the pipeline is given beside what it should make of it."""
    from spacy.training import Example

    def read_examples(nlp):
        for words in read(path):
            yield Example(doc_of(nlp.vocab, words, tags), gold_doc(nlp.vocab, words, tags))

    return read_examples


def doc_of(vocab, words: list, tags: bool, **trees):
    from spacy.tokens import Doc

    if tags:
        trees["pos"] = [given(word[UPOS]) for word in words]
        trees["tags"] = [word[XPOS] for word in words]
        trees["morphs"] = [given(word[FEATS]) for word in words]
    starts = {} if "heads" in trees else {"sent_starts": [True] + [False] * (len(words) - 1)}
    return Doc(vocab, words=[word[FORM] for word in words], **starts, **trees)


def given(column: str) -> str:
    return "" if column == "_" else column


def gold_doc(vocab, words: list, tags: bool):
    """spaCy's heads are 0-based, and a root is its own head with the label ROOT."""
    heads = [int(word[HEAD]) - 1 if word[HEAD] != "0" else i for i, word in enumerate(words)]
    labels = ["ROOT" if word[HEAD] == "0" else word[DEPREL] for word in words]
    return doc_of(vocab, words, tags, heads=heads, deps=labels)


def parse(task: dict) -> dict:
    import spacy

    nlp = spacy.load(Path(task["model"]) / "model-best")
    sentences, tags = read(task["input"]), task["options"]["tags"]

    def docs() -> list:
        return [doc_of(nlp.vocab, words, tags) for words in sentences]

    def parse_all(given: list) -> None:
        for _ in nlp.pipe(given):
            pass

    parsed = list(nlp.pipe(docs()))
    write_trees(task["input"], task["output"], [tree_of(doc) for doc in parsed])
    return {"words": sum(map(len, sentences)), "parse": rounds(parse_all, task["seconds"], docs)}


def tree_of(doc) -> list:
    return [(0, "root") if token.head.i == token.i else (token.head.i + 1, token.dep_) for token in doc]


if __name__ == "__main__":
    work(train=train, parse=parse)

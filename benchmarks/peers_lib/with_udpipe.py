"""UDPipe 1 (`ufal.udpipe`): its parser alone, on gold tokens and tags."""

from importlib.metadata import version
from pathlib import Path

from peers_lib.worker import rounds, work


def train(task: dict) -> dict:
    from ufal import udpipe

    data = [sentences_of(Path(task[name]).read_text(encoding="utf-8")) for name in ("train", "dev")]
    none, error = udpipe.Trainer.NONE, udpipe.ProcessingError()
    model = udpipe.Trainer.train("morphodita_parsito", *data, none, none, task["options"]["training"], error)
    fail_on(error)
    Path(task["model"]).write_bytes(model)
    return {"version": version("ufal.udpipe"), "bytes": len(model)}


def parse(task: dict) -> dict:
    from ufal import udpipe

    model = udpipe.Model.load(task["model"])
    if model is None:
        raise SystemExit(f"UDPipe: {task['model']}: cannot be loaded")
    text = Path(task["input"]).read_text(encoding="utf-8")
    options, sentences = task["options"]["parsing"], list(sentences_of(text))
    pipeline = udpipe.Pipeline(model, "conllu", udpipe.Pipeline.NONE, options, "conllu")

    def parse_all(_) -> None:
        for sentence in sentences:
            model.parse(sentence, options)

    def from_file_to_file(_) -> None:
        error = udpipe.ProcessingError()
        parsed = pipeline.process(Path(task["input"]).read_text(encoding="utf-8"), error)
        fail_on(error)
        Path(task["output"]).write_text(parsed, encoding="utf-8")

    files = rounds(from_file_to_file, task["seconds"])
    words = sum(len(sentence.words) - 1 for sentence in sentences)  # the first one is ROOT
    return {"words": words, "parse": rounds(parse_all, task["seconds"]), "files": files}


def sentences_of(text: str):
    """A vector of sentences, as the trainer takes it."""
    from ufal import udpipe

    reader, error, found = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError(), udpipe.Sentences()
    reader.setText(text)
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.append(sentence)
        sentence = udpipe.Sentence()
    fail_on(error)
    return found


def fail_on(error) -> None:
    if error.occurred():
        raise SystemExit(f"UDPipe: {error.message}")


if __name__ == "__main__":
    work(train=train, parse=parse)

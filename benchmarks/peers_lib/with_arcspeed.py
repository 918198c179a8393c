"""arcspeed itself, as a program embeds it: parse only is batches of a reader in, arrays of heads and labels out."""

from peers_lib.worker import rounds, size_of, work


def train(task: dict) -> dict:
    import parser

    model = parser.Parser.train(task["train"], task["dev"], **task["options"])
    model.save(task["model"], slim=True)
    return {"version": parser.__version__, "bytes": size_of(task["model"])}


def parse(task: dict) -> dict:
    import parser
    from parser.treebank import Reader

    model = parser.load(task["model"])
    with Reader(task["input"], intern=(), heads="ignore") as reader:
        batches = list(reader.batches())

    def parse_all(_) -> None:
        for batch in batches:
            model.parse_rows(batch)

    def from_file_to_file(_) -> None:
        model.parse_file(task["input"], task["output"])

    words = sum(batch.n_words for batch in batches)
    parse_only = rounds(parse_all, task["seconds"])
    return {"words": words, "parse": parse_only, "files": rounds(from_file_to_file, task["seconds"])}


if __name__ == "__main__":
    work(train=train, parse=parse)

"""Heads and labels of the CoNLL-U files that ARCSPEED_TREEBANKS names: the few columns these tests need."""


def read_trees(path):
    """(name, heads, labels) of every sentence; multiword-token rows and empty nodes left out."""
    name, heads, labels, count = "", [], [], 0
    with path.open(encoding="utf-8") as lines:
        for line in [*lines, "\n"]:
            line = line.rstrip("\n")
            if line.startswith("# sent_id"):
                name = line.partition("=")[2].strip()
            elif not line.strip() and heads:
                count += 1
                yield name or f"sentence {count}", heads, labels
                name, heads, labels = "", [], []
            elif line and line[0].isdigit():
                columns = line.split("\t")
                if columns[0].isdigit():
                    heads.append(int(columns[6]))
                    labels.append(columns[7])

"""What is compared: each system's worker, its settings, and how the table names them.

Settings are those that a system's own documentation gives as default; where a run is shortened, the table says so.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

UDPIPE_ITERATIONS, SPACY_STEPS, VW_PASSES, VW_BITS = 10, 20_000, 3, 26
YARA_ITERATIONS = 20


@dataclass(frozen=True)
class System:
    name: str  # as `--only` and the files of results have it: the peer, and which of its ways
    title: str  # as the table has it
    worker: str  # a module of peers_lib
    module: str | None  # what its interpreter must be able to import
    training: dict  # options that decide the model
    about: str  # the settings, in words, where nothing is shortened
    parsing: dict = field(default_factory=dict)  # options that decide how it parses
    reduced: str = ""  # what is less than the documented default

    @property
    def peer(self) -> str:
        """What `--python` calls it."""
        return self.name.partition("-")[0]


@dataclass(frozen=True)
class Limits:
    """How long the peers may train; the defaults are the documented ones."""

    udpipe_iterations: int = UDPIPE_ITERATIONS
    spacy_steps: int = SPACY_STEPS
    vw_passes: int = VW_PASSES


def all_systems(limits: Limits, malt: str | None = None, yara: str | None = None) -> list[System]:
    """In the order of the table; the first one is what the others are compared with."""
    systems = [*arcspeed(), *udpipe(limits.udpipe_iterations), *spacy(limits.spacy_steps), vw(limits.vw_passes)]
    return systems + [jar(name, path) for name, path in (("malt", malt), ("yara", yara)) if path]


def less(done: int, default: int, what: str) -> str:
    return f"{done} of {default} {what}" if done < default else ""


def arcspeed() -> Iterable[System]:
    learners = {"": ("", {}), "-rda": (", AdaGrad-RDA", {"learner": "adagrad-rda"})}
    features = {
        "-default": ("", "arc-standard", {}),
        "-fast": (", fast", "arc-standard", {"features": "fast"}),
        "-zn11": (", zn11", "arc-eager", {"features": "zn11"}),
    }
    for part, (features_title, system, chosen) in features.items():
        for end, (learner_title, learner) in learners.items():
            options = {**chosen, **learner}
            given = ", ".join(f"{key}={value}" for key, value in options.items()) or "all defaults"
            about = f"{system}, 10 epochs, the best on the development set is kept; {given}; slim model"
            title = f"arcspeed{features_title}{learner_title}"
            yield System(f"arcspeed{part}{end}", title, "with_arcspeed", "parser", options, about)


def udpipe(iterations: int) -> Iterable[System]:
    training = {"training": f"iterations={iterations}"}
    about = (
        "parser only (tokenizer=none, tagger=none), the manual's defaults: projective arc-standard, dynamic oracle, "
        f"structured_interval=8, hidden_layer=200, embeddings of form 50, UPOS 20, FEATS 20, DEPREL 20, "
        f"iterations={UDPIPE_ITERATIONS}, the best on the development set is kept; no pre-trained embeddings "
        "(the models for Universal Dependencies have them, and 30 iterations); parsing with "
    )
    ways = {
        "udpipe-greedy": ("UDPipe 1, greedy", "beam_search=0", "beam_search=0 (greedy)"),
        "udpipe-beam": ("UDPipe 1, its default beam", "", "its default, a beam of 5; the same model"),
    }
    for name, (title, options, words) in ways.items():
        reduced = less(iterations, UDPIPE_ITERATIONS, "iterations")
        yield System(name, title, "with_udpipe", "ufal.udpipe", training, about + words, {"parsing": options}, reduced)


def spacy(steps: int) -> Iterable[System]:
    about = (
        "`spacy init config --lang xx --pipeline parser --optimize efficiency`, from scratch, no vectors, one sentence "
        f"a Doc with its gold tokens and boundaries; max_steps={SPACY_STEPS}, patience=1600, the best on the "
        "development set is kept; "
    )
    ways = {
        "spacy-tags": (
            "spaCy, gold tags",
            True,
            "gold UPOS, XPOS, FEATS embedded too (POS, TAG, MORPH, 1000 rows each)",
        ),
        "spacy-words": ("spaCy, words only", False, "features as they come: NORM, PREFIX, SUFFIX, SHAPE, no tags"),
    }
    for name, (title, tags, words) in ways.items():
        options = {"tags": tags, "max_steps": steps}
        reduced = less(steps, SPACY_STEPS, "steps")
        yield System(name, title, "with_spacy", "spacy", options, about + words, {"tags": tags}, reduced)


def vw(passes: int) -> System:
    about = (
        "the settings of its demo `dependencyparsing`: arc-hybrid, roll-in mix_per_roll, roll-out oracle, "
        f"search_alpha=1e-5, search_history_length=3, nn=5, ftrl, {VW_PASSES} passes, lower-cased forms and tags; "
        f"{VW_BITS} bits of weights (30 would be 16 GB of memory); a pseudo-word ends every sentence (9.11 leaves the "
        "last word unattached)"
    )
    options = {"passes": passes, "bits": VW_BITS}
    reduced = less(passes, VW_PASSES, "passes")
    return System("vw", "Vowpal Wabbit", "with_vw", "vowpalwabbit", options, about, reduced=reduced)


def jar(name: str, path: str) -> System:
    if name == "malt":
        about = "the user guide's defaults (arc-eager, liblinear); time of parsing by difference, file to file"
        return System(name, "MaltParser", "with_jars", None, {"peer": name, "jar": path}, about)
    options = {"peer": name, "jar": path, "iterations": YARA_ITERATIONS, "beam": 1}
    about = f"beam:1 (greedy), iter:{YARA_ITERATIONS}, the last one is taken; time of parsing by difference"
    return System(name, "Yara", "with_jars", None, options, about)

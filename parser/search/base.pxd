"""What every way of parsing a sentence is to its callers."""

from libc.stdint cimport int32_t, uint8_t, uint64_t

from parser.common cimport feat_t, label_t
from parser.feature.atoms cimport Atomizer
from parser.feature.extract cimport Extractor
from parser.score.linear cimport LinearModel
from parser.search.workspace cimport Workspace
from parser.transition.gold cimport GoldC
from parser.treebank.batch cimport CellC


cdef struct ResultC:            # where the tree of a sentence goes
    int32_t* heads              # [n]
    label_t* labels             # [n]
    float* arcs                 # [n] probability of the arc where it was made, all labels together; or NULL
    float* labelled             # [n] probability of arc and label; NULL if arcs is


cdef struct DecisionC:          # one state of a parse, for calibration
    float p                     # the largest probability of a legal action
    uint8_t correct             # has the chosen action cost 0 here?
    uint8_t forced              # was it the only one?


cdef class SentenceParser:
    """Immutable: any number of threads may parse with one, each with a Workspace of its own."""
    cdef readonly Extractor extractor
    cdef readonly LinearModel model
    cdef readonly bint single_root
    cdef readonly int32_t n_labels

    # Room for the numbers of one state; call once per workspace.
    cdef int prepare(self, Workspace work) except -1
    # Parses a sentence: `words` is the row of ROOT of its values.
    cdef int parse_one(self, Workspace work, const feat_t* words, int32_t n, ResultC* out) except -1 nogil
    # The same for a sentence of which the cells are given, as Atomizer.fill_cells takes them; `values` has room for its
    # atoms_length.
    cdef int parse_cells(self, Workspace work, Atomizer atomizer, const CellC* cells, int32_t n, feat_t* values,
                         ResultC* out) except -1 nogil
    # The same for many sentences, which a parser may work on side by side: start, then put them one by one, then
    # finish. The trees are there when finish returns; what is given beside `out` is not needed longer than put takes.
    cdef void start(self, Workspace work) noexcept nogil
    cdef int put_one(self, Workspace work, const feat_t* words, int32_t n, ResultC* out) except -1 nogil
    # A sentence of a corpus: of its words, the keys of their values are known.
    cdef int put_example(self, Workspace work, const feat_t* words, const uint64_t* keys, int32_t n,
                         ResultC* out) except -1 nogil
    cdef int put_cells(self, Workspace work, Atomizer atomizer, const CellC* cells, int32_t n, feat_t* values,
                       ResultC* out) except -1 nogil
    cdef int finish(self, Workspace work) except -1 nogil
    # As parse_one, judging each decision by the gold tree in work.gold; `out` has room for 2n + 2. Gives their number.
    cdef int32_t judge_one(self, Workspace work, const feat_t* words, int32_t n, DecisionC* out) except -1 nogil
    # Each step as a dict, for people to read.
    cdef list trace_one(self, Workspace work, const feat_t* words, int32_t n)

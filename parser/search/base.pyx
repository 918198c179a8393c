"""The base of the parsers, and their use from Python."""

from libc.stdint cimport int32_t, uint64_t

from parser.common cimport CHECK, feat_t


cdef class SentenceParser:
    """Not used itself: a parser overrides put_one; and start, put_cells, finish if it parses many side by side."""

    cdef int prepare(self, Workspace work) except -1:
        work.prepare(self.model.n_actions, self.extractor.max_features)
        return 0

    cdef int parse_one(self, Workspace work, const feat_t* words, int32_t n, ResultC* out) except -1 nogil:
        self.start(work)
        self.put_one(work, words, n, out)
        return self.finish(work)

    cdef int parse_cells(self, Workspace work, Atomizer atomizer, const CellC* cells, int32_t n, feat_t* values,
                         ResultC* out) except -1 nogil:
        self.start(work)
        self.put_cells(work, atomizer, cells, n, values, out)
        return self.finish(work)

    cdef void start(self, Workspace work) noexcept nogil:
        pass

    cdef int put_one(self, Workspace work, const feat_t* words, int32_t n, ResultC* out) except -1 nogil:
        CHECK(False)
        return 0

    cdef int put_example(self, Workspace work, const feat_t* words, const uint64_t* keys, int32_t n,
                         ResultC* out) except -1 nogil:
        return self.put_one(work, words, n, out)

    cdef int put_cells(self, Workspace work, Atomizer atomizer, const CellC* cells, int32_t n, feat_t* values,
                       ResultC* out) except -1 nogil:
        atomizer.fill_cells(cells, n, values)
        return self.put_one(work, values + self.extractor.stride, n, out)

    cdef int finish(self, Workspace work) except -1 nogil:
        return 0

    cdef int32_t judge_one(self, Workspace work, const feat_t* words, int32_t n, DecisionC* out) except -1 nogil:
        CHECK(False)
        return 0

    cdef list trace_one(self, Workspace work, const feat_t* words, int32_t n):
        raise TypeError("SentenceParser is a base: GreedyParser and EasyParser parse")

"""The values of words: hashes of strings, made once per distinct string.

Unknown words need no vocabulary: their forms, affixes and shapes hash like any other. Strings are remembered per
Atomizer, which is working memory, not part of a model.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

import numpy as np

from parser.common cimport MISSING, ROOT, feat_t, id_t
from parser.feature.ascii cimport (LONGEST_ASCII, OF_FEAT, OF_LOWER, OF_PREFIX, OF_PYTHON, OF_SHAPE, OF_SUFFIX,
                                   OF_WHOLE, AskedC, ascii_text, is_ascii)
from parser.feature.hashing cimport FEATURE_NONE, FEATURE_ROOT, feature_factor, feature_spread, string_value
from parser.treebank.batch cimport Batch, BatchC, CellC, SentenceC, inner_cell
from parser.treebank.vocab cimport StringTable, TextC, intern_cell

from parser.feature.attributes import CLASS_TAGS, COLUMNS, Attribute, attribute_text
from parser.feature.hashing import seed_of

cdef enum:
    FORM = 0
    LEMMA = 1
    UPOS = 2
    XPOS = 3
    FEATS = 4
    MOST_STRINGS = 1 << 17      # of one column, before they are forgotten
    MOST_COMBINED = 8

KINDS = {"feat": OF_FEAT, "prefix": OF_PREFIX, "suffix": OF_SUFFIX, "lower": OF_LOWER, "shape": OF_SHAPE}
KINDS |= dict.fromkeys("wuxfm", OF_WHOLE)


cdef const char* NO_CELL = "\0\0\0\0\0\0\0\0"      # of a batch, padded as all its cells are


cdef class Atomizer:
    def __cinit__(self):
        self.ids = NULL
        self.combinations = NULL
        self.ids_room = 0
        for column in range(N_COLUMNS):
            self.columns[column].values, self.columns[column].asked = NULL, NULL

    def __init__(self, plan, clusters=None):
        self.plan = plan
        self.clusters = dict(clusters or {})
        self.form, self.lemma, self.upos = StringTable("form"), StringTable("lemma"), StringTable("upos")
        self.xpos, self.feats = StringTable("xpos"), StringTable("feats")
        self.attributes, self.names = [[] for _ in COLUMNS], []
        where = self.lay_out(plan)
        self.stride = <int32_t>len(plan.stored)
        self.combinations = <CombinationC*>calloc(max(self.stride, 1), sizeof(CombinationC))
        if self.combinations == NULL:
            raise MemoryError(f"no memory for {self.stride} values of a word")
        for k, ids in enumerate(plan.stored):
            if len(ids) > MOST_COMBINED:
                raise ValueError(f"{len(ids)} attributes of one word in a template, at most {MOST_COMBINED}")
            self.combinations[k].n = <int32_t>len(ids)
            for i, attribute in enumerate(ids):
                self.combinations[k].base[i] = where[plan.attributes[attribute]]

    def lay_out(self, plan):
        """Gives every attribute its place among the base values: column by column, then those of several columns."""
        needed = list(plan.attributes)
        specials = [attribute for attribute in needed if not attribute.column]
        classes = {"adp", "cc"} if any(a.kind == "t" for a in specials) else {a.kind for a in specials}
        if any(a.kind == "t" for a in specials):
            needed += [Attribute("w", "", "form"), Attribute(plan.pos[0], "", plan.pos)]
        for kind in sorted(classes):
            needed += [Attribute("is", tag, column)
                       for tag, column in zip(CLASS_TAGS[kind], ("upos", "xpos"), strict=True)]
        where = {}
        for number, column in enumerate(COLUMNS):
            found = list(dict.fromkeys(attribute for attribute in needed if attribute.column == column))
            self.attributes[number] = found
            self.columns[number].width = <int32_t>len(found)
            self.columns[number].first = <int32_t>len(where)
            self.ask(&self.columns[number], found)
            where |= {attribute: len(where) + i for i, attribute in enumerate(found)}
        for number, kind in enumerate(("t", "adp", "cc")):
            self.special[number] = -1
            if kind == "t" and Attribute(kind) in specials or kind in classes:
                self.special[number] = <int32_t>len(where)
                where[Attribute(kind)] = len(where)
        for number, kind in enumerate(("adp", "cc")):
            for side, column in enumerate(("upos", "xpos")):
                self.class_at[number][side] = where.get(Attribute("is", CLASS_TAGS[kind][side], column), -1)
        self.form_at = where.get(Attribute("w", "", "form"), -1)
        self.pos_at = where.get(Attribute(plan.pos[0], "", plan.pos), -1)
        self.n_base = <int32_t>len(where)
        if self.n_base > MAX_BASE:
            raise ValueError(f"{self.n_base} attributes of a word, at most {<int>MAX_BASE}")
        return where

    cdef int ask(self, ColumnC* column, attributes) except -1:
        column.asked = <AskedC*>calloc(max(len(attributes), 1), sizeof(AskedC))
        if column.asked == NULL:
            raise MemoryError(f"no memory for {len(attributes)} attributes of a word")
        for k, attribute in enumerate(attributes):
            name = attribute.argument.encode()
            self.names.append(name)     # lives as long as the pointer to it
            letters = int(name) if attribute.kind in ("prefix", "suffix") else len(name)
            column.asked[<int>k] = AskedC(KINDS.get(attribute.kind, <int>OF_PYTHON), letters, <const char*>name,
                                          seed_of(attribute.name))
        return 0

    def __dealloc__(self):
        for column in range(N_COLUMNS):
            free(self.columns[column].values)
            free(self.columns[column].asked)
        free(self.combinations)
        free(self.ids)

    cdef int begin(self, Batch batch) except -1:
        self.n_read = 0
        for number, column in enumerate(COLUMNS):
            if self.columns[number].width > 0 or number == FORM:
                self.read[self.n_read] = number
                self.n_read += 1
            self.place[number] = batch.layout.column(column)
            if self.place[number] >= 0 and self.columns[number].width == 0 and number != FORM:
                self.place[number] = -1     # not asked for
        self.is_padded = True
        self.forget_if_many()
        return 0

    def forget_if_many(self):
        if len(self.form) > MOST_STRINGS:
            self.form = StringTable("form")
            self.columns[FORM].n_known = 0
        if len(self.lemma) > MOST_STRINGS:
            self.lemma = StringTable("lemma")
            self.columns[LEMMA].n_known = 0
        if len(self.upos) > MOST_STRINGS or len(self.xpos) > MOST_STRINGS or len(self.feats) > MOST_STRINGS:
            self.upos, self.xpos, self.feats = StringTable("upos"), StringTable("xpos"), StringTable("feats")
            self.columns[UPOS].n_known = self.columns[XPOS].n_known = self.columns[FEATS].n_known = 0

    cdef int reserve_ids(self, int32_t n) except -1 nogil:
        cdef void* grown
        if n > self.ids_room:
            grown = realloc(self.ids, 2 * <size_t>n * N_COLUMNS * sizeof(id_t))
            if grown == NULL:
                with gil:
                    raise MemoryError(f"no memory for a sentence of {n} words")
            self.ids = <id_t*>grown
            self.ids_room = 2 * n
        return 0

    cdef int fill(self, Batch batch, uint32_t sentence, feat_t* out) except -1 nogil:
        cdef const SentenceC* s = &batch.c.sentences[sentence]
        cdef int32_t i, n = <int32_t>(s[1].first_word - s.first_word)
        cdef uint32_t word
        cdef id_t* ids
        cdef CellC cell
        cdef bint form_is_underscore
        self.reserve_ids(n)
        for i in range(n):
            word = s.first_word + <uint32_t>i
            ids = self.ids + i * N_COLUMNS
            cell = inner_cell(&batch.c, word, self.place[FORM])
            form_is_underscore = is_underscore(cell)
            if self.columns[FORM].width > 0:
                ids[FORM] = intern_cell(self.form, cell.start, cell.length)
            ids[LEMMA] = ids[UPOS] = ids[XPOS] = ids[FEATS] = MISSING
            if self.place[LEMMA] >= 0:
                cell = inner_cell(&batch.c, word, self.place[LEMMA])
                if form_is_underscore or not is_underscore(cell):
                    ids[LEMMA] = intern_cell(self.lemma, cell.start, cell.length)
            if self.place[UPOS] >= 0:
                cell = inner_cell(&batch.c, word, self.place[UPOS])
                if not is_underscore(cell):
                    ids[UPOS] = intern_cell(self.upos, cell.start, cell.length)
            if self.place[XPOS] >= 0:
                cell = inner_cell(&batch.c, word, self.place[XPOS])
                if not is_underscore(cell):
                    ids[XPOS] = intern_cell(self.xpos, cell.start, cell.length)
            if self.place[FEATS] >= 0:
                cell = inner_cell(&batch.c, word, self.place[FEATS])
                if not is_underscore(cell):
                    ids[FEATS] = intern_cell(self.feats, cell.start, cell.length)
        return self.write_rows(n, out)

    cdef int begin_cells(self) except -1:
        self.is_padded = False
        self.forget_if_many()
        return 0

    cdef int fill_cells(self, const CellC* cells, int32_t n, feat_t* out) except -1 nogil:
        cdef int32_t i, c
        cdef id_t* ids
        cdef CellC cell
        cdef bint form_is_underscore
        self.reserve_ids(n)
        for i in range(n):
            ids = self.ids + i * N_COLUMNS
            form_is_underscore = is_underscore(cells[i * N_COLUMNS + FORM])
            for c in range(N_COLUMNS):
                cell = cells[i * N_COLUMNS + c]
                ids[c] = MISSING
                if self.columns[c].width == 0 or cell.length == 0:
                    continue
                if is_underscore(cell) and c != FORM and (c != LEMMA or not form_is_underscore):
                    continue
                ids[c] = self.intern_in(c, cell)
        return self.write_rows(n, out)

    cdef void gather(self, Batch batch, uint32_t sentence, CellC* cells) noexcept nogil:
        cdef const SentenceC* s = &batch.c.sentences[sentence]
        cdef const BatchC* b = &batch.c
        cdef const uint32_t* tab        # those of a row
        cdef uint32_t word
        cdef int32_t k, c, place
        for word in range(s.first_word, s[1].first_word):
            tab = b.index.tab + b.index.tab0[b.word_line[word]]
            for k in range(self.n_read):
                c, place = self.read[k], self.place[self.read[k]]
                if place >= 0:
                    cells[c].start = b.text + tab[place - 1] + 1
                    cells[c].length = <int32_t>(tab[place] - tab[place - 1] - 1)
                else:
                    cells[c].start, cells[c].length = NO_CELL, 0
            cells += N_COLUMNS

    cdef inline id_t intern_in(self, int32_t column, CellC cell) except -1 nogil:
        if column == FORM:
            return self.form.intern(cell.start, cell.length)
        if column == UPOS:
            return self.upos.intern(cell.start, cell.length)
        if column == XPOS:
            return self.xpos.intern(cell.start, cell.length)
        if column == FEATS:
            return self.feats.intern(cell.start, cell.length)
        return self.lemma.intern(cell.start, cell.length)

    cdef int write_rows(self, int32_t n, feat_t* out) except -1 nogil:
        """The rows of the missing word, of ROOT, and of the n words whose ids are at hand."""
        cdef feat_t base[MAX_BASE]
        cdef int32_t i, k, c
        cdef const ColumnC* column
        cdef const id_t* ids
        for k in range(self.n_base):
            base[k] = FEATURE_NONE
        self.write_row(base, out)
        for k in range(self.n_base):
            base[k] = FEATURE_ROOT
        for k in range(1, 3):           # ROOT is of no class
            if self.special[k] >= 0:
                base[self.special[k]] = FEATURE_NONE
        self.write_row(base, out + self.stride)
        for i in range(n):
            ids = self.ids + i * N_COLUMNS
            for c in range(N_COLUMNS):
                column = &self.columns[c]
                if column.width > 0:
                    if ids[c] >= column.n_known:
                        self.learn(c, ids[c])
                    memcpy(base + column.first, column.values + <size_t>ids[c] * column.width,
                           column.width * sizeof(feat_t))
            self.add_specials(ids, base)
            self.write_row(base, out + <size_t>(i + 2) * self.stride)
        return 0

    cdef void write_row(self, const feat_t* base, feat_t* row) noexcept nogil:
        cdef int32_t k, i
        cdef feat_t total
        cdef const CombinationC* c
        for k in range(self.stride):
            c = &self.combinations[k]
            if c.n == 1:
                row[k] = base[c.base[0]]
                continue
            total = 0
            for i in range(c.n):
                total += base[c.base[i]] * feature_factor[i]
            row[k] = feature_spread(total)

    cdef void add_specials(self, const id_t* ids, feat_t* base) noexcept nogil:
        """adp, cc: by UPOS where the word has one, else by XPOS; t: the tag, of these two classes with the form."""
        cdef int32_t k, by = 0 if ids[UPOS] != MISSING else 1
        cdef bint function_word = False
        for k in range(2):
            if self.special[k + 1] >= 0:
                base[self.special[k + 1]] = base[self.class_at[k][by]]
                function_word |= base[self.special[k + 1]] != FEATURE_NONE
        if self.special[0] >= 0:
            base[self.special[0]] = base[self.pos_at]
            if function_word:
                base[self.special[0]] = feature_spread(base[self.pos_at] * feature_factor[0]
                                                       + base[self.form_at] * feature_factor[1])

    cdef int learn(self, int32_t column, id_t last) except -1 nogil:
        with gil:
            return self.learn_strings(column, last)

    cdef int learn_strings(self, int32_t number, id_t last) except -1:
        """The values of the strings up to id `last` that are new in a column."""
        cdef ColumnC* column = &self.columns[number]
        cdef StringTable table = (self.form, self.lemma, self.upos, self.xpos, self.feats)[number]
        cdef void* grown
        cdef int32_t k, length
        cdef feat_t* values
        cdef const AskedC* asked
        cdef TextC text
        cdef bint plain
        cdef char out[LONGEST_ASCII]
        if last >= column.room:
            grown = realloc(column.values, 2 * <size_t>(last + 1) * column.width * sizeof(feat_t))
            if grown == NULL:
                raise MemoryError(f"no memory for the values of {last} different strings")
            column.values = <feat_t*>grown
            column.room = 2 * (last + 1)
        while column.n_known <= last:
            values = column.values + <size_t>column.n_known * column.width
            text = table.texts[column.n_known]
            plain = text.length <= LONGEST_ASCII and is_ascii(text.start, text.length)
            for k in range(column.width):
                asked = &column.asked[k]
                if column.n_known <= ROOT:      # ids 0 to 2 are no strings
                    values[k] = FEATURE_NONE
                elif asked.kind == OF_WHOLE:
                    values[k] = string_value(text.start, text.length, asked.seed)
                elif plain and asked.kind != OF_PYTHON:
                    length = ascii_text(asked, text.start, text.length, out)
                    values[k] = string_value(out, length, asked.seed) if length >= 0 else FEATURE_NONE
                else:
                    values[k] = self.value(self.attributes[number][k], table.string(column.n_known), asked.seed)
            column.n_known += 1
        return 0

    def value(self, attribute, str cell, uint64_t seed):
        """The hash of what the attribute says of a cell."""
        if attribute.kind == "is":
            return FEATURE_NONE if cell != attribute.argument else FEATURE_ROOT
        text = attribute_text(attribute, cell, self.clusters)
        if text is None:
            return FEATURE_NONE
        encoded = text.encode()
        return string_value(encoded, <int32_t>len(encoded), seed)

    # From Python

    def sentence(self, columns):
        """The rows of a sentence given as lists of strings by column ("form", "upos", ...): an array (n + 2, stride).

        A column that is left out is missing throughout, as is `_` in a column but the form, and an empty string.
        """
        forms = columns["form"]
        n = len(forms)
        for name, cells in columns.items():
            if len(cells) != n:
                raise ValueError(f"{n} words but {len(cells)} cells in column '{name}'")
        self.reserve_ids(<int32_t>n)
        self.forget_if_many()
        tables = (self.form, self.lemma, self.upos, self.xpos, self.feats)
        cdef int32_t i, number
        for number, name in enumerate(COLUMNS):
            cells = columns.get(name)
            for i in range(<int32_t>n):
                if self.columns[number].width == 0 or cells is None or missing(name, cells[i], forms[i]):
                    self.ids[i * N_COLUMNS + number] = MISSING
                else:
                    self.ids[i * N_COLUMNS + number] = tables[number].add(cells[i])
        rows = np.empty((n + 2, self.stride), np.uint64)
        cdef feat_t[:, ::1] view = rows
        if rows.size:
            self.write_rows(<int32_t>n, &view[0, 0])
        return rows

    def batch_sentence(self, Batch batch not None, uint32_t number):
        """The same for a sentence of a batch."""
        if number >= batch.c.n_sentences:
            raise IndexError(f"sentence {number} of a batch of {batch.c.n_sentences}")
        self.begin(batch)
        n = batch.c.sentences[number + 1].first_word - batch.c.sentences[number].first_word
        rows = np.empty((n + 2, self.stride), np.uint64)
        cdef feat_t[:, ::1] view = rows
        if rows.size:
            self.fill(batch, number, &view[0, 0])
        return rows


cdef inline bint is_underscore(CellC cell) noexcept nogil:
    return cell.length == 1 and cell.start[0] == c"_"


def missing(str column, str cell, str form):
    if not cell:
        return True
    return cell == "_" and (column not in ("form", "lemma") or (column == "lemma" and form != "_"))

"""Columns of strings in memory that belongs to somebody else.

A column is laid out as Arrow lays out strings: all characters behind each other in UTF-8, and where each string starts.
Nothing is copied; a column that was checked is read without the GIL. It must not be written to meanwhile.
"""

from cpython.buffer cimport PyBUF_FORMAT, PyBUF_STRIDES, PyBuffer_Release, PyObject_CheckBuffer, PyObject_GetBuffer
from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

import sys

import numpy as np

from parser.feature.atoms cimport N_COLUMNS
from parser.treebank.batch cimport CellC, utf8_valid_prefix

from parser.feature.attributes import COLUMNS

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cdef enum:
    LONGEST = 0x7FFFFFFF

cdef const char* NOTHING = "_"      # what a form that is not there is taken for

SIGNED = {1: IntKind.I8, 2: IntKind.I16, 4: IntKind.I32, 8: IntKind.I64}
UNSIGNED = {1: IntKind.U8, 2: IntKind.U16, 4: IntKind.U32, 8: IntKind.U64}


cdef class Memory:
    def __cinit__(self):
        self.held = False

    def __init__(self, values, str name not None):
        """values: anything with the buffer protocol, one-dimensional and contiguous."""
        if not PyObject_CheckBuffer(values):
            raise TypeError(f"{name}: expected a numpy array or another buffer, not {type(values).__name__}")
        PyObject_GetBuffer(values, &self.view, PyBUF_FORMAT | PyBUF_STRIDES)
        self.held = True
        if self.view.ndim != 1:
            raise ValueError(f"{name}: {self.view.ndim} dimensions, expected 1")
        if self.view.shape[0] > 1 and self.view.strides[0] != self.view.itemsize:
            raise ValueError(f"{name}: elements are {self.view.strides[0]} bytes apart, expected contiguous memory "
                             "(numpy.ascontiguousarray makes a copy that is)")

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.view)


cdef class Ints(Memory):
    """Whole numbers of any width."""

    def __init__(self, values, str name not None):
        super().__init__(values, name)
        given = "B" if self.view.format == NULL else (<bytes>self.view.format).decode()
        kinds = SIGNED if given.endswith(tuple("bhilqn")) else UNSIGNED if given.endswith(tuple("BHILQN")) else {}
        is_foreign = given.startswith((">", "!") if sys.byteorder == "little" else "<")
        if self.view.itemsize not in kinds or is_foreign or len(given.lstrip("@=<>!")) != 1:
            raise TypeError(f"{name}: elements of format '{given}', expected whole numbers")
        if <size_t>self.view.buf % <size_t>self.view.itemsize != 0 and self.view.shape[0] > 0:
            raise ValueError(f"{name}: elements are not aligned to their {self.view.itemsize} bytes")
        self.c.data = self.view.buf
        self.c.kind = kinds[self.view.itemsize]
        self.c.n = self.view.shape[0]


cdef Ints no_ints():
    return Ints.__new__(Ints)


cdef class Strings:
    """A column of strings as Arrow lays it out, in memory that is not copied.

    data     the characters of all strings behind each other, in UTF-8
    offsets  whole numbers, one more than there are strings: where in `data` each starts, and the last one ends
    codes    whole numbers, one a word: which of the strings it has, negative for none (a dictionary-encoded column).
             Left out, word i has string i.
    valid    bits, one a word, the lowest of a byte first: 0 where there is no value. Left out, all are there.
    first_bit  the bit of `valid` that belongs to the first word

    Each may be a numpy array or anything else with the buffer protocol, read-only included, of whole numbers of any
    width; `data` and `valid` of bytes. What is wrong with them is a ValueError or a TypeError. Nothing may write to
    them while a Strings is in use.
    """

    def __init__(self, data, offsets, codes=None, valid=None, int64_t first_bit=0):
        self.data, self.offsets = Memory(data, "data"), Ints(offsets, "offsets")
        self.codes = no_ints() if codes is None else Ints(codes, "codes")
        if self.data.view.itemsize != 1:
            raise TypeError(f"data: elements of {self.data.view.itemsize} bytes, expected bytes")
        if self.offsets.c.n < 1:
            raise ValueError("offsets: none, expected one more than there are strings")
        self.c.data = <const char*>self.data.view.buf
        self.c.offsets, self.c.codes = self.offsets.c, self.codes.c
        self.c.n = self.offsets.c.n - 1 if codes is None else self.codes.c.n
        if codes is not None and self.codes.c.n == 0:
            self.c.codes.data = <const void*>NOTHING    # there are codes, though none of them
        self.c.valid = NULL
        if valid is not None:
            self.valid = Memory(valid, "valid")
            if first_bit < 0 or self.valid.view.len * 8 - self.c.n < first_bit:
                raise ValueError(f"valid: {self.valid.view.len * 8} bits, expected {first_bit + self.c.n}")
            self.c.valid, self.c.first_bit = <const uint8_t*>self.valid.view.buf, first_bit
        self.check(self.data.view.len, self.offsets.c.n - 1)

    @staticmethod
    def of(strings):
        """A column of a list (or another iterable) of str."""
        cdef Py_ssize_t length
        cdef int64_t total = 0, i
        cdef const char* start
        given = list(strings)
        offsets = np.zeros(len(given) + 1, np.int64)
        cdef int64_t[::1] ends = offsets
        for i, text in enumerate(given):
            start = utf8_of(text, i, &length)
            total += length
            ends[i + 1] = total
        data = bytearray(total)
        cdef char* out = PyByteArray_AS_STRING(data)
        for i, text in enumerate(given):
            start = utf8_of(text, i, &length)
            memcpy(out + ends[i], start, length)
        return Strings(data, offsets)

    def __len__(self):
        """Number of words."""
        return self.c.n

    def __getitem__(self, int64_t i):
        """The i-th word's string; None where there is none."""
        if not -self.c.n <= i < self.c.n:
            raise IndexError(f"word {i} of {self.c.n}")
        cdef CellC cell = string_at(&self.c, i if i >= 0 else i + self.c.n)
        return None if cell.start == NULL else cell.start[:cell.length].decode()

    cdef int check(self, int64_t n_bytes, int64_t n_strings) except -1:
        """That no word's string is outside of `data` or is not UTF-8."""
        cdef int64_t i, at = 0, before = int_at(&self.c.offsets, 0), first = before, end, wrong = -1
        cdef size_t valid_bytes
        cdef StringsC* c = &self.c
        with nogil:
            for i in range(1, n_strings + 1):
                at = int_at(&c.offsets, i)
                if before < 0 or at < before or at - before > LONGEST:
                    wrong = i
                    break
                before = at
        end = int_at(&c.offsets, n_strings)
        if first >= 0 and wrong >= 0:
            raise ValueError(f"offsets: {before} is followed by {at}, expected ascending numbers")
        if first < 0 or end > n_bytes:
            raise ValueError(f"offsets: {first} to {end}, expected 0 to at most {n_bytes}, the bytes of data")
        with nogil:
            valid_bytes = utf8_valid_prefix(c.data + first, <size_t>(end - first))
            if valid_bytes == <size_t>(end - first):
                wrong = self.split_character(n_strings, end)
        if valid_bytes < <size_t>(end - first):
            raise ValueError(f"data: byte 0x{<uint8_t>c.data[first + <int64_t>valid_bytes]:02X} at "
                             f"{first + <int64_t>valid_bytes} is not valid UTF-8")
        if wrong >= 0:
            raise ValueError(f"offsets: {int_at(&c.offsets, wrong)} is inside of a character of data")
        with nogil:
            wrong = self.wrong_code(n_strings)
        if wrong >= 0:
            raise ValueError(f"codes: {int_at(&c.codes, wrong)} of word {wrong}, expected less than {n_strings}, "
                             "the number of strings")
        return 0

    cdef int64_t split_character(self, int64_t n_strings, int64_t end) noexcept nogil:
        """The first offset between the bytes of one character, or -1."""
        cdef int64_t i, at
        for i in range(n_strings + 1):
            at = int_at(&self.c.offsets, i)
            if at < end and <uint8_t>self.c.data[at] & 0xC0 == 0x80:
                return i
        return -1

    cdef int64_t wrong_code(self, int64_t n_strings) noexcept nogil:
        """The first word whose code is that of no string, or -1. Where there is no value the code means nothing."""
        cdef int64_t i, bit
        if self.c.codes.data == NULL:
            return -1
        for i in range(self.c.n):
            bit = self.c.first_bit + i
            if int_at(&self.c.codes, i) >= n_strings:
                if self.c.valid == NULL or self.c.valid[bit >> 3] >> (bit & 7) & 1:
                    return i
        return -1


cdef class Words:
    def __init__(self, columns, offsets, int64_t number=0):
        """columns: Strings by name (form, lemma, upos, xpos, feats), form at least; offsets: of the sentences.

        number: what the first sentence is called in messages.
        """
        self.owners = list(columns.values())
        self.offsets = Ints(offsets, "sentence offsets")
        for column, name in enumerate(COLUMNS):
            self.given[column] = columns.get(name) is not None
            if self.given[column]:
                self.columns[column] = (<Strings?>columns[name]).c
        if self.offsets.c.n < 1:
            raise ValueError("sentence offsets: none, expected one more than there are sentences")
        self.n_sentences = self.offsets.c.n - 1
        self.first = int_at(&self.offsets.c, 0)
        self.n_words = int_at(&self.offsets.c, self.n_sentences) - self.first if self.first >= 0 else 0
        self.check(number)

    cdef int check(self, int64_t number) except -1:
        """That sentences are within the columns, and no form is empty."""
        cdef int64_t k, end = self.first + self.n_words, empty
        cdef const IntsC* at = &self.offsets.c
        k = self.descent()
        if self.first < 0 or k > 0:
            raise ValueError(f"sentence offsets: {int_at(at, max(k - 1, 0))} is followed by {int_at(at, k)}, expected "
                             "numbers from 0 on that ascend")
        for column, name in enumerate(COLUMNS):
            if self.given[column] and end > self.columns[column].n:
                raise ValueError(f"sentence offsets: up to {end}, but {self.columns[column].n} values of {name}")
        with nogil:
            empty = self.empty_form()
        if empty >= 0:
            k = 0
            while int_at(at, k + 1) <= empty:
                k += 1
            raise ValueError(f"sentence {number + k}: word {empty - int_at(at, k)} is empty, expected words of at "
                             "least one character")
        return 0

    cdef int64_t descent(self) noexcept nogil:
        """The first sentence offset below the one before it, or too far from it; 0: none."""
        cdef int64_t k, at, before = self.first
        for k in range(1, self.n_sentences + 1):
            at = int_at(&self.offsets.c, k)
            if at < before or (before >= 0 and at - before > LONGEST // 8):
                return k
            before = at
        return 0

    cdef int64_t empty_form(self) noexcept nogil:
        cdef int64_t i
        cdef CellC cell
        for i in range(self.first, self.first + self.n_words):
            cell = string_at(&self.columns[0], i)
            if cell.length == 0 and cell.start != NULL:
                return i
        return -1

    cdef void gather(self, int64_t first, int32_t n, CellC* cells) noexcept nogil:
        cdef int32_t i, column
        for column in range(N_COLUMNS):
            if not self.given[column]:
                for i in range(n):
                    cells[i * N_COLUMNS + column].length = 0
                continue
            for i in range(n):
                cells[i * N_COLUMNS + column] = string_at(&self.columns[column], first + i)
        for i in range(n):
            if cells[i * N_COLUMNS].length == 0:
                cells[i * N_COLUMNS].start, cells[i * N_COLUMNS].length = NOTHING, 1

    def pieces(self, int64_t most_words):
        """Numbers of sentences at which to cut, 0 and n_sentences included: a piece is of so many words or one
        sentence."""
        cdef int64_t k, start = self.first, at
        cuts = [0]
        for k in range(1, self.n_sentences + 1):
            at = int_at(&self.offsets.c, k)
            if at - start > most_words and k - 1 > cuts[len(cuts) - 1]:
                cuts.append(k - 1)
                start = int_at(&self.offsets.c, k - 1)
        if self.n_sentences > 0:
            cuts.append(self.n_sentences)
        return cuts

    def place(self, int64_t sentence):
        """Where among the results the sentence's first word stands."""
        if not 0 <= sentence <= self.n_sentences:
            raise IndexError(f"sentence {sentence} of {self.n_sentences}")
        return int_at(&self.offsets.c, sentence) - self.first


cdef const char* utf8_of(object text, int64_t i, Py_ssize_t* length) except NULL:
    cdef const char* start
    if not isinstance(text, str):
        raise TypeError(f"word {i}: expected a str, not {type(text).__name__}")
    try:
        start = PyUnicode_AsUTF8AndSize(text, length)
    except UnicodeEncodeError:
        raise ValueError(f"word {i}: {text!r} is not valid Unicode") from None
    if length[0] > LONGEST:
        raise ValueError(f"word {i}: {length[0]} bytes, at most {<int64_t>LONGEST}")
    return start


cdef int cells_of(object strings, int32_t column, int32_t n, CellC* cells) except -1:
    cdef int32_t i
    cdef Py_ssize_t length
    cdef CellC* cell
    if strings is None:
        for i in range(n):
            cells[i * N_COLUMNS + column].length = 0
        return 0
    for i in range(n):
        cell = &cells[i * N_COLUMNS + column]
        cell.start = utf8_of(strings[i], i, &length)
        cell.length = <int32_t>length
        if length == 0 and column == 0:
            raise ValueError(f"word {i} is empty, expected words of at least one character")
    return 0

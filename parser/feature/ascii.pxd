"""What words of ASCII letters can be asked for: as attributes.py says it, without a Python object.

Words are met once, but in new text there are many of them: a dozen strings each took a third of the time of parsing.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcmp

cdef enum:
    LONGEST_ASCII = 256     # bytes of a word
    ASCII_RUN = 4           # as LONGEST_RUN
    OF_PYTHON = 0           # kinds; this one: ask attributes.py
    OF_WHOLE = 1
    OF_FEAT = 2
    OF_PREFIX = 3
    OF_SUFFIX = 4
    OF_LOWER = 5
    OF_SHAPE = 6


cdef struct AskedC:         # an attribute
    int32_t kind
    int32_t argument        # letters of an affix; bytes of an attribute's name
    const char* name        # of an attribute of FEATS
    uint64_t seed


cdef inline bint is_ascii(const char* text, int32_t n) noexcept nogil:
    cdef int32_t i
    cdef unsigned char found = 0
    for i in range(n):
        found |= <unsigned char>text[i]
    return found < 128


cdef inline char lower(char c) noexcept nogil:
    return <char>(c | 32) if c"A" <= c <= c"Z" else c


cdef inline int32_t lowered(const char* cell, int32_t start, int32_t end, char* out) noexcept nogil:
    cdef int32_t i
    for i in range(start, end):
        out[i - start] = lower(cell[i])
    return end - start


cdef inline char shape_of(char c) noexcept nogil:
    if c"0" <= c <= c"9":
        return c"9"
    if c"A" <= c <= c"Z":
        return c"X"
    return c"x" if c"a" <= c <= c"z" else c


cdef inline int32_t shape_text(const char* cell, int32_t n, char* out) noexcept nogil:
    cdef int32_t i, length = 0, run = 0
    cdef char c
    for i in range(n):
        c = shape_of(cell[i])
        run = run + 1 if length > 0 and out[length - 1] == c else 1
        if run <= ASCII_RUN:
            out[length] = c
            length += 1
    return length


cdef inline int32_t feat_text(const char* cell, int32_t n, const AskedC* asked, char* out) noexcept nogil:
    """-1: the cell has no such attribute."""
    cdef int32_t start = 0, end, i, m = asked.argument
    while start <= n:
        end = start
        while end < n and cell[end] != c"|":
            end += 1
        if end - start > m and cell[start + m] == c"=" and memcmp(cell + start, asked.name, m) == 0:
            for i in range(start + m + 1, end):
                out[i - start - m - 1] = cell[i]
            return end - start - m - 1
        start = end + 1
    return -1


cdef inline int32_t ascii_text(const AskedC* asked, const char* cell, int32_t n, char* out) noexcept nogil:
    """Writes an attribute of a cell (neither OF_PYTHON nor OF_WHOLE) and gives its length; -1: the word has none."""
    cdef int32_t m = min(asked.argument, n)
    if asked.kind == OF_PREFIX:
        return lowered(cell, 0, m, out)
    if asked.kind == OF_SUFFIX:
        return lowered(cell, n - m, n, out)
    if asked.kind == OF_LOWER:
        return lowered(cell, 0, n, out)
    if asked.kind == OF_SHAPE:
        return shape_text(cell, n, out)
    return feat_text(cell, n, asked, out)

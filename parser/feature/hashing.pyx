"""Hashing of strings, and the mixing functions as Python sees them (tests, reference, compiling of templates)."""

from libc.stdint cimport int32_t, uint64_t
from murmurhash.mrmr cimport hash64

from parser.common cimport feat_t

cdef enum:
    SEED = 0x66656174           # "feat": fixed for ever, since stored models hold hashed features

NONE = FEATURE_NONE
ROOT_VALUE = FEATURE_ROOT
FACTORS = tuple([feature_factor[i] for i in range(FEATURE_FACTORS)])


cdef feat_t string_value(const char* text, int32_t length, uint64_t seed) noexcept nogil:
    """MurmurHash64A (Appleby). The cast drops a const that the C declaration lacks; the bytes are only read."""
    cdef feat_t value = hash64(<void*>text, length, seed)
    while value == 0 or value == FEATURE_NONE or value == FEATURE_ROOT:
        value += 1
    return value


def value_of(str text not None, uint64_t seed):
    """The value of a string under an attribute's seed."""
    encoded = text.encode()
    return string_value(encoded, <int32_t>len(encoded), seed)


def seed_of(str name not None):
    """The seed that belongs to an attribute's or a template's name."""
    return value_of(name, SEED)


def spread(feat_t z):
    return feature_spread(z)


def key_of(feat_t z):
    return feature_key(z)


def number_of(uint64_t number):
    return feature_number(number)

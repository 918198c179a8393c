"""Many states or keys at once without the GIL: what benchmarks time. Arrays in, counts out."""

from cymem.cymem cimport Pool
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from preshed.maps cimport PreshMap, map_get

import numpy as np

from parser.learn.learner cimport Learner
from parser.score.choose cimport argmax
from parser.score.keymap cimport KeyMap, keymap_get, keymap_init, keymap_insert, keymap_reserve
from parser.score.linear cimport LinearModel


def visit_all(Learner learner, const uint64_t[:, ::1] feats, const uint8_t[:, ::1] legal, const uint8_t[:, ::1] zero):
    """Scores every state and learns from it; gives the number whose best legal action had a cost."""
    if legal.shape[1] != learner.n_actions or zero.shape[1] != learner.n_actions:
        raise ValueError(f"masks of {legal.shape[1]} and {zero.shape[1]} actions for {learner.n_actions}")
    if not feats.shape[0] == legal.shape[0] == zero.shape[0]:
        raise ValueError("features and masks are of different numbers of states")
    if not np.asarray(zero).any(axis=1).all() or (np.asarray(zero) > np.asarray(legal)).any():
        raise ValueError("every state needs a zero-cost action, and all of them must be legal")
    cdef float[::1] scores = np.zeros(learner.n_actions, np.float32)
    cdef int32_t n = <int32_t>feats.shape[1], predicted, oracle
    cdef int64_t i, wrong = 0
    with nogil:
        for i in range(feats.shape[0]):
            learner.score(&feats[i, 0], n, &legal[i, 0], &scores[0])
            predicted = argmax(&scores[0], &legal[i, 0], learner.n_actions)
            oracle = argmax(&scores[0], &zero[i, 0], learner.n_actions)
            wrong += not zero[i, predicted]
            learner.learn(&feats[i, 0], n, &legal[i, 0], &zero[i, 0], &scores[0], predicted, oracle)
    return wrong


def count_wrong(LinearModel model, const uint64_t[:, ::1] feats, const uint8_t[:, ::1] legal,
                const uint8_t[:, ::1] zero):
    """Scores every state; gives the number whose best legal action has a cost."""
    if legal.shape[1] != model.n_actions or zero.shape[1] != model.n_actions:
        raise ValueError(f"masks of {legal.shape[1]} and {zero.shape[1]} actions for {model.n_actions}")
    if not feats.shape[0] == legal.shape[0] == zero.shape[0] or not np.asarray(legal).any(axis=1).all():
        raise ValueError("every state needs features, masks and a legal action")
    cdef float[::1] scores = np.zeros(model.n_actions, np.float32)
    cdef int64_t i, wrong = 0
    with nogil:
        for i in range(feats.shape[0]):
            model.score(&feats[i, 0], <int32_t>feats.shape[1], &scores[0])
            wrong += not zero[i, argmax(&scores[0], &legal[i, 0], model.n_actions)]
    return wrong


cdef class KeyTables:
    """The same keys in the project's table and in a PreshMap, to be timed side by side."""
    cdef Pool mem
    cdef KeyMap map
    cdef readonly PreshMap presh

    def __init__(self):
        self.mem = Pool()
        keymap_init(self.mem, &self.map, 0)
        self.presh = PreshMap()

    def insert_keymap(self, const uint64_t[::1] keys):
        cdef int64_t i
        with nogil:
            for i in range(keys.shape[0]):
                keymap_reserve(self.mem, &self.map, 1)
                self.map.cells[keymap_insert(&self.map, keys[i])].value = 1

    def insert_presh(self, const uint64_t[::1] keys):
        cdef int64_t i
        for i in range(keys.shape[0]):
            self.presh.set(keys[i], <void*>1)

    def count_keymap(self, const uint64_t[::1] keys):
        cdef int64_t i, found = 0
        with nogil:
            for i in range(keys.shape[0]):
                found += keymap_get(&self.map, keys[i]) != 0
        return found

    def count_presh(self, const uint64_t[::1] keys):
        cdef int64_t i, found = 0
        with nogil:
            for i in range(keys.shape[0]):
                found += map_get(self.presh.c_map, keys[i]) != NULL
        return found

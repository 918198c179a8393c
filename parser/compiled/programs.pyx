"""Putting programs together; see programs.pxd."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memmove, memset

from parser.compiled.flat cimport (KERNEL_DISTANCE, KERNEL_KEYS, KERNEL_LEAF, KERNEL_LOCALS, KERNEL_LOCAL_KINDS,
                                   KERNEL_NUMBER, KERNEL_PICKED, KERNEL_PRESENCE, KERNEL_SET, LOCAL_TERM, ChunkC,
                                   Flat, LookupC, PieceC, TermC, kernel_block, kernel_local, kernel_program,
                                   kernel_program_home, kernel_program_place, kernel_ref, kernel_term,
                                   kernel_values, pattern_place)
from parser.compiled.memory cimport aligned

cdef enum:
    FIRST_BITS = 8
    NEVER = -(1 << 30)          # not before so many states more
    MOST_PROGRAMS = 1 << 12     # before all are forgotten; feature sets of the field need some hundreds


cdef class Programs:
    def __cinit__(self):
        memset(&self.c, 0, sizeof(kernel_programs))
        self.code.start, self.coder = NULL, NULL
        self.asked, self.places, self.pieces = NULL, NULL, NULL

    def __init__(self, Flat flat not None):
        self.flat, self.most = flat, MOST_PROGRAMS
        self.asked = <AskedC*>calloc(flat.all_lookups + 1, sizeof(AskedC))
        self.places = <uint16_t*>calloc(flat.all_locals + 1, sizeof(uint16_t))
        self.pieces = <const PieceC**>calloc(flat.n_chunks + 1, sizeof(void*))
        if self.asked == NULL or self.places == NULL or self.pieces == NULL:
            raise MemoryError("no memory for programs")
        self.grow()

    def __dealloc__(self):
        self.forget()
        free(self.c.places)
        free(self.asked)
        free(self.places)
        free(self.pieces)
        if self.coder != NULL:
            self.coder.close(&self.code)

    def __len__(self):
        return self.n

    cdef void write_code(self, const kernel_coder* coder) noexcept:
        if coder != NULL and coder.open(&self.code):
            self.coder = coder
            self.write_look()

    cdef void write_look(self) noexcept:
        self.c.look = NULL
        if self.coder.begin(&self.code):
            look = self.coder.make_look(&self.code, &self.flat.plan)
            if self.coder.end(&self.code):
                self.c.look = look
        self.code.kept = self.code.used

    cdef void write_new(self) noexcept nogil:
        cdef kernel_program* program
        cdef bint is_full = False
        cdef int32_t i
        self.c.steps = 0
        if self.coder == NULL or not self.coder.begin(&self.code):
            return
        for i in range(1 << self.c.bits):
            program = <kernel_program*>self.c.places[i].program
            if program != NULL and program.code == NULL:
                if self.coder.make(&self.code, program):
                    self.c.places[i].read = program.data
                    self.coded += 1
                else:
                    is_full = True
        if not self.coder.end(&self.code):
            self.lose_code()
        elif is_full:
            self.c.steps = NEVER

    cdef void lose_code(self) noexcept nogil:
        """The system has changed its mind: all is run step by step from now on."""
        cdef int32_t i
        self.c.look, self.c.steps, self.code.size = NULL, NEVER, 0
        for i in range(1 << self.c.bits):
            if self.c.places[i].program != NULL:
                (<kernel_program*>self.c.places[i].program).code = NULL
                self.c.places[i].read = <const void*>self.c.places[i].program

    def limit_code(self, size_t most):
        """Makes do with so many bytes of machine code: for tests of what happens where there is no room."""
        self.forget()
        self.code.size, self.code.used = min(most, self.code.size), 0
        if self.coder != NULL:
            self.write_look()

    def limit(self, int32_t most):
        """Makes do with so many at the end of a sentence: for tests of what happens when these are too few."""
        self.most = most

    cdef const kernel_program* make(self, uint64_t present) except NULL nogil:
        cdef kernel_program* program = self.put_together(present)
        if 2 * (self.n + 1) > 1 << self.c.bits:
            self.grow()
        put(&self.c, present, program)
        self.n += 1
        self.made += 1
        return program

    cdef kernel_program* put_together(self, uint64_t present) except NULL nogil:
        cdef int32_t n = self.find_pieces(present)
        cdef RoomC room
        self.reserve(n, &room)
        room.program.products = self.flat.products
        room.program.present = present & self.flat.plan.asked & self.flat.plan.nodes
        self.put_refs(n, &room)
        self.put_locals(n, &room)
        self.put_blocks(n, &room)
        self.pack(&room)
        return room.program

    cdef int32_t find_pieces(self, uint64_t present) noexcept nogil:
        cdef const ChunkC* chunk
        cdef int32_t i, n = 0
        for i in range(self.flat.n_chunks):
            chunk = &self.flat.chunks[i]
            if chunk.anchor < 0 or present >> chunk.anchor & 1:
                self.pieces[n] = chunk.pieces[pattern_place(chunk, present)]
                n += 1
        return n

    cdef kernel_program* reserve(self, int32_t n_pieces, RoomC* room) except NULL nogil:
        """One block of memory: the program, then its arrays, in the order in which they are needed."""
        cdef size_t sums = 0, directs = 0, refs = 0, terms = 0, locals_ = 0, blocks, values, bytes_
        cdef const PieceC* piece
        cdef int32_t i, k
        cdef char* at
        for i in range(n_pieces):
            piece = self.pieces[i]
            refs += piece.n_refs
            locals_ += piece.n_locals
            sums += piece.first_direct - piece.first_sum
            directs += piece.end - piece.first_direct
            for k in range(piece.first_sum, piece.end):
                terms += self.flat.lookups[k].n_terms
        blocks, values = by_eights(sums) + by_eights(directs), by_eights(locals_)
        bytes_ = (sizeof(kernel_program) + values * sizeof(kernel_values) + blocks * sizeof(kernel_block)
                  + locals_ * sizeof(kernel_local) + refs * sizeof(kernel_ref) + terms * sizeof(kernel_term))
        with gil:
            at = <char*>aligned(bytes_)
        room.program = <kernel_program*>at
        room.blocks = <kernel_block*>(at + sizeof(kernel_program))
        room.program.blocks, room.terms = room.blocks, <kernel_term*>(room.blocks + blocks)
        room.program.refs = <kernel_ref*>(room.terms + terms)
        room.program.locals = <kernel_local*>(room.program.refs + refs)
        room.program.values = <kernel_values*>(room.program.locals + locals_)
        return room.program

    cdef void pack(self, RoomC* room) noexcept nogil:
        """What is behind the terms follows at once: a program is fetched by its first lines."""
        cdef kernel_program* program = room.program
        cdef char* at = <char*>room.terms
        memmove(at, program.refs, program.n_refs * sizeof(kernel_ref))
        program.refs = <kernel_ref*>at
        at += program.n_refs * sizeof(kernel_ref)
        memmove(at, program.locals, program.local_end[KERNEL_PRESENCE] * sizeof(kernel_local))
        program.locals = <kernel_local*>at

    cdef void put_refs(self, int32_t n_pieces, RoomC* room) noexcept nogil:
        cdef kernel_ref* refs = <kernel_ref*>room.program.refs
        cdef int32_t i, k
        for i in range(n_pieces):
            for k in range(self.pieces[i].n_refs):
                refs[room.program.n_refs] = self.pieces[i].refs[k]
                room.program.n_refs += 1

    cdef void put_locals(self, int32_t n_pieces, RoomC* room) noexcept nogil:
        """By kinds; those that several pieces need, once."""
        cdef kernel_local* locals_ = <kernel_local*>room.program.locals
        cdef const PieceC* piece
        cdef uint16_t* places
        cdef int32_t kind, i, k, place, n = 0
        for kind in range(KERNEL_LOCAL_KINDS):
            places = self.places
            for i in range(n_pieces):
                piece = self.pieces[i]
                for k in range(piece.n_locals):
                    if piece.locals[k].kind == kind:
                        place = place_of(locals_, n, &piece.locals[k])
                        if place == n:
                            locals_[n] = piece.locals[k]
                            n += 1
                        places[k] = <uint16_t>place
                places += piece.n_locals
            room.program.local_end[kind] = n
        for i in range(n):
            put_value(<kernel_values*>room.program.values + i // KERNEL_KEYS, i % KERNEL_KEYS, &locals_[i])

    cdef void put_blocks(self, int32_t n_pieces, RoomC* room) noexcept nogil:
        """Blocks of sums, then of feature keys."""
        cdef kernel_program* program = room.program
        cdef uint16_t* places = self.places
        cdef const PieceC* piece
        cdef int32_t i, n = 0, half
        for half in range(2):
            places = self.places
            n = 0
            for i in range(n_pieces):
                piece = self.pieces[i]
                n = put_asked(self.asked, n, self.flat.lookups, piece.first_direct if half else piece.first_sum,
                              piece.end if half else piece.first_direct, places)
                places += piece.n_locals
            fill_blocks(room, self.asked, n)
            if half == 0:
                program.n_sums, program.n_keys = program.n_blocks, n
            else:
                program.n_features = n

    cdef int grow(self) except -1 nogil:
        cdef kernel_programs old = self.c
        cdef int32_t i, bits = old.bits + 1 if old.bits else FIRST_BITS
        with gil:
            self.c.places = <kernel_program_place*>aligned(sizeof(kernel_program_place) << bits)
        self.c.bits = bits
        for i in range(1 << old.bits if old.bits else 0):
            if old.places[i].present != 0:
                put(&self.c, old.places[i].present, old.places[i].program)
        free(old.places)
        return 0

    cdef bint is_full(self) noexcept nogil:
        return self.n >= self.most

    cdef void forget(self) noexcept nogil:
        cdef int32_t i
        for i in range(1 << self.c.bits if self.c.places != NULL else 0):
            free(<void*>self.c.places[i].program)
            memset(&self.c.places[i], 0, sizeof(kernel_program_place))
        self.n = 0
        self.c.steps, self.code.used = 0, self.code.kept


cdef inline size_t by_eights(size_t n) noexcept nogil:
    return (n + KERNEL_KEYS - 1) // KERNEL_KEYS


cdef void put(kernel_programs* programs, uint64_t present, const kernel_program* program) noexcept nogil:
    cdef unsigned int at = kernel_program_home(programs, present)
    while programs.places[at].present != 0:
        at = (at + 1) & ((1U << programs.bits) - 1)
    programs.places[at].present, programs.places[at].program = present, program
    programs.places[at].read = program.data if program.code != NULL else <const void*>program


cdef void put_value(kernel_values* values, int32_t i, const kernel_local* v) noexcept nogil:
    cdef unsigned char bit = <unsigned char>(1 << i)
    values.factor[i], values.cap[i] = v.factor, v.cap
    values.node[i], values.other[i] = <unsigned char>v.node, <unsigned char>v.argument
    values.field[i] = <unsigned char>v.field
    if v.kind == KERNEL_NUMBER:
        values.numbers |= bit
    elif v.kind == KERNEL_DISTANCE:
        values.distances |= bit
        values.coarse |= bit if v.coarse else 0
    elif v.kind == KERNEL_SET:
        values.sets |= bit
    elif v.kind == KERNEL_LEAF:
        values.leaves |= bit
    elif v.kind == KERNEL_PRESENCE:
        values.presences |= bit


cdef int32_t place_of(const kernel_local* known, int32_t n, const kernel_local* wanted) noexcept nogil:
    """Where a local stands among n that are known; n: nowhere."""
    cdef int32_t i
    for i in range(n):
        if (known[i].kind == wanted.kind and known[i].node == wanted.node and known[i].argument == wanted.argument
                and known[i].field == wanted.field and known[i].cap == wanted.cap and known[i].coarse == wanted.coarse
                and known[i].factor == wanted.factor):
            return i
    return n


cdef int32_t put_asked(AskedC* asked, int32_t n, const LookupC* lookups, int32_t first, int32_t end,
                       const uint16_t* place_of) noexcept nogil:
    cdef int32_t i
    for i in range(first, end):
        asked[n] = AskedC(&lookups[i], i, place_of)
        n += 1
    return n


cdef void fill_blocks(RoomC* room, AskedC* asked, int32_t n) noexcept nogil:
    """Lookups of the same nodes together, so that a block reads few records: each begins with one of most terms."""
    cdef kernel_block* block = NULL
    cdef int32_t i, k, best
    for i in range(n):
        best = i
        if i % KERNEL_KEYS == 0:
            block = &room.blocks[room.program.n_blocks]
            room.program.n_blocks += 1
            block.terms = room.terms
            for k in range(i + 1, n):
                if asked[k].lookup.n_terms > asked[best].lookup.n_terms:
                    best = k
        else:
            for k in range(i + 1, n):
                if n_new(block, &asked[k]) < n_new(block, &asked[best]):
                    best = k
        asked[i], asked[best] = asked[best], asked[i]
        put_key(block, &asked[i])
        room.terms = <kernel_term*>block.terms + block.n_terms


cdef int32_t n_new(const kernel_block* block, const AskedC* asked) noexcept nogil:
    """How many terms a block would get with another key."""
    cdef int32_t i, n = 0
    for i in range(asked.lookup.n_terms):
        n += term_of(block, wanted_of(asked, i)) == block.n_terms
    return n


cdef void put_key(kernel_block* block, const AskedC* asked) noexcept nogil:
    cdef kernel_term* terms = <kernel_term*>block.terms
    cdef TermC wanted
    cdef int32_t i, at
    block.seed[block.n], block.owner[block.n] = asked.lookup.seed, asked.number
    for i in range(asked.lookup.n_terms):
        wanted = wanted_of(asked, i)
        at = term_of(block, wanted)
        block.n_terms += at == block.n_terms
        terms[at].node, terms[at].at = wanted.node, wanted.slot // KERNEL_KEYS * KERNEL_KEYS
        terms[at].pick[block.n] = KERNEL_PICKED + wanted.slot % KERNEL_KEYS
        terms[at].keys |= <uint16_t>(1 << block.n)
    block.all |= <unsigned char>(1 << block.n)
    block.n += 1


cdef TermC wanted_of(const AskedC* asked, int32_t i) noexcept nogil:
    """Where the i-th value of a key stands: in the record of a word, or among the values of the program's locals."""
    cdef TermC term = asked.lookup.terms[i]
    if term.node == LOCAL_TERM:
        term.node, term.slot = KERNEL_LOCALS, asked.place_of[term.slot]
    return term


cdef int32_t term_of(const kernel_block* block, TermC wanted) noexcept nogil:
    """The term that can read this for the next key of a block, too; n_terms: there is none."""
    cdef int32_t i
    for i in range(block.n_terms):
        if (block.terms[i].node == wanted.node and block.terms[i].at == wanted.slot // KERNEL_KEYS * KERNEL_KEYS
                and not block.terms[i].keys >> block.n & 1):
            return i
    return block.n_terms

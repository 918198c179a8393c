/* What a model's weights are looked up by, as the kernels read it, and the state that is being scored.

   flat.pyx lays out how nodes are found, once per model; programs.pyx makes the programs, when they are first needed. */
#ifndef ARCSPEED_PLAN_H
#define ARCSPEED_PLAN_H
#include <stddef.h>
#include <stdint.h>

#include "parser/feature/mix.h"

#define KERNEL_KEYS 8        /* of a block */
#define KERNEL_PICKED 8      /* above the numbers of eight: the upper half of two registers, the lower one is zero */
#define KERNEL_CODE_BYTES ((size_t)4 << 20) /* of a session's programs; touched as needed */
#if defined(__GNUC__)
#define KERNEL_ALIGNED __attribute__((aligned(64))) /* written by one store, read number by number: within a line */
#else
#define KERNEL_ALIGNED
#endif
#define KERNEL_NODES 40      /* as MAX_NODES */
#define KERNEL_LOCALS KERNEL_NODES
#define KERNEL_BEYOND 4      /* templates know s0 to s3 and n0 to n3 */
#define KERNEL_NODE_BYTES 64 /* of a NodeC */
#define KERNEL_WIDE 16       /* nodes in one register */

typedef struct { /* what eight numbers of a word's record, or of the partial tree, add to the keys of a block */
    uint8_t pick[KERNEL_KEYS]; /* for each key: KERNEL_PICKED and which of the eight, or 0 if it gets none */
    uint16_t node;             /* whose record, or KERNEL_LOCALS, */
    uint16_t at;               /* where in it they start, */
    uint16_t keys;             /* and the keys that get one, a bit each */
    uint16_t unused;           /* picks stand at multiples of eight: code is shorter then */
} kernel_term;

typedef struct { /* up to eight keys: sums of seed and terms */
    uint64_t seed[KERNEL_KEYS];
    int32_t owner[KERNEL_KEYS]; /* the lookup that a key belongs to */
    const kernel_term *terms;
    int32_t n_terms;
    uint8_t n;   /* keys, */
    uint8_t all; /* a bit each */
} kernel_block;

typedef struct { /* a sum that a word's record knows */
    uint16_t node;
    uint16_t at;    /* in numbers of 32 bits */
    int32_t lookup; /* what it is made by */
} kernel_ref;

typedef struct { /* a value of the partial tree that keys are made of */
    const uint64_t *product; /* [number + 1] of such a number, or a distance; [0] of a missing one */
    uint64_t factor;         /* of all others */
    int16_t kind;            /* a kernel_local_kind */
    int16_t node;
    int16_t argument; /* the other node of a distance */
    uint8_t coarse;   /* is that distance coarse? */
    uint8_t in_range; /* is the number never above the cap? */
    int32_t field;    /* where the number, or the set, stands in a node */
    int32_t cap;
} kernel_local;

typedef enum { /* in the order in which a program has them */
    KERNEL_NUMBER,   /* one of a few numbers of a node */
    KERNEL_DISTANCE,
    KERNEL_SET,      /* the hash of a set of labels */
    KERNEL_LEAF,     /* has it no dependents? field: of the first of two valencies */
    KERNEL_PRESENCE, /* is it there? */
    KERNEL_LOCAL_KINDS
} kernel_local_kind;

typedef struct { /* eight locals, for registers of eight numbers; of which kind they are, a bit each */
    uint64_t factor[KERNEL_KEYS];
    int32_t cap[KERNEL_KEYS];
    uint8_t node[KERNEL_KEYS], other[KERNEL_KEYS], field[KERNEL_KEYS]; /* node and other: read at once */
    uint8_t numbers, distances, coarse, sets, leaves, presences;       /* coarse: of the distances */
} kernel_values;

typedef struct {         /* what is looked up for a state: of some nodes being there, others missing */
    const void *code;    /* the same as machine code; NULL: there is none. See code.h */
    const void *data;    /* what the code reads */
    const kernel_block *blocks;
    int32_t n_blocks;    /* of them all; */
    int32_t n_sums;      /* those behind so many have feature keys, and only keys that pass the filter are asked for */
    int32_t n_keys;      /* of the others, */
    int32_t n_features;  /* and of those */
    int32_t n_refs;
    int32_t reads_tree;  /* does the code read the values, too? Up to here is what all states need: one line */
    const kernel_ref *refs;
    const kernel_values *values; /* the same as the locals */
    const kernel_local *locals;
    const uint64_t *products;    /* where those of all locals begin */
    uint64_t present;            /* nodes that are there for sure, a bit each */
    int32_t local_end[KERNEL_LOCAL_KINDS]; /* where those of each kind end */
} kernel_program;

typedef struct { /* memory for the machine code of programs; start is NULL where there is none */
    uint8_t *start;
    size_t size, used, kept; /* so much is kept when programs are forgotten */
    const uint8_t *keys[KERNEL_KEYS + 1], *features[KERNEL_KEYS + 1]; /* what programs have in common, by number of keys */
} kernel_code;

typedef struct {
    uint64_t present; /* 0: empty */
    const kernel_program *program;
    const void *read; /* what is read to run it: the code's data, or the program */
    const void *unused;
} kernel_program_place;

typedef struct { /* programs by the nodes that are there: open addressing */
    kernel_program_place *places;
    const void *look; /* machine code that finds the nodes; NULL: there is none */
    int64_t steps;    /* states of which the program was run step by step since code was last written */
    int32_t bits;     /* log2 of the places; at most half of them are used */
} kernel_programs;

typedef struct { /* how a node is found: by an element of the stack or the buffer, or a number in another node */
    uint16_t node;
    uint16_t from; /* position; the other node */
    int32_t field;
} kernel_step;

typedef struct {
    const kernel_step *steps;
    int32_t on_stack, in_buffer, n_steps; /* steps of these kinds end here */
    uint64_t nodes;  /* all of them, a bit each; */
    uint64_t asked;  /* those whose presence decides which program it is */
    uint64_t always; /* and a bit above all nodes, so that none is 0 */
    int16_t *bias;   /* by lane, as in rows; see lane_of */
    int16_t *rank;   /* by lane */
} kernel_plan;

typedef struct { /* a state, looked up once */
    const uint64_t *record[KERNEL_LOCALS + 1]; /* of the nodes' words; behind them the values of the program's locals */
    const char *nodes;  /* of word 0 */
    const int32_t *top;   /* the stack's highest element; the others stand before it */
    const int32_t *front; /* the buffer's first element; the others stand behind it, then -1 */
    int32_t root_pos;
    uint64_t present; /* bit i: node i is there */
    KERNEL_ALIGNED int32_t node[KERNEL_NODES];
} kernel_scene;

typedef struct { /* what the head of the columns says */
    int32_t rank;  /* the lowest among the columns of the highest score, */
    int32_t top;   /* and that score: KERNEL_ILLEGAL if there is none; */
    int32_t near, far; /* no score of the near line, of the far ones, is above these, */
    int32_t bound; /* and no sum of some of the rows is above that */
} kernel_best;

typedef struct {          /* working memory for a sentence, and its state at hand */
    kernel_scene scene;   /* comes first, and in it the records: machine code is shorter where numbers are small */
    uint64_t **of_word;   /* the records of the words; [-1] that of the missing one */
    int32_t *waiting;     /* the elements of the buffer, by position; KERNEL_BEYOND times -1 behind them */
    const int16_t *mask;  /* 0 or -1 by lane: what is legal */
    uint64_t *values;     /* of the program's locals: what the scene's record KERNEL_LOCALS is */
    uint64_t *told;       /* keys of sums, then feature keys that passed the filter: what buckets say of them, */
    uint64_t *home;       /* and where their buckets are, in bytes from the first */
    uint64_t *asked;      /* by block of feature keys: all of these, then what the filter says of them */
    uint32_t *rows;       /* of the references, then of the keys: in bytes from the arena's start; 0: not known */
    int32_t n_keys;
    int32_t *unknown;     /* which rows are not known; */
    uint64_t *features;   /* of these: keys of their templates, then where the templates have their rows */
    int32_t n_unknown, n_features;
    int16_t *head;        /* the sums of the head; */
    uint32_t *near, *far; /* rows with a near line, with far lines: where probabilities are asked for */
    int32_t n_near, n_far;
    const kernel_program *program; /* NULL: it has to be made first */
    kernel_best best;
} kernel_work;

static inline uint64_t kernel_pattern(const kernel_plan *plan, const kernel_scene *scene) {
    return (scene->present & plan->asked) | plan->always;
}

/* The first of two places in one cache line */
static inline uint32_t kernel_program_home(const kernel_programs *programs, uint64_t present) {
    return (uint32_t)((present * 0x9E3779B97F4A7C15ULL) >> (64 - programs->bits)) & ~1U;
}

/* Where it is, or an empty place: there is none yet. Which of the first two it is takes no branch. */
static inline const kernel_program_place *kernel_find_program(const kernel_programs *programs, uint64_t present) {
    uint32_t at = kernel_program_home(programs, present);
    const kernel_program_place *place = programs->places + at;
    place += place->present != present;
    if (place->present == present) return place;
    while (programs->places[at].present != present && programs->places[at].present != 0)
        at = (at + 1) & ((1U << programs->bits) - 1);
    return programs->places + at;
}
#endif

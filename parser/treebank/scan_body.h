/* The scan of scan.h for processors that count bits: without a branch that depends on what stands where, since words are
   of all lengths. SCAN_TARGET and SCAN_AS, how names end, say for which. Included once for each. */
SCAN_TARGET static int SCAN_AS(scan)(scan_index *x, const char *text, uint32_t length) {
    uint32_t *tab = x->tab, *line = x->line, *tab0 = x->tab0;
    uint32_t tabs = x->tabs, lines = x->lines, at = x->done;
    const uint32_t tab_room = x->tab_capacity, line_room = x->line_capacity;
    SCAN_AS(scan_seen) seen = SCAN_AS(scan_begin)();
    char last[128];
    int full = 0;
    /* what the last byte of an earlier block and the first of this one are together */
    uint32_t flags = at < length ? scan_pair(at ? text[at - 1] : '\n', text[at]) : 0;
    while (at < length) {
        const char *block = text + at;
        if (tabs + 64 > tab_room || lines + 65 > line_room) {
            full = 1;
            break;
        }
        if (length - at <= 64) { /* blanks in place of what does not count */
            memset(last, ' ', sizeof(last));
            memcpy(last, block, length - at);
            block = last;
        }
        const scan_marks m = SCAN_AS(scan_block)(block, &seen);
        const uint32_t n_lines = (uint32_t)__builtin_popcountll(m.newline), n = (uint32_t)__builtin_popcountll(m.tab);
        uint64_t rest = m.newline;
        uint32_t k = 0;
        do { /* two at a time, though most often there is one or none: what is too much is written over */
            const uint64_t next = rest & (rest - 1);
            line[lines + k + 1] = at + (uint32_t)_tzcnt_u64(rest) + 1;
            line[lines + k + 2] = at + (uint32_t)_tzcnt_u64(next) + 1;
            tab0[lines + k + 1] = tabs + (uint32_t)__builtin_popcountll(m.tab & ~rest & (rest - 1));
            tab0[lines + k + 2] = tabs + (uint32_t)__builtin_popcountll(m.tab & ~next & (next - 1));
            rest = next & (next - 1);
            k += 2;
        } while (k < n_lines);
        SCAN_AS(scan_put)(tab + tabs, m.tab, n, at);
        lines += n_lines;
        tabs += n;
        at += length - at < 64 ? length - at : 64;
    }
    x->tabs = tabs, x->lines = lines, x->done = at;
    x->flags |= flags | SCAN_AS(scan_end)(&seen);
    return full;
}
#undef SCAN_TARGET
#undef SCAN_AS

/* The scan of scan.h for processors that count bits: without a branch that depends on what stands where, since words are
   of all lengths. SCAN_TARGET, SCAN_NAME, SCAN_BLOCK and SCAN_PUT say for which. Included once for each. */
SCAN_TARGET static int SCAN_NAME(scan_index *x, const char *text, uint32_t length) {
    uint32_t *tab = x->tab, *line = x->line, *tab0 = x->tab0;
    uint32_t tabs = x->tabs, lines = x->lines, at = x->done;
    const uint64_t end = (uint64_t)1 << 63;
    scan_seen seen = {0, 0, 0, 0, 0};
    int full = 0;
    while (at < length) {
        if (tabs + 64 > x->tab_capacity || lines + 65 > x->line_capacity) {
            full = 1;
            break;
        }
        scan_masks m = SCAN_BLOCK(text + at);
        scan_notice(x, &m, scan_inside(length - at), &seen);
        uint32_t n = (uint32_t)__builtin_popcountll(m.newline), k;
        /* two at a time, though most often there is one or none: what is too much is written over */
        for (k = 0; k == 0 || k < n; k += 2) {
            uint64_t rest = m.newline & (m.newline - 1);
            uint32_t first = (uint32_t)__builtin_ctzll(m.newline | end), second = (uint32_t)__builtin_ctzll(rest | end);
            line[lines + k + 1] = at + first + 1;
            line[lines + k + 2] = at + second + 1;
            tab0[lines + k + 1] = tabs + (uint32_t)__builtin_popcountll(m.tab & (((uint64_t)1 << first) - 1));
            tab0[lines + k + 2] = tabs + (uint32_t)__builtin_popcountll(m.tab & (((uint64_t)1 << second) - 1));
            m.newline = rest & (rest - 1);
        }
        lines += n;
        n = (uint32_t)__builtin_popcountll(m.tab);
        SCAN_PUT(tab + tabs, m.tab, n, at);
        tabs += n;
        at += length - at < 64 ? length - at : 64;
    }
    x->tabs = tabs, x->lines = lines, x->done = at;
    x->flags |= scan_flags(&seen);
    return full;
}

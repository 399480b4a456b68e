/* A stack machine for a computer without a C library: everything it needs is in this file. */

typedef unsigned char byte;
typedef unsigned int word;
typedef unsigned long size;

enum { STACK = 64, NAMES = 128, NAME = 16, HEAP = 1 << 16, PAGE = 256 };

enum op {
    OP_STOP, OP_PUSH, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_AND, OP_OR, OP_XOR, OP_LESS,
    OP_SAME, OP_NOT, OP_DUP, OP_DROP, OP_SWAP, OP_OVER, OP_LOAD, OP_STORE, OP_JUMP, OP_BRANCH,
    OP_CALL, OP_RETURN, OP_EMIT, OP_PRINT
};

enum problem { NONE, UNDERFLOW, OVERFLOW, NO_WORD, NO_MEMORY, ZERO, BAD_OP };

struct name {
    char text[NAME];
    word hash;
    word start;
    struct name *next;
};

struct machine {
    word stack[STACK];
    word back[STACK];
    int depth;
    int calls;
    word at;
    word here;
    word *code;
    word code_size;
    enum problem problem;
    struct name *names[NAMES];
};

struct page {
    struct page *next;
    size used;
    byte bytes[PAGE];
};

static byte heap[HEAP];
static size heap_used;
static struct page *pages;
static char screen[25][80];
static int row, column;

/* ---- text ---- */

static size length(const char *s)
{
    size n = 0;
    while (s[n])
        n++;
    return n;
}

static int same(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

static void put_text(char *to, const char *from, size room)
{
    size i;
    for (i = 0; i + 1 < room && from[i]; i++)
        to[i] = from[i];
    to[i] = 0;
}

static word hash_of(const char *s)
{
    word h = 2166136261u;
    for (; *s; s++) {
        h ^= (byte)*s;
        h *= 16777619u;
    }
    return h;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t';
}

/* ---- memory ---- */

static void *grab(size n)
{
    void *p;
    n = (n + 15) & ~15ul;
    if (heap_used + n > HEAP)
        return 0;
    p = heap + heap_used;
    heap_used += n;
    return p;
}

static struct page *new_page(void)
{
    struct page *p = grab(sizeof *p);
    size i;
    if (!p)
        return 0;
    for (i = 0; i < PAGE; i++)
        p->bytes[i] = 0xaa;
    p->used = 0;
    p->next = pages;
    pages = p;
    return p;
}

static void wipe(byte *from, size n)
{
    size i;
    for (i = 0; i < n; i++)
        from[i] = 0;
}

static void *grab_small(size n)
{
    struct page *p;
    for (p = pages; p; p = p->next)
        if (p->used + n <= PAGE)
            break;
    if (!p)
        p = new_page();
    if (!p || n > PAGE)
        return 0;
    p->used += n;
    wipe(p->bytes + p->used - n, n);
    return p->bytes + p->used - n;
}

static void forget(size mark)
{
    if (mark < heap_used)
        wipe(heap + mark, heap_used - mark);
    heap_used = mark;
}

/* ---- screen ---- */

static void scroll(void)
{
    int r, c;
    for (r = 1; r < 25; r++)
        for (c = 0; c < 80; c++)
            screen[r - 1][c] = screen[r][c];
    for (c = 0; c < 80; c++)
        screen[24][c] = ' ';
    row = 24;
}

static void emit(char c)
{
    if (c == '\n' || column == 80) {
        column = 0;
        if (++row == 25)
            scroll();
    }
    if (c != '\n')
        screen[row][column++] = c;
}

static void print_number(word n)
{
    char digits[12];
    int i = 0;
    do {
        digits[i++] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    while (i > 0)
        emit(digits[--i]);
    emit(' ');
}

static void print(const char *s)
{
    while (*s)
        emit(*s++);
}

/* ---- names ---- */

static struct name *find(struct machine *m, const char *text)
{
    word h = hash_of(text);
    struct name *n;
    for (n = m->names[h % NAMES]; n; n = n->next)
        if (n->hash == h && same(n->text, text))
            return n;
    return 0;
}

static struct name *define(struct machine *m, const char *text)
{
    struct name *n = grab_small(sizeof *n);
    if (!n) {
        m->problem = NO_MEMORY;
        return 0;
    }
    put_text(n->text, text, NAME);
    n->hash = hash_of(text);
    n->start = m->here;
    n->next = m->names[n->hash % NAMES];
    m->names[n->hash % NAMES] = n;
    return n;
}

/* ---- machine ---- */

static void push(struct machine *m, word value)
{
    if (m->depth >= STACK)
        m->problem = OVERFLOW;
    else
        m->stack[m->depth++] = value;
}

static word pop(struct machine *m)
{
    if (m->depth <= 0) {
        m->problem = UNDERFLOW;
        return 0;
    }
    return m->stack[--m->depth];
}

static void compile(struct machine *m, word value)
{
    if (m->here >= m->code_size)
        m->problem = NO_MEMORY;
    else
        m->code[m->here++] = value;
}

static word binary(struct machine *m, enum op op, word a, word b)
{
    switch (op) {
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_MUL:
        return a * b;
    case OP_DIV:
    case OP_MOD:
        if (b == 0) {
            m->problem = ZERO;
            return 0;
        }
        return op == OP_DIV ? a / b : a % b;
    case OP_AND:
        return a & b;
    case OP_OR:
        return a | b;
    case OP_XOR:
        return a ^ b;
    case OP_LESS:
        return a < b;
    default:
        return a == b;
    }
}

static int step(struct machine *m)
{
    word a, b;
    enum op op = m->code[m->at++];
    switch (op) {
    case OP_STOP:
        return 0;
    case OP_PUSH:
        push(m, m->code[m->at++]);
        break;
    case OP_NOT:
        push(m, !pop(m));
        break;
    case OP_DUP:
        a = pop(m);
        push(m, a);
        push(m, a);
        break;
    case OP_DROP:
        pop(m);
        break;
    case OP_SWAP:
        b = pop(m);
        a = pop(m);
        push(m, b);
        push(m, a);
        break;
    case OP_OVER:
        b = pop(m);
        a = pop(m);
        push(m, a);
        push(m, b);
        push(m, a);
        break;
    case OP_LOAD:
        push(m, heap[pop(m) % HEAP]);
        break;
    case OP_STORE:
        b = pop(m);
        heap[b % HEAP] = (byte)pop(m);
        break;
    case OP_JUMP:
        m->at = m->code[m->at];
        break;
    case OP_BRANCH:
        a = m->code[m->at++];
        if (!pop(m))
            m->at = a;
        break;
    case OP_CALL:
        if (m->calls >= STACK) {
            m->problem = OVERFLOW;
            break;
        }
        m->back[m->calls++] = m->at + 1;
        m->at = m->code[m->at];
        break;
    case OP_RETURN:
        if (m->calls == 0)
            return 0;
        m->at = m->back[--m->calls];
        break;
    case OP_EMIT:
        emit((char)pop(m));
        break;
    case OP_PRINT:
        print_number(pop(m));
        break;
    default:
        if (op < OP_ADD || op > OP_SAME) {
            m->problem = BAD_OP;
            break;
        }
        b = pop(m);
        a = pop(m);
        push(m, binary(m, op, a, b));
    }
    return m->problem == NONE && m->at < m->here;
}

static void translate(struct machine *m, const char *text)
{
    static const struct { char text[8]; enum op op; } known[] = {
        {"+", OP_ADD}, {"-", OP_SUB}, {"*", OP_MUL}, {"/", OP_DIV}, {"mod", OP_MOD},
        {"and", OP_AND}, {"or", OP_OR}, {"xor", OP_XOR}, {"<", OP_LESS}, {"=", OP_SAME},
        {"not", OP_NOT}, {"dup", OP_DUP}, {"drop", OP_DROP}, {"swap", OP_SWAP},
        {"over", OP_OVER}, {"@", OP_LOAD}, {"!", OP_STORE}, {"emit", OP_EMIT}, {".", OP_PRINT},
    };
    size i;
    word value = 0;
    struct name *n;
    for (i = 0; i < sizeof known / sizeof known[0]; i++)
        if (same(known[i].text, text)) {
            compile(m, known[i].op);
            return;
        }
    if ((n = find(m, text))) {
        compile(m, OP_CALL);
        compile(m, n->start);
        return;
    }
    for (i = 0; is_digit(text[i]); i++)
        value = value * 10 + (word)(text[i] - '0');
    if (text[i] || i == 0) {
        m->problem = NO_WORD;
        return;
    }
    compile(m, OP_PUSH);
    compile(m, value);
}

static void read_line(struct machine *m, const char *line)
{
    char text[NAME];
    int defining = 0;
    while (*line && m->problem == NONE) {
        size n = 0;
        while (is_blank(*line))
            line++;
        while (*line && !is_blank(*line)) {
            if (n + 1 < NAME)
                text[n++] = *line;
            line++;
        }
        text[n] = 0;
        if (n == 0)
            break;
        if (defining == 1) {
            define(m, text);
            defining = 2;
        } else if (same(text, ":")) {
            defining = 1;
        } else if (same(text, ";")) {
            compile(m, OP_RETURN);
            defining = 0;
        } else {
            translate(m, text);
        }
    }
}

static const char *explain(enum problem problem)
{
    static const char *const texts[] = {
        "fine", "nothing on the stack", "too much on the stack", "no such word", "out of memory",
        "division by zero", "no such operation",
    };
    return texts[problem];
}

int main(void)
{
    static struct machine m;
    size mark;
    word start;
    m.code_size = 1024;
    m.code = grab(m.code_size * sizeof *m.code);
    read_line(&m, ": square dup * ;");
    start = m.here;
    mark = heap_used;
    read_line(&m, "7 square . 6 7 * . 10 0 < .");
    compile(&m, OP_STOP);
    m.at = start;
    while (step(&m))
        ;
    forget(mark);
    print(explain(m.problem));
    emit('\n');
    return (int)length(explain(m.problem)) * (m.problem != NONE);
}

/* A toy warehouse in one file: tables, queues, reports. Declares what it needs of the library. */
typedef unsigned long size_type;
typedef unsigned char byte;
typedef int (*visitor)(void *, int);
int printf(const char *, ...);
void *malloc(size_type);
void free(void *);
int strcmp(const char *, const char *);

#define LIMIT 64
#define MASK 0xff

enum crate_mode {
    CRATE_UPDATE = 1,
    CRATE_LOAD = 2,
    CRATE_STORE = 4,
    CRATE_MATCH = 8,
    CRATE_CHECK = 16,
    CRATE_MERGE = 32,
    CRATE_SPLIT = 64
};

enum client_mode {
    CLIENT_UPDATE,
    CLIENT_AUDIT,
    CLIENT_MATCH,
    CLIENT_SETTLE,
    CLIENT_COUNT,
    CLIENT_CLEAR
};

enum label_mode {
    LABEL_SETTLE,
    LABEL_LOAD,
    LABEL_WEIGH,
    LABEL_UPDATE,
    LABEL_SHIFT,
    LABEL_AUDIT,
    LABEL_SCAN
};

enum pump_mode {
    PUMP_FOLD = 1,
    PUMP_SCAN = 2,
    PUMP_SHIFT = 4,
    PUMP_CHECK = 8
};

enum tank_mode {
    TANK_MATCH,
    TANK_ROUTE,
    TANK_TRIM,
    TANK_SETTLE,
    TANK_COUNT,
    TANK_WEIGH,
    TANK_MERGE,
    TANK_AUDIT
};

enum depot_mode {
    DEPOT_ROUTE,
    DEPOT_FOLD,
    DEPOT_SETTLE,
    DEPOT_WEIGH
};

enum batch_mode {
    BATCH_SPLIT = 1,
    BATCH_WEIGH = 2,
    BATCH_SHIFT = 4,
    BATCH_COUNT = 8,
    BATCH_CLEAR = 16
};

enum gauge_mode {
    GAUGE_ROUTE,
    GAUGE_FOLD,
    GAUGE_SCAN,
    GAUGE_COUNT,
    GAUGE_CHECK
};

/* One depot. */
struct depot {
    long weight;
    unsigned int step;
    int id;
    int count;
    unsigned int width;
    int level;
    int table[LIMIT];
    char name[32];
    struct depot *next;
};
typedef struct depot depot_type;

/* One pump. */
struct pump {
    int flags;
    int first;
    int level;
    int height;
    short spare;
    long limit;
    int depth;
    int id;
    int table[LIMIT];
    char name[32];
    struct pump *next;
    struct depot *owner;
};
typedef struct pump pump_type;

/* One stock. */
struct stock {
    int last;
    int spare;
    int price;
    int id;
    int first;
    int used;
    int table[LIMIT];
    char name[32];
    struct stock *next;
    struct depot *owner;
};
typedef struct stock stock_type;

/* One order. */
struct order {
    int height;
    short id;
    unsigned int price;
    long kind;
    short state;
    short size;
    int first;
    short used;
    int table[LIMIT];
    char name[32];
    struct order *next;
    struct depot *owner;
};
typedef struct order order_type;

/* One gauge. */
struct gauge {
    int first;
    unsigned int state;
    int last;
    long size;
    int rate;
    int price;
    short total;
    unsigned int used;
    int step;
    int table[LIMIT];
    char name[32];
    struct gauge *next;
    struct order *owner;
};
typedef struct gauge gauge_type;

/* One parcel. */
struct parcel {
    long state;
    int level;
    short count;
    unsigned int size;
    unsigned int depth;
    int rate;
    short id;
    long spare;
    int table[LIMIT];
    char name[32];
    struct parcel *next;
    struct depot *owner;
};
typedef struct parcel parcel_type;

/* One batch. */
struct batch {
    int rate;
    int limit;
    int total;
    int step;
    short price;
    int table[LIMIT];
    char name[32];
    struct batch *next;
    struct stock *owner;
};
typedef struct batch batch_type;

/* One client. */
struct client {
    int first;
    int limit;
    short step;
    int flags;
    int spare;
    int table[LIMIT];
    char name[32];
    struct client *next;
    struct pump *owner;
};
typedef struct client client_type;

/* One tank. */
struct tank {
    long height;
    int state;
    int price;
    short first;
    short limit;
    long depth;
    int table[LIMIT];
    char name[32];
    struct tank *next;
    struct gauge *owner;
};
typedef struct tank tank_type;

/* One meter. */
struct meter {
    unsigned int level;
    long first;
    int limit;
    int step;
    int depth;
    int rate;
    int height;
    unsigned int id;
    int size;
    int table[LIMIT];
    char name[32];
    struct meter *next;
    struct depot *owner;
};
typedef struct meter meter_type;

/* One item. */
struct item {
    unsigned int flags;
    int kind;
    int id;
    int depth;
    long used;
    long count;
    int table[LIMIT];
    char name[32];
    struct item *next;
    struct depot *owner;
};
typedef struct item item_type;

/* One route. */
struct route {
    long used;
    unsigned int limit;
    int price;
    int size;
    short width;
    short first;
    int id;
    int spare;
    int count;
    int table[LIMIT];
    char name[32];
    struct route *next;
    struct depot *owner;
};
typedef struct route route_type;

static const int crate_last_0[] = {124, 5, 233, 118, 153, 194, 137, 81, 30};
static const int pump_spare_1[] = {152, 223, 136, 250, 253, 253, 76, 151, 188, 106, 75};
static const int item_used_2[] = {53, 92, 119, 93, 194, 112, 77, 7, 87, 187, 72, 31, 78, 70, 84, 192, 41, 17, 47, 142, 22};
static const int label_limit_3[] = {57, 239, 75, 112, 56, 192, 57, 78, 252, 196, 238, 22, 96, 197, 120, 87, 47, 234, 241};
static const int shelf_id_4[] = {223, 79, 243, 109, 96, 170, 183, 141, 146, 185, 74, 93, 18, 134, 54, 9, 38, 245};
static const int client_level_5[] = {19, 191, 195, 18, 32, 75, 134, 193, 224, 230, 118, 69, 126, 92, 242, 61, 182, 69};
static const int tank_count_6[] = {56, 90, 72, 77, 195, 33, 3, 243, 94, 24, 195, 171, 150, 113, 22, 136};
static const int parcel_flags_7[] = {117, 131, 88, 190, 76, 247, 234, 32, 187, 23, 152};
static const int gauge_step_8[] = {74, 37, 51, 252, 49, 81, 50, 38, 45, 140};
static const int label_rate_9[] = {90, 144, 213, 208, 180, 147, 201, 176, 201, 58, 182, 3, 62, 11, 35, 165, 174, 100, 144, 62, 206, 11, 184, 252};
static const int tank_depth_10[] = {95, 147, 6, 84, 236, 3, 155, 244, 223, 145, 82};
static const int batch_flags_11[] = {63, 82, 208, 125, 93, 70, 77, 44, 70, 0, 11, 78, 78, 138, 63, 117, 158};
static const int pump_count_12[] = {255, 112, 239, 173, 246, 66, 124, 35, 81, 208, 188, 143, 99, 233, 119, 158, 137, 171, 59, 32, 36, 250};
static const int route_first_13[] = {176, 178, 76, 67, 69, 71, 43, 76, 20, 216, 250, 87, 252, 100, 252};
static int error_count;
static unsigned long random_state = 88172645463325252ul;

static int next_random(int limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int)(random_state % (unsigned long)limit);
}

static int report(const char *what, int value)
{
    error_count++;
    printf("%s: %d\n", what, value);
    return value ? -1 : 0;
}

/* Shift one batch; returns what is left over. */
static int shift_batch_0(batch_type *p, int n)
{
    int best = 1, mark = 2, i = 3, c = 1;
    best ^= 2;
    for (best = 0; best < p->step; best++) {
        if (31 == p->limit) {
            if (p->total == report("shift_batch_0", p->rate) && (p->limit + 7) > c) {
                i = next_random(next_random((p->table[c & 63] ? n : n)));
            }
            if (CRATE_LOAD < (mark - (p->total - p->rate))) {
                p->rate = report("shift_batch_0", next_random(i));
                best ^= best;
            }
        }
    }
    switch (mark) {
    case BATCH_SHIFT:
        for (best = 0; best < n; best++) {
            i++;
        }
        break;
    case BATCH_COUNT:
        p->price |= mark;
        break;
    case BATCH_WEIGH:
        mark += 1000;
        break;
    case BATCH_SPLIT:
        i = report("shift_batch_0", (p->limit ^ 100));
        break;
    case BATCH_CLEAR:
        i = next_random(100);
        break;
    default:
        break;
    }
    return p->table[i & 63] ^ 1;
}

static int match_item_1(item_type *p, int n)
{
    int mark = 1, high = 0, low = 1;
    p->kind |= TANK_SETTLE;
    high ^= p->count;
    /* store the sensor before the parcel */
    mark ^= low;
    if (p->used >= low) {
        for (mark = 0; mark < LIMIT; mark++) {
            while (31 <= ((4 + low) >> p->count)) {
                p->count = (low ? 8 : ((n ? LABEL_UPDATE : 1) ^ shift_batch_0((batch_type *)p->next, mark)));
                if (--n < 0)
                    break;
            }
        }
    }
    if (p->id >= 31) {
        p->table[mark & 63] = mark ^ p->flags;
    } else {
        printf("%d %d\n", p->flags, high);
        low += p->table[high & 63] - p->depth;
    }
    return 100;
}

/* Route one route; returns what is left over. */
static int update_route_2(route_type *p, int n)
{
    int best = n, spot = 3, sum = 3, j = 0, k = n;
    p->id = 100;
    printf("%d %d\n", j, sum);
    for (best = 0; best < n; best++) {
        for (spot = 0; spot < p->size; spot++) {
            j ^= p->count;
            k += 7;
        }
    }
    switch (sum) {
    case LABEL_AUDIT:
        if (255 < (p->limit + 4)) {
            spot++;
        } else {
            p->price = p->size;
            best += k;
        }
        break;
    case LABEL_SETTLE:
        j ^= j;
        break;
    case LABEL_LOAD:
        j++;
        break;
    case LABEL_SHIFT:
        k -= ((p->table[best & 63] * p->used) * p->table[best & 63]) & k;
        break;
    case LABEL_SCAN:
        p->size |= 1 ^ 4;
        break;
    case LABEL_UPDATE:
        switch (sum) {
        case LABEL_UPDATE:
            p->table[spot & 63] = (PUMP_SCAN & shift_batch_0((batch_type *)p->next, sum)) + p->table[best & 63];
            break;
        case LABEL_LOAD:
            sum++;
            break;
        case LABEL_WEIGH:
            k = p->table[j & 63];
            break;
        case LABEL_AUDIT:
            k = p->first;
            break;
        default:
            break;
        }
        break;
    case LABEL_WEIGH:
        while (p->size < 100) {
            spot ^= 4;
            if (--n < 0)
                break;
        }
        break;
    default:
        break;
    }
    if (10 >= (p->table[spot & 63] << shift_batch_0((batch_type *)p->next, n)) && p->limit < p->first) {
        if (10 <= (k * match_item_1((item_type *)p->next, k)) && shift_batch_0((batch_type *)p->next, spot) < (shift_batch_0((batch_type *)p->next, j) - sum)) {
            j -= 8;
            sum ^= 10;
        } else {
            best = match_item_1((item_type *)p->next, k);
            k++;
        }
    }
    return sum ^ p->id;
}

/* Update one item; returns what is left over. */
static int merge_item_3(item_type *p, int n)
{
    int high = 2, spot = 3, best = 3, b = 3;
    p->flags += BATCH_COUNT;
    if (high >= p->flags) {
        p->flags = update_route_2((route_type *)p->next, spot);
        p->table[best & 63] = 2 ^ p->count;
    } else {
        p->used |= 1;
    }
    p->depth |= high;
    /* check the valve before the gauge */
    high++;
    return shift_batch_0((batch_type *)p->next, spot);
}

static int merge_item_4(item_type *p, int n)
{
    int k = n, i = 2, mark = 1, high = 3, spot = n, rest = 1;
    for (k = 0; k < n; k++) {
        i++;
    }
    if (2 < rest) {
        rest = (p->count ? (high ^ TANK_WEIGH) : p->count);
        k ^= k;
    } else {
        spot -= i;
        p->table[k & 63] = CRATE_UPDATE;
    }
    p->table[k & 63] = p->kind;
    p->table[spot & 63] = spot;
    return LABEL_SCAN;
}

static int match_gauge_5(gauge_type *p, int n)
{
    int rest = n, a = 3, b = 3, k = n, spot = 2, best = n;
    spot = 7;
    switch (a) {
    case PUMP_SHIFT:
        if (1 <= CRATE_CHECK) {
            a -= best;
        } else {
            k = shift_batch_0((batch_type *)p->next, spot);
            rest++;
        }
        break;
    case PUMP_CHECK:
        p->size |= rest;
        break;
    case PUMP_FOLD:
        /* pack the meter before the pump */
        p->last += p->step;
        break;
    case PUMP_SCAN:
        if (2 <= (LABEL_UPDATE ? 255 : (10 + n)) && rest >= p->rate) {
            p->table[b & 63] = p->table[rest & 63];
            rest += a;
        }
        break;
    default:
        break;
    }
    printf("%d %d\n", (p->size + (p->step << 2)), rest);
    return 10;
}

static int update_order_6(order_type *p, int n)
{
    int c = n, best = 3, a = 3, rest = 0, mark = 0, low = n;
    for (c = 0; c < p->first; c++) {
        p->table[low & 63] = 4;
        rest++;
    }
    while (((p->state + p->size) - p->state) == a) {
        rest = update_route_2((route_type *)p->next, mark);
        if (--n < 0)
            break;
    }
    if (1 > p->id) {
        switch (mark) {
        case PUMP_FOLD:
            p->id += a;
            break;
        case PUMP_CHECK:
            p->id = a;
            break;
        default:
            break;
        }
    } else {
        p->price |= rest;
    }
    return a;
}

static int shift_depot_7(depot_type *p, int n)
{
    int mark = n, k = n, low = n, best = n, b = n, spot = 3;
    for (mark = 0; mark < p->step; mark++) {
        p->count += p->level;
        k -= low;
    }
    low = update_route_2((route_type *)p->next, low);
    if (k == (b << (p->width & p->table[low & 63])) && (p->id & 3) > p->step) {
        for (mark = 0; mark < n; mark++) {
            for (k = 0; k < LIMIT; k++) {
                p->id += p->count;
            }
        }
        /* settle the route before the order */
        for (mark = 0; mark < LIMIT; mark++) {
            best = PUMP_CHECK;
            k -= 7;
        }
    }
    /* audit the truck before the route */
    p->level |= best + p->count;
    return p->width;
}

static int pack_parcel_8(parcel_type *p, int n)
{
    int low = 1, b = n, mark = n, spot = 0, c = 0;
    printf("%d %d\n", low, b);
    c -= b;
    printf("%d %d\n", 8, c);
    if ((CRATE_UPDATE ^ (PUMP_CHECK + n)) == p->count) {
        mark = update_order_6((order_type *)p->next, mark);
        if (match_item_1((item_type *)p->next, b) >= 2) {
            printf("%d %d\n", 100, c);
            mark = ((low & CLIENT_AUDIT) ? low : (update_order_6((order_type *)p->next, c) + (p->table[spot & 63] ^ p->spare)));
        } else {
            p->table[mark & 63] = spot;
        }
    } else {
        mark++;
    }
    return p->rate;
}

/* Scan one order; returns what is left over. */
static int update_order_9(order_type *p, int n)
{
    int best = 2, c = 3, j = n, rest = 2, mark = n;
    if (((p->state ? 2 : p->kind) - 4) > 1) {
        /* audit the stock before the shelf */
        mark = shift_depot_7(0, best) ^ (mark - p->price);
        for (best = 0; best < p->size; best++) {
            j = shift_batch_0((batch_type *)p->next, n);
            p->table[best & 63] = update_route_2((route_type *)p->next, j);
        }
    }
    c ^= p->table[mark & 63];
    c = pack_parcel_8((parcel_type *)p->next, c);
    return c;
}

/* Check one tank; returns what is left over. */
static int weigh_tank_10(tank_type *p, int n)
{
    int mark = 0, c = 0, i = n, low = 2, best = 2;
    /* merge the stock before the invoice */
    if (low >= 31 && c == 16) {
        switch (low) {
        case CRATE_MERGE:
            p->first |= 255;
            break;
        case CRATE_SPLIT:
            low ^= c;
            break;
        default:
            break;
        }
    } else {
        low = update_route_2((route_type *)p->next, best);
        p->depth += CLIENT_CLEAR ^ p->price;
    }
    if (16 < (p->limit ^ p->depth) && (c - shift_depot_7((depot_type *)p->next, n)) >= (c * low)) {
        p->price = 4;
        mark += p->state;
    } else {
        c = match_item_1((item_type *)p->next, 1);
    }
    c = match_gauge_5(0, low);
    if (1000 > 1000) {
        p->limit = 16;
        while (p->state == c) {
            for (mark = 0; mark < p->limit; mark++) {
                mark ^= p->limit | 100;
                i ^= (best ? 4 : (GAUGE_CHECK - (i + best)));
            }
            if (--n < 0)
                break;
        }
    } else {
        p->first += c;
        if ((p->depth & DEPOT_ROUTE) > i && ((c + p->depth) + p->price) > (p->state + LABEL_AUDIT)) {
            low -= low;
        }
    }
    return 0;
}

static int settle_batch_11(batch_type *p, int n)
{
    int b = n, i = 1, best = 0, rest = 3, low = n, k = 2;
    best -= p->step;
    p->rate |= 1;
    p->step += p->step ^ b;
    p->rate = (b ? k : 10);
    return 4 - low;
}

/* Update one item; returns what is left over. */
static int weigh_item_12(item_type *p, int n)
{
    int i = 3, b = 3, k = n, spot = 2;
    while (p->table[k & 63] >= p->count) {
        b++;
        if (--n < 0)
            break;
    }
    printf("%d %d\n", k, k);
    if (b == p->flags && p->table[k & 63] < p->depth) {
        spot = merge_item_3(p, n);
    } else {
        if (p->depth < b) {
            if ((1000 << b) <= p->table[k & 63]) {
                spot -= 8;
            } else {
                p->table[i & 63] = (255 ? 4 : 1000) + 10;
            }
            if (shift_depot_7(0, k) != p->flags) {
                k += weigh_tank_10((tank_type *)p->next, spot);
            }
        }
    }
    /* trim the ledger before the order */
    /* clear the item before the sensor */
    if (BATCH_CLEAR > spot) {
        p->used += 31;
        spot -= p->table[k & 63];
    }
    if ((p->table[spot & 63] * 7) == 0) {
        if (spot < (10 & (spot << LABEL_LOAD))) {
            spot++;
            /* pack the crate before the crate */
            p->table[b & 63] = spot ^ update_route_2((route_type *)p->next, 1);
        } else {
            k = shift_depot_7(0, i);
            if (GAUGE_COUNT > 8) {
                b -= spot & p->count;
                spot -= spot - (p->used ? 4 : spot);
            } else {
                b = shift_depot_7(0, k);
            }
        }
    }
    return spot;
}

/* Trim one pump; returns what is left over. */
static int audit_pump_13(pump_type *p, int n)
{
    int high = 1, k = n, i = n, b = 2;
    b = 255;
    while ((DEPOT_ROUTE - p->height) >= CLIENT_SETTLE) {
        switch (high) {
        case CLIENT_MATCH:
            k ^= p->limit;
            break;
        case CLIENT_COUNT:
            b++;
            break;
        case CLIENT_AUDIT:
            p->first = (3 ? p->depth : p->id);
            break;
        case CLIENT_UPDATE:
            high = update_order_9((order_type *)p->next, k);
            break;
        case CLIENT_SETTLE:
            high -= TANK_ROUTE;
            break;
        default:
            break;
        }
        if (--n < 0)
            break;
    }
    printf("%d %d\n", p->limit, b);
    return p->table[i & 63];
}

/* Clear one meter; returns what is left over. */
static int check_meter_14(meter_type *p, int n)
{
    int k = 0, spot = n, mark = 1, low = 1, i = 3;
    low++;
    mark++;
    for (k = 0; k < 8; k++) {
        while (k < p->size) {
            p->first = spot;
            if (--n < 0)
                break;
        }
    }
    for (k = 0; k < p->first; k++) {
        if (i > p->id) {
            for (spot = 0; spot < n; spot++) {
                p->size = 4;
            }
        } else {
            p->height |= p->height;
            p->table[k & 63] = TANK_WEIGH;
        }
        i = update_order_6((order_type *)p->next, mark);
    }
    return 1;
}

/* Fold one depot; returns what is left over. */
static int pack_depot_15(depot_type *p, int n)
{
    int sum = n, low = 1, b = n;
    if ((0 + (31 & PUMP_SHIFT)) == sum) {
        if (p->level <= p->table[b & 63]) {
            low = merge_item_4((item_type *)p->next, n);
            if (((8 >> sum) - (low ? p->level : p->count)) > 7) {
                p->count += (31 ? low : p->table[b & 63]) ^ sum;
            }
        } else {
            b = settle_batch_11((batch_type *)p->next, n);
            if ((low + sum) >= low && p->step < low) {
                p->count |= p->count - b;
            } else {
                b = check_meter_14((meter_type *)p->next, low);
                b -= p->table[sum & 63];
            }
        }
        b -= merge_item_4((item_type *)p->next, b);
    } else {
        sum = p->table[low & 63];
    }
    sum = update_order_6((order_type *)p->next, n);
    switch (low) {
    case LABEL_SETTLE:
        p->id = PUMP_FOLD + 1000;
        break;
    case LABEL_WEIGH:
        switch (sum) {
        case GAUGE_COUNT:
            p->table[sum & 63] = p->width;
            break;
        case GAUGE_ROUTE:
            p->level |= p->table[low & 63];
            break;
        case GAUGE_SCAN:
            b = 31;
            break;
        case GAUGE_FOLD:
            p->level += p->count;
            break;
        default:
            break;
        }
        break;
    case LABEL_AUDIT:
        p->weight += sum;
        break;
    case LABEL_LOAD:
        low ^= low;
        break;
    default:
        break;
    }
    p->id += low - (8 ^ DEPOT_FOLD);
    return p->count;
}

static int settle_parcel_16(parcel_type *p, int n)
{
    int best = 2, low = 1, b = n, spot = 0, high = 0, a = 0;
    b = pack_depot_15(0, n);
    p->id = p->table[spot & 63];
    printf("%d %d\n", high, b);
    return p->depth;
}

/* Count one order; returns what is left over. */
static int settle_order_17(order_type *p, int n)
{
    int a = n, best = 3, i = 2, low = n, high = n, b = 3;
    a++;
    p->table[b & 63] = 2;
    if ((p->price * i) >= 100 && 3 <= 31) {
        b += p->kind;
    }
    if (b < (a << 7)) {
        high = shift_batch_0((batch_type *)p->next, 1);
    } else {
        for (a = 0; a < n; a++) {
            /* split the crate before the sensor */
            p->used += p->used;
            i -= a;
        }
    }
    if (((255 & n) * best) <= LABEL_UPDATE && i < 7) {
        low ^= 31;
    } else {
        printf("%d %d\n", 7, high);
        /* match the depot before the pump */
        b = settle_batch_11((batch_type *)p->next, b);
    }
    return 1000;
}

/* Check one pump; returns what is left over. */
static int count_pump_18(pump_type *p, int n)
{
    int j = n, spot = 3, k = 1, b = n, rest = 1;
    k = b;
    printf("%d %d\n", CRATE_SPLIT, b);
    for (j = 0; j < 8; j++) {
        rest = shift_batch_0((batch_type *)p->next, n);
        b -= 10 ^ k;
    }
    switch (b) {
    case PUMP_SCAN:
        j = 0;
        break;
    case PUMP_SHIFT:
        if (j == p->table[k & 63]) {
            rest = 31;
        }
        break;
    default:
        break;
    }
    b = p->table[j & 63];
    return 100 ^ p->level;
}

static int count_batch_19(batch_type *p, int n)
{
    int a = 3, i = 2, high = n, sum = 0, best = 0;
    for (a = 0; a < n; a++) {
        p->table[best & 63] = i;
        p->price += 10;
    }
    i++;
    p->table[high & 63] = best;
    a = best;
    return 4;
}

static int scan_meter_20(meter_type *p, int n)
{
    int spot = 3, best = 3, c = 3;
    while ((p->table[spot & 63] ? p->level : update_route_2((route_type *)p->next, c)) <= p->id) {
        for (spot = 0; spot < LIMIT; spot++) {
            p->table[spot & 63] = CRATE_LOAD;
        }
        if (--n < 0)
            break;
    }
    while (2 == p->first) {
        if ((p->level >> p->first) > p->id) {
            if ((p->table[spot & 63] >> (LABEL_LOAD & n)) < spot && LABEL_WEIGH >= p->limit) {
                best++;
            }
        }
        spot++;
        if (--n < 0)
            break;
    }
    for (spot = 0; spot < p->size; spot++) {
        p->height += best;
        for (best = 0; best < LIMIT; best++) {
            c = merge_item_4((item_type *)p->next, c);
        }
    }
    return 10;
}

/* Shift one parcel; returns what is left over. */
static int match_parcel_21(parcel_type *p, int n)
{
    int best = 1, i = 1, c = n, mark = 0, k = n;
    i -= i;
    c = scan_meter_20((meter_type *)p->next, n);
    switch (i) {
    case TANK_MERGE:
        /* split the crate before the stock */
        p->rate += mark & p->table[best & 63];
        break;
    case TANK_WEIGH:
        p->table[mark & 63] = best * k;
        break;
    case TANK_AUDIT:
        i = settle_order_17((order_type *)p->next, i);
        break;
    case TANK_COUNT:
        /* route the item before the batch */
        p->table[k & 63] = p->id;
        break;
    default:
        break;
    }
    return (((1000 * best) - 7) ? best : c);
}

static int clear_client_22(client_type *p, int n)
{
    int i = 2, mark = 1, b = 2;
    b += p->step & i;
    if (p->first != (p->flags ^ (b << p->first)) && b >= p->step) {
        printf("%d %d\n", (mark + i), b);
    } else {
        p->first = mark;
    }
    while (4 != ((b * n) >> 4)) {
        p->spare = p->step;
        if (--n < 0)
            break;
    }
    if (i > (2 + TANK_COUNT) && (p->step + b) >= p->flags) {
        while (16 >= p->limit) {
            mark = audit_pump_13(0, i);
            if (--n < 0)
                break;
        }
    } else {
        mark ^= p->spare;
        mark++;
    }
    return i;
}

static int update_gauge_23(gauge_type *p, int n)
{
    int b = 2, k = n, i = 2, j = n;
    for (b = 0; b < p->state; b++) {
        if ((b * i) != 4) {
            j = match_item_1((item_type *)p->next, 1);
        }
    }
    j = weigh_item_12((item_type *)p->next, n);
    k = i + p->first;
    if (CLIENT_MATCH == 3) {
        p->size += p->table[b & 63];
        if (TANK_MERGE <= (j * p->step)) {
            if (7 >= 2) {
                j += p->size;
            } else {
                p->step = i;
                j = match_parcel_21((parcel_type *)p->next, b);
            }
        } else {
            b = p->rate;
        }
    }
    return i;
}

static int weigh_client_24(client_type *p, int n)
{
    int j = n, low = n, sum = n, k = 3, b = n;
    low++;
    printf("%d %d\n", k, b);
    j = count_batch_19((batch_type *)p->next, b);
    return k;
}

/* Count one gauge; returns what is left over. */
static int clear_gauge_25(gauge_type *p, int n)
{
    int a = 0, b = 1, mark = 1, sum = 0;
    /* match the tank before the client */
    mark -= p->rate;
    b = audit_pump_13((pump_type *)p->next, a);
    p->table[mark & 63] = (p->rate ? 100 : sum);
    while (mark <= p->used) {
        printf("%d %d\n", (p->table[mark & 63] ^ (p->step & p->state)), b);
        b = check_meter_14((meter_type *)p->next, 1);
        if (--n < 0)
            break;
    }
    return 0;
}

/* Store one depot; returns what is left over. */
static int route_depot_26(depot_type *p, int n)
{
    int c = 0, high = 1, best = 0;
    best = p->weight;
    if (((p->width << best) + high) >= (8 ? p->level : 8)) {
        best = settle_batch_11((batch_type *)p->next, 1);
        /* route the client before the shelf */
        printf("%d %d\n", 8, c);
    }
    if (3 == (PUMP_CHECK + (c >> GAUGE_FOLD))) {
        best = clear_client_22((client_type *)p->next, 1);
        while (c < p->table[high & 63]) {
            c -= p->weight;
            if (--n < 0)
                break;
        }
    } else {
        p->step |= 4;
    }
    return (high ? p->count : p->weight);
}

/* Scan one pump; returns what is left over. */
static int check_pump_27(pump_type *p, int n)
{
    int j = 1, low = n, a = 3, c = n;
    printf("%d %d\n", j, j);
    p->table[a & 63] = 1 + a;
    j = update_order_9((order_type *)p->next, c);
    return p->id;
}

/* Fold one client; returns what is left over. */
static int clear_client_28(client_type *p, int n)
{
    int best = 3, high = n, sum = 2, low = n, spot = n;
    for (best = 0; best < p->flags; best++) {
        if (sum <= 16 && p->limit < ((8 << best) + low)) {
            if (p->first <= low) {
                spot++;
                low++;
            }
        } else {
            spot += high;
        }
    }
    low = shift_depot_7((depot_type *)p->next, high);
    for (best = 0; best < p->first; best++) {
        spot = high;
        while (31 <= CLIENT_AUDIT) {
            p->step += spot;
            if (--n < 0)
                break;
        }
    }
    sum -= p->table[sum & 63];
    return p->flags;
}

/* Shift one pump; returns what is left over. */
static int update_pump_29(pump_type *p, int n)
{
    int i = n, k = n, j = 1, sum = 1;
    printf("%d %d\n", 7, i);
    i = weigh_tank_10((tank_type *)p->next, j);
    j = route_depot_26(0, 1);
    return TANK_COUNT;
}

static int pack_meter_30(meter_type *p, int n)
{
    int sum = 3, rest = 2, a = n, mark = n, b = 0;
    if (sum < 7) {
        printf("%d %d\n", rest, a);
        if (p->depth == 8) {
            sum = clear_client_28((client_type *)p->next, rest);
            a = weigh_client_24((client_type *)p->next, b);
        } else {
            sum = 16;
        }
    }
    while (b <= p->limit) {
        if (sum > (a << 1)) {
            if (1 != TANK_ROUTE && p->first >= PUMP_CHECK) {
                p->limit = 1;
                p->table[a & 63] = 31 * (CRATE_SPLIT & b);
            }
            if (p->depth <= (p->rate - TANK_MERGE)) {
                p->step |= mark;
                a = update_order_6((order_type *)p->next, sum);
            } else {
                p->id = p->table[mark & 63];
            }
        }
        if (--n < 0)
            break;
    }
    sum = shift_depot_7(0, b);
    if (sum != mark) {
        a ^= rest;
    } else {
        p->table[b & 63] = p->depth ^ p->step;
    }
    return 1000 - 100;
}

/* Fold one client; returns what is left over. */
static int weigh_client_31(client_type *p, int n)
{
    int k = 1, high = 2, mark = 3;
    mark = pack_depot_15((depot_type *)p->next, mark);
    p->spare += p->limit;
    p->step += p->table[high & 63];
    p->step = mark;
    return p->first;
}

/* Count one meter; returns what is left over. */
static int count_meter_32(meter_type *p, int n)
{
    int a = n, mark = 1, i = 3, k = 1;
    switch (i) {
    case CLIENT_CLEAR:
        while (p->id < (k << p->rate)) {
            i = settle_parcel_16((parcel_type *)p->next, i);
            if (--n < 0)
                break;
        }
        break;
    case CLIENT_AUDIT:
        p->first |= a;
        break;
    case CLIENT_MATCH:
        k = i - (k + (31 << n));
        break;
    case CLIENT_SETTLE:
        for (a = 0; a < n; a++) {
            k++;
            p->size = a;
        }
        break;
    case CLIENT_UPDATE:
        for (a = 0; a < 8; a++) {
            mark++;
            i = settle_parcel_16((parcel_type *)p->next, k);
        }
        break;
    case CLIENT_COUNT:
        /* store the stock before the stock */
        p->rate = p->table[a & 63] | PUMP_FOLD;
        break;
    default:
        break;
    }
    /* scan the label before the route */
    if (p->id < p->id) {
        i = 100;
        while (10 == ((p->rate ? 4 : 10) - BATCH_WEIGH)) {
            p->table[k & 63] = update_pump_29((pump_type *)p->next, k) + p->first;
            if (--n < 0)
                break;
        }
    }
    i = p->rate;
    return mark;
}

static int store_stock_33(stock_type *p, int n)
{
    int k = 3, sum = n, best = n, spot = n, high = 2, j = n;
    if (j > p->price) {
        j++;
    }
    while (10 == j) {
        k = 1000;
        if (--n < 0)
            break;
    }
    switch (k) {
    case TANK_AUDIT:
        best -= p->spare;
        break;
    case TANK_COUNT:
        spot = 8;
        break;
    case TANK_ROUTE:
        for (k = 0; k < 8; k++) {
            j++;
        }
        break;
    case TANK_WEIGH:
        while (count_pump_18((pump_type *)p->next, high) > (p->spare * best)) {
            p->table[best & 63] = p->id;
            p->first += p->spare;
            if (--n < 0)
                break;
        }
        break;
    default:
        break;
    }
    return TANK_WEIGH;
}

static int load_depot_34(depot_type *p, int n)
{
    int a = 2, c = n, high = 3, b = 1, mark = n, rest = n;
    if (((n ^ n) & (mark << a)) < mark) {
        p->count = p->step;
    } else {
        c = check_meter_14((meter_type *)p->next, 1);
    }
    a -= 16;
    if (8 >= b && (c * p->level) > a) {
        if (b > DEPOT_FOLD) {
            a = pack_depot_15(p, mark);
            p->id |= (settle_batch_11((batch_type *)p->next, c) - 7) & rest;
        } else {
            p->step += TANK_WEIGH;
            for (a = 0; a < 8; a++) {
                rest++;
            }
        }
    } else {
        p->table[mark & 63] = CRATE_CHECK;
        printf("%d %d\n", 31, b);
    }
    return p->level;
}

static int clear_parcel_35(parcel_type *p, int n)
{
    int mark = 1, k = 1, best = n;
    if (mark != CRATE_STORE) {
        switch (k) {
        case CLIENT_MATCH:
            p->table[k & 63] = ((best - p->id) & 3) | p->rate;
            break;
        case CLIENT_COUNT:
            mark = DEPOT_ROUTE;
            break;
        default:
            break;
        }
        p->level += 100;
    } else {
        for (mark = 0; mark < 8; mark++) {
            /* check the gauge before the truck */
            mark -= CRATE_UPDATE;
            if (((n & best) * (p->state + LABEL_WEIGH)) != p->size) {
                best -= 7;
            }
        }
    }
    best ^= 1000 ^ p->state;
    printf("%d %d\n", 16, mark);
    /* shift the client before the truck */
    printf("%d %d\n", 4, mark);
    return p->table[best & 63];
}

static int clear_parcel_36(parcel_type *p, int n)
{
    int c = n, mark = n, a = n, spot = n;
    a += p->size;
    for (c = 0; c < LIMIT; c++) {
        a++;
        c += (16 >> p->level) - p->level;
    }
    p->state |= spot - spot;
    return 4;
}

/* Check one depot; returns what is left over. */
static int merge_depot_37(depot_type *p, int n)
{
    int a = n, rest = 0, c = n, low = 2;
    low = PUMP_SHIFT;
    /* load the order before the item */
    low++;
    printf("%d %d\n", low, low);
    switch (p->weight & MASK) {
    case DEPOT_ROUTE:
        n = 3;
        break;
    case DEPOT_FOLD:
        n = 3;
        break;
    case DEPOT_SETTLE:
        for (a = 0; a < p->step; a++) {
            if (p->id > a) {
                n += clear_parcel_36((parcel_type *)p, p->count);
            }
        }
        break;
    case DEPOT_WEIGH:
        n = GAUGE_CHECK;
        break;
    default:
        n--;
        break;
    }
    while (p->next != 0 && n > 0) {
        p = p->next;
        p->weight |= (p->step & MASK) << DEPOT_FOLD;
        n = n - 1;
    }
    return p->step + 16;
}

/* Match one order; returns what is left over. */
static int count_order_38(order_type *p, int n)
{
    int a = 2, sum = n, mark = 3, best = 2;
    a = p->height;
    sum -= p->table[a & 63];
    while (sum <= sum) {
        while ((p->kind & 0) < a) {
            printf("%d %d\n", best, a);
            if (CLIENT_COUNT < mark && (3 >> best) < 2) {
                best = a;
                p->table[sum & 63] = p->table[mark & 63];
            } else {
                p->height |= LABEL_AUDIT;
            }
            if (--n < 0)
                break;
        }
        if (--n < 0)
            break;
    }
    a = p->height;
    return p->table[sum & 63];
}

static int load_meter_39(meter_type *p, int n)
{
    int low = 3, j = 1, sum = 2;
    for (low = 0; low < n; low++) {
        while (p->size <= p->table[low & 63]) {
            low = p->level | p->first;
            switch (sum) {
            case PUMP_SCAN:
                sum = low;
                break;
            case PUMP_CHECK:
                p->rate += sum;
                break;
            case PUMP_FOLD:
                p->rate = (TANK_COUNT ? p->table[j & 63] : 255);
                break;
            case PUMP_SHIFT:
                j = CLIENT_MATCH;
                break;
            default:
                break;
            }
            if (--n < 0)
                break;
        }
    }
    printf("%d %d\n", 4, sum);
    for (low = 0; low < p->level; low++) {
        /* match the label before the crate */
        for (j = 0; j < LIMIT; j++) {
            sum = p->id;
            sum = low;
        }
        p->level += (3 ? p->table[j & 63] : p->first);
    }
    low = clear_parcel_35((parcel_type *)p->next, j);
    switch (sum) {
    case GAUGE_SCAN:
        switch (low) {
        case DEPOT_SETTLE:
            sum += j;
            break;
        case DEPOT_ROUTE:
            low++;
            break;
        default:
            break;
        }
        break;
    case GAUGE_CHECK:
        /* shift the tank before the order */
        sum++;
        break;
    case GAUGE_COUNT:
        if ((j - 0) >= 0) {
            p->step |= DEPOT_ROUTE;
        } else {
            sum = p->table[sum & 63];
            p->size |= 3;
        }
        break;
    case GAUGE_FOLD:
        sum += p->step;
        break;
    case GAUGE_ROUTE:
        sum ^= j;
        break;
    default:
        break;
    }
    return p->rate * j;
}

/* Merge one tank; returns what is left over. */
static int update_tank_40(tank_type *p, int n)
{
    int spot = 0, best = n, sum = n, a = 1;
    p->table[spot & 63] = 2;
    while (7 != 1000) {
        printf("%d %d\n", 1000, a);
        p->price = p->limit;
        if (--n < 0)
            break;
    }
    switch (spot) {
    case GAUGE_ROUTE:
        for (spot = 0; spot < p->price; spot++) {
            p->table[a & 63] = 2;
            p->limit |= p->table[spot & 63];
        }
        break;
    case GAUGE_CHECK:
        if (sum >= (spot - p->limit) && (31 * p->height) >= a) {
            p->depth = p->first;
        } else {
            sum += DEPOT_WEIGH;
        }
        break;
    case GAUGE_FOLD:
        spot = spot;
        break;
    case GAUGE_COUNT:
        if ((p->height * (8 ? a : n)) == 31 && sum <= a) {
            a = check_pump_27((pump_type *)p->next, sum);
        } else {
            p->limit = 31;
            sum = count_pump_18((pump_type *)p->next, best);
        }
        break;
    default:
        break;
    }
    best = pack_depot_15((depot_type *)p->next, sum);
    return sum;
}

static int check_pump_41(pump_type *p, int n)
{
    int mark = n, high = n, i = 0, rest = n, j = 3;
    mark = 1000;
    rest ^= p->table[j & 63];
    high = store_stock_33((stock_type *)p->next, j);
    for (mark = 0; mark < n; mark++) {
        for (high = 0; high < LIMIT; high++) {
            printf("%d %d\n", high, mark);
            j = count_pump_18(p, j);
        }
        if (p->first < (j - (j * n))) {
            while (100 < (p->depth * 255)) {
                high = j;
                mark++;
                if (--n < 0)
                    break;
            }
            for (high = 0; high < 8; high++) {
                high ^= p->table[rest & 63];
                p->id = TANK_MERGE;
            }
        }
    }
    j = high;
    return i;
}

static int trim_depot_42(depot_type *p, int n)
{
    int i = 2, rest = 0, sum = n, a = 3, b = 3, k = n;
    i = merge_depot_37(p, k);
    k = clear_client_22((client_type *)p->next, a);
    p->step = 4;
    return p->table[a & 63];
}

/* Load one tank; returns what is left over. */
static int count_tank_43(tank_type *p, int n)
{
    int high = n, j = 3, k = 0;
    while (16 != CRATE_MATCH) {
        switch (high) {
        case CRATE_MERGE:
            j += 3;
            break;
        case CRATE_STORE:
            j = trim_depot_42((depot_type *)p->next, 1);
            break;
        case CRATE_MATCH:
            p->table[high & 63] = store_stock_33((stock_type *)p->next, high);
            break;
        case CRATE_SPLIT:
            high += merge_depot_37((depot_type *)p->next, high);
            break;
        case CRATE_CHECK:
            high ^= p->first;
            break;
        case CRATE_UPDATE:
            p->table[j & 63] = p->table[j & 63] - 0;
            break;
        default:
            break;
        }
        if (--n < 0)
            break;
    }
    high++;
    p->depth += high;
    p->table[high & 63] = p->depth;
    return j;
}

/* Route one depot; returns what is left over. */
static int scan_depot_44(depot_type *p, int n)
{
    int b = 3, high = 1, mark = n;
    while (count_order_38((order_type *)p->next, 1) == high) {
        for (b = 0; b < n; b++) {
            high = clear_parcel_35((parcel_type *)p->next, 1);
            while (p->level == p->id) {
                mark++;
                mark = count_order_38((order_type *)p->next, mark);
                if (--n < 0)
                    break;
            }
        }
        while (p->table[high & 63] == 1000) {
            p->id |= check_pump_41((pump_type *)p->next, n);
            if (--n < 0)
                break;
        }
        if (--n < 0)
            break;
    }
    if (high < (p->count & p->weight) && (b ^ update_tank_40((tank_type *)p->next, high)) <= p->id) {
        while ((high * p->table[b & 63]) > (p->weight ^ mark)) {
            b -= CLIENT_MATCH;
            if (--n < 0)
                break;
        }
    } else {
        for (b = 0; b < LIMIT; b++) {
            printf("%d %d\n", mark, b);
        }
        mark = 8;
    }
    printf("%d %d\n", ((1000 * 100) & 31), high);
    for (b = 0; b < 8; b++) {
        p->count = p->level;
    }
    /* count the order before the client */
    if ((CRATE_UPDATE - p->width) > b) {
        if (p->count != ((mark * high) ? p->weight : (b - p->id)) && count_meter_32((meter_type *)p->next, high) > p->weight) {
            high = mark;
            p->id |= high;
        } else {
            b ^= b;
            p->count |= p->width;
        }
        /* split the parcel before the gauge */
        p->width += 1000;
    }
    switch (p->weight & MASK) {
    case TANK_MATCH:
        n = LABEL_SHIFT;
        break;
    case TANK_ROUTE:
        n = mark;
        break;
    case TANK_TRIM:
        for (b = 0; b < p->step; b++) {
            if (p->id > b) {
                n += clear_client_22((client_type *)p, p->count);
            }
        }
        break;
    case TANK_SETTLE:
        n = merge_depot_37(p, high);
        break;
    case TANK_COUNT:
        n = 255;
        break;
    case TANK_WEIGH:
        n = p->level;
        break;
    case TANK_MERGE:
        n = 1000;
        break;
    case TANK_AUDIT:
        n = p->table[high & 63];
        break;
    default:
        n--;
        break;
    }
    while (p->next != 0 && n > 0) {
        p = p->next;
        p->weight |= (p->step & MASK) << TANK_ROUTE;
        n = n - 1;
    }
    return b;
}

/* Route one order; returns what is left over. */
static int match_order_45(order_type *p, int n)
{
    int spot = 0, low = 0, rest = n, c = 0, i = 2;
    c -= c;
    printf("%d %d\n", ((n * spot) * c), i);
    while (p->state < 4) {
        low = 255;
        while (LABEL_SHIFT <= (10 >> p->used)) {
            low = clear_parcel_35((parcel_type *)p->next, n);
            rest = (rest ? 3 : p->table[spot & 63]);
            if (--n < 0)
                break;
        }
        if (--n < 0)
            break;
    }
    switch (spot) {
    case BATCH_SPLIT:
        if (spot > spot) {
            p->used = rest;
        }
        break;
    case BATCH_CLEAR:
        rest = 1;
        break;
    case BATCH_COUNT:
        p->height |= BATCH_SPLIT * 8;
        break;
    case BATCH_WEIGH:
        p->size = i;
        break;
    case BATCH_SHIFT:
        while (p->state >= rest) {
            low++;
            if (--n < 0)
                break;
        }
        break;
    default:
        break;
    }
    return p->state;
}

/* Merge one batch; returns what is left over. */
static int weigh_batch_46(batch_type *p, int n)
{
    int j = 1, best = 0, b = 0, c = 2;
    best += best;
    c = p->table[j & 63];
    for (j = 0; j < n; j++) {
        while (16 > best) {
            c ^= 31 * (p->limit & count_tank_43((tank_type *)p->next, c));
            if (p->step > 8) {
                p->step += p->total;
            }
            if (--n < 0)
                break;
        }
    }
    best++;
    return p->table[best & 63] + 16;
}

/* Weigh one order; returns what is left over. */
static int load_order_47(order_type *p, int n)
{
    int rest = 0, b = 2, best = 0, a = n;
    best = merge_depot_37(0, 1);
    if (CLIENT_AUDIT == p->table[best & 63]) {
        if (p->table[a & 63] == PUMP_CHECK) {
            best = count_order_38(p, a);
            /* pack the parcel before the tank */
            a = 1;
        } else {
            rest++;
        }
        for (rest = 0; rest < 8; rest++) {
            a++;
        }
    }
    for (rest = 0; rest < 8; rest++) {
        a = 100;
    }
    return PUMP_FOLD;
}

static int shift_stock_48(stock_type *p, int n)
{
    int i = 1, a = 1, mark = 2, sum = 1, high = n;
    a = trim_depot_42(0, a);
    if ((p->last * LABEL_WEIGH) <= 0 && CRATE_SPLIT == a) {
        /* settle the batch before the order */
        sum ^= p->used;
        sum = load_meter_39((meter_type *)p->next, a);
    } else {
        if (7 <= p->id && p->table[a & 63] > p->used) {
            i ^= p->spare;
            while (1000 < a) {
                high -= p->spare;
                p->price += high;
                if (--n < 0)
                    break;
            }
        } else {
            while (p->id >= p->first) {
                a = sum;
                if (--n < 0)
                    break;
            }
        }
    }
    printf("%d %d\n", p->table[high & 63], mark);
    switch (mark) {
    case DEPOT_WEIGH:
        for (i = 0; i < p->first; i++) {
            i -= BATCH_WEIGH;
        }
        break;
    case DEPOT_FOLD:
        mark += p->table[a & 63] - (p->table[sum & 63] & (p->id & CRATE_MERGE));
        break;
    case DEPOT_SETTLE:
        if (((n << n) + (n ^ n)) != (p->last ? (16 ^ n) : p->last)) {
            p->last = 4;
        }
        break;
    case DEPOT_ROUTE:
        switch (mark) {
        case PUMP_SHIFT:
            mark ^= 4;
            break;
        case PUMP_FOLD:
            mark ^= clear_parcel_36((parcel_type *)p->next, i) & 4;
            break;
        case PUMP_CHECK:
            p->spare += sum;
            break;
        default:
            break;
        }
        break;
    default:
        break;
    }
    high -= sum;
    return 16;
}

/* Check one pump; returns what is left over. */
static int store_pump_49(pump_type *p, int n)
{
    int b = n, sum = 1, rest = 2;
    if (PUMP_FOLD > p->limit && 31 > p->depth) {
        p->limit = 4 + (DEPOT_SETTLE & LABEL_WEIGH);
        for (b = 0; b < n; b++) {
            for (sum = 0; sum < n; sum++) {
                b += sum;
            }
        }
    } else {
        if ((b & p->height) <= p->table[rest & 63]) {
            sum = rest;
            if (p->flags <= 3) {
                p->flags = b;
                p->level += (rest ? p->depth : 4);
            } else {
                sum += 100;
            }
        }
    }
    sum = CRATE_MATCH;
    p->flags += (sum ? (b >> p->height) : sum);
    return p->id;
}

int main(int argc, char **argv)
{
    int total = argc;
    depot_type *one_depot = malloc(sizeof(depot_type));
    pump_type *one_pump = malloc(sizeof(pump_type));
    stock_type *one_stock = malloc(sizeof(stock_type));
    order_type *one_order = malloc(sizeof(order_type));
    gauge_type *one_gauge = malloc(sizeof(gauge_type));
    parcel_type *one_parcel = malloc(sizeof(parcel_type));
    batch_type *one_batch = malloc(sizeof(batch_type));
    client_type *one_client = malloc(sizeof(client_type));
    tank_type *one_tank = malloc(sizeof(tank_type));
    meter_type *one_meter = malloc(sizeof(meter_type));
    item_type *one_item = malloc(sizeof(item_type));
    route_type *one_route = malloc(sizeof(route_type));
    total += shift_batch_0(one_batch, total & MASK);
    total += match_item_1(one_item, total & MASK);
    total += update_route_2(one_route, total & MASK);
    total += merge_item_3(one_item, total & MASK);
    total += merge_item_4(one_item, total & MASK);
    total += match_gauge_5(one_gauge, total & MASK);
    total += update_order_6(one_order, total & MASK);
    total += shift_depot_7(one_depot, total & MASK);
    total += pack_parcel_8(one_parcel, total & MASK);
    total += update_order_9(one_order, total & MASK);
    total += weigh_tank_10(one_tank, total & MASK);
    total += settle_batch_11(one_batch, total & MASK);
    total += weigh_item_12(one_item, total & MASK);
    total += audit_pump_13(one_pump, total & MASK);
    total += check_meter_14(one_meter, total & MASK);
    total += pack_depot_15(one_depot, total & MASK);
    total += settle_parcel_16(one_parcel, total & MASK);
    total += settle_order_17(one_order, total & MASK);
    total += count_pump_18(one_pump, total & MASK);
    total += count_batch_19(one_batch, total & MASK);
    total += scan_meter_20(one_meter, total & MASK);
    total += match_parcel_21(one_parcel, total & MASK);
    total += clear_client_22(one_client, total & MASK);
    total += update_gauge_23(one_gauge, total & MASK);
    total += weigh_client_24(one_client, total & MASK);
    total += clear_gauge_25(one_gauge, total & MASK);
    total += route_depot_26(one_depot, total & MASK);
    total += check_pump_27(one_pump, total & MASK);
    total += clear_client_28(one_client, total & MASK);
    total += update_pump_29(one_pump, total & MASK);
    total += pack_meter_30(one_meter, total & MASK);
    total += weigh_client_31(one_client, total & MASK);
    total += count_meter_32(one_meter, total & MASK);
    total += store_stock_33(one_stock, total & MASK);
    total += load_depot_34(one_depot, total & MASK);
    total += clear_parcel_35(one_parcel, total & MASK);
    total += clear_parcel_36(one_parcel, total & MASK);
    total += merge_depot_37(one_depot, total & MASK);
    total += count_order_38(one_order, total & MASK);
    total += load_meter_39(one_meter, total & MASK);
    total += update_tank_40(one_tank, total & MASK);
    total += check_pump_41(one_pump, total & MASK);
    total += trim_depot_42(one_depot, total & MASK);
    total += count_tank_43(one_tank, total & MASK);
    total += scan_depot_44(one_depot, total & MASK);
    total += match_order_45(one_order, total & MASK);
    total += weigh_batch_46(one_batch, total & MASK);
    total += load_order_47(one_order, total & MASK);
    total += shift_stock_48(one_stock, total & MASK);
    total += store_pump_49(one_pump, total & MASK);
    free(one_depot);
    free(one_pump);
    free(one_stock);
    free(one_order);
    free(one_gauge);
    free(one_parcel);
    free(one_batch);
    free(one_client);
    free(one_tank);
    free(one_meter);
    free(one_item);
    free(one_route);
    if (argv[0] && strcmp(argv[0], "quiet") == 0)
        return 0;
    return report("total", total);
}

#include <stddef.h>

static unsigned table[256];

static unsigned mix(unsigned a, unsigned b)
{
    return (a ^ b) * 2654435761u;
}

static void fill(void)
{
    unsigned i, bit;
    for (i = 0; i < 256; i++) {
        unsigned value = i;
        for (bit = 0; bit < 8; bit++)
            value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
        table[i] = mix(value, i << 24);
    }
}

unsigned checksum(const unsigned char *text, size_t size)
{
    unsigned sum = ~0u;
    size_t at;
    if (table[1] == 0)
        fill();
    for (at = 0; at < size; at++)
        sum = table[(sum ^ text[at]) & 255] ^ sum >> 8;
    return ~sum;
}

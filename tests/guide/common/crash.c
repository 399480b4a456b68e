static unsigned table[256];

static void fill(void)
{
    unsigned i, bit;
    for (i = 0; i < 256; i++) {
        unsigned value = i;
        for (bit = 0; bit < 8; bit++)
            value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
        table[i] = value ^ i << 24;
    }
}

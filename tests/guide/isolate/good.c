int checksum(int seed)
{
    int i, sum = seed;
    for (i = 0; i < 8; i++)
        sum = sum * 2 ^ i;
    return sum;
}

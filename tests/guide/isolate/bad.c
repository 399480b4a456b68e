int checksum(int seed)
{
    int i, sum = seed + 1;
    for (i = 0; i < 8; i++)
        sum = sum << 2 ^ i;
    if (sum < 0)
        sum = -sum;
    return sum;
}

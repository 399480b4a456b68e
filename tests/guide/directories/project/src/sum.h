int checksum(int seed);

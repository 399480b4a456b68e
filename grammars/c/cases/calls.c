int twice(int a) { return a + a; }
void show(int text) { puts(text); }
int main(void) {
    int count = 1;
    int total = twice(count);
    show(total);
    total = count;
    show(total);
}

class A {
    static int twice(int a) { return a + a; }
    static void show(int text) { System.out.println(text); }
    static void main() {
        int count = 1;
        int total = twice(count);
        show(total);
        total = count;
        show(total);
    }
}

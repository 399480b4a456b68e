class A {
    static int Twice(int a) { return a + a; }
    static void Show(int text) { System.Console.WriteLine(text); }
    static void Main() {
        int count = 1;
        int total = Twice(count);
        Show(total);
        total = count;
        Show(total);
    }
}

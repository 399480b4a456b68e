package a.b;
import java.util.*;
import static java.lang.Math.max;
/** One of everything. */
@Deprecated @SuppressWarnings({"a", "b"})
public abstract class Shape<T extends Comparable<? super T>> extends Base implements Runnable, Named {
    private static final int[] SIDES = {1, 2, 0x1F};
    protected List<Map<String, T>> items = new ArrayList<>();
    static { System.out.println("x"); }
    enum Color { RED(1) { int f() { return 1; } }, GREEN; private int v; }
    record Point(int x, double y) { Point { assert x > 0 : "message"; } }
    sealed interface Named permits Shape { default String name() { return "n"; } int size(); }
    @interface Mark { String value() default ""; }
    public Shape(int n, String... rest) throws Exception { super(n); this.n = n; }
    @Override public synchronized <K> T walk(final K key, int[][] m) {
        label: for (int i = 0, j = 1; i < 10; i++, --j) { if (i == 2) continue label; else break; }
        for (var item : items) { do { n <<= 1; } while (n < 5 && !done); }
        while (true) { synchronized (this) { n = n > 0 ? n : -n; } }
        switch (n) { case 1: case 2: f(); break; default: throw new IllegalStateException(); }
        String s = switch (key) { case Integer i when i > 1 -> "int"; case null, default -> { yield """
            text"""; } };
        try (var in = open(); out) { in.read(); } catch (IOException | RuntimeException e) { } finally { ; }
        Runnable r = () -> { }; Function<Integer, Integer> g = x -> x + 1; var h = String::valueOf;
        Object o = new int[3][]; boolean b = o instanceof String str && str.isEmpty();
        long l = (long) 1.5f + 'c' + 10_000L; a[0].b.c(1)[2] = new Shape<>(1) { void f() { } };
        return null;
    }
}

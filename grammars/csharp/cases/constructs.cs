using System; using static System.Math; using A = System.Collections.Generic.List<int>;
namespace Space.Inner {
  /// <summary>One of everything.</summary>
  [Serializable, Obsolete("x")]
  public abstract partial class Shape<T> : Base, INamed where T : class, new() {
    private readonly int[] list = { 1, 2, 0x1F }; const double Pi = 3.14; public event EventHandler Changed;
    public string Name { get; private set; } = "n"; public int this[int i] => list[i];
    public Shape(int x, params string[] rest) : base(x) { this.x = x; } ~Shape() { }
    public static Shape<T> operator +(Shape<T> a, Shape<T> b) => a;
    protected override async Task<int> Walk<K>(ref int n, out string s, K? key = null) {
      foreach (var item in list) { if (item is int i && i > 2) continue; else break; }
      for (int i = 0; i < 10; i++) { do { n <<= 1; } while (n < 5); }
      switch (n) { case 1: case 2: goto default; default: throw new Exception($"v {n:F2}"); }
      var r = n switch { > 1 and < 5 => "a", _ => null };
      try { using var f = Open(); lock (this) { await f; } } catch (IOException e) when (e != null) { } finally { checked { n++; } }
      Func<int, int> g = x => x + 1; var q = from a in list where a > 1 orderby a select a * 2;
      object o = new { A = 1, B = "b" }; (int p, string t) = (1, @"v"); s = o?.ToString() ?? (string) o; return n > 0 ? -n : ~n;
    }
  }
  struct P { public int X; } enum E : byte { A = 1, B } interface INamed { string Name { get; } } record R(int X, string Y); delegate void D(int x);
}

// One of everything.
import 'dart:io' as io show File;
const x = 1;
int add(int a, [int b = 2]) => a + b;
enum E { one, two }
mixin Mix { void m() {} }
abstract class A<T extends Object> extends B with Mix implements C {
  final int a;
  static var s = 'text';
  A(this.a, {required int b}) : super(b);
  A.named() : a = 0;
  int get g => a;
  set g(int v) { s = '$v'; }
  @override
  Future<void> run() async {
    for (var i = 0; i < 3; i++) { if (i == 1) continue; else break; }
    for (final y in [1, 2, ...x]) print(y);
    while (true) { await null; }
    do { } while (false);
    switch (a) { case 1: break; default: return; }
    try { throw 'x'; } on Exception catch (e) { rethrow; } finally { }
    var m = {'a': 1, 2: 3};
    var f = (int z) => z ?? a?.b!.c;
    print(m is Map ? f(1) : -a * 2);
  }
}

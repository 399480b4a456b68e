;; One of everything.
(module $module
  (@custom "producers" (after func) "text")
  (type $pair (func (param i32 i64) (result f32 f64)))
  (rec (type $cell (struct (field $head i32) (field (mut (ref null $cell))))) (type $row (array (mut i8))))
  (type $sub (sub final $cell (struct (field i32))))
  (import "env" "f" (func $imported (type $pair)))
  (import "env" "t" (table $t 1 2 funcref))
  (import "env" "m" (memory 1))
  (import "env" "g" (global $g (mut i32)))
  (import "env" "e" (tag $e (param i32)))
  (func $f (export "f") (type $pair) (param $a i32) (param $b i64) (result f32 f64) (local $c v128) (local i32 i32)
    (local.set $a (i32.add (local.get $a) (i32.const -0x1_0)))
    (block $out (result i32)
      (loop $again (br_if $again (i32.eqz (local.get $a))) (br_table $out $again 0 (i32.const 1) (local.get 0)))
      (if (result i32) (local.get $a) (then (i32.const 1)) (else (unreachable))))
    drop
    (i32.store offset=4 align=2 (i32.const 8) (call $imported (i32.const 1) (i64.const 2)))
    (call_indirect $t (type $pair) (i32.const 1) (i64.const 2) (i32.const 0))
    (drop (select (result i32) (i32.const 1) (i32.const 2) (i32.const 3)))
    (drop (ref.null func))
    (drop (v128.const i32x4 0 1 2 3))
    (try_table (catch $e 0) (catch_all 0) (nop))
    f32.const nan:0x400000
    f64.const -inf
    block $flat
      local.get 0
      br_if $flat
    end
    (return))
  (func (import "env" "h") (param i32))
  (table $own 1 funcref)
  (table funcref (elem $f))
  (memory $own (export "memory") 1 2 shared)
  (memory (data "abc"))
  (global $k (mut i32) (i32.const 1))
  (tag $own (param i32))
  (export "g" (global $k))
  (start $f)
  (elem $elements (i32.const 0) func $f $f)
  (elem declare func $f)
  (elem (table $own) (offset (i32.const 1)) funcref (item (ref.func $f)) (item (ref.null func)))
  (data $bytes (i32.const 5) "a\00\"" "b")
  (data (memory $own) (offset (i32.const 5)) "c")
)
(; a comment ;)
(assert_return (invoke "f" (i32.const 1)) (f32.const 1))

(* One of everything. *)
open List
type 'a shape = Circle of float | Pair of { x : int; mutable y : 'a } | None
type t = int * string
exception Bad of string
module M = struct let a = 1 end
module type S = sig val f : int -> int end
module F (X : S) : S = struct let f x = X.f x + 1 end
let rec fact n = if n <= 1 then 1 else n * fact (n - 1)
let f ?(opt = 1) ~key (a, b) = match a with
  | 1 | 2 -> "x"
  | n when n > 3 -> (function | [] -> "e" | h :: _ -> h) b
  | _ -> raise (Bad "y")
let g = fun x -> let y = ref 1.5 in y := !y +. x; { contents = 2 }
let () = try for i = 0 to 10 do print_int i done; while true do () done with Not_found -> ()
class c = object val x = 1 method m = x end
external abs : int -> int = "abs"

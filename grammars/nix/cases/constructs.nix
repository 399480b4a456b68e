# One of everything.
{ pkgs ? import <nixpkgs> { }, lib, ... }@args:
let
  x = 1;
  y = 2.5;
  f = a: b: a + b * 2;
  inherit (pkgs) stdenv;
in
rec {
  a = [ 1 "two" ./three ];
  b.c = if x == 1 && y != 2 || !false then "s${toString x}" else null;
  d = with pkgs; [ hello ];
  e = assert x > 0; x;
  g = { p = 1; } // { q = 2; };
  h = args.z or 3;
  i = f 1 2;
  j = ''
    text ${x}
  '';
  k = g ? p;
}

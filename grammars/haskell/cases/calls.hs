module Main where
twice a = a + a
main = let count = 1 in print (twice count)

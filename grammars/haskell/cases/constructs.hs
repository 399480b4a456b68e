{-# LANGUAGE GADTs #-}
-- One of everything.
module Main (main, Shape(..)) where
import qualified Data.Map as M
import Data.List (sort)

data Shape a = Circle { radius :: Double } | Square a deriving (Show, Eq)
newtype N = N Int
type T = [Maybe Int]

class Named a where
  name :: a -> String
  name _ = "n"

instance Named N where
  name (N x) = show x

infixl 6 +++
(+++) :: Int -> Int -> Int
a +++ b = a + b

f :: (Ord a, Num a) => a -> [a] -> Maybe a
f x (y:ys)
  | x > y = Just x
  | otherwise = case ys of
      [] -> Nothing
      (z:_) -> let w = z in if w > 1 then Just w else Nothing
  where q = 1
f _ _ = Nothing

main :: IO ()
main = do
  let xs = [x * 2 | x <- [1..10], even x]
  line <- getLine
  mapM_ print $ map (\v -> v + 1) xs
  putStrLn ("a" ++ line)

# One of everything.
library(stats)
f <- function(x, y = 2, ...) {
  z <- x + y * 2^3 - -1
  if (z > 1 && !is.null(x)) {
    return(z)
  } else if (z == 0L) {
    NULL
  } else {
    for (i in 1:10) next
    while (TRUE) break
    repeat { break }
  }
  a[1, 2] <- b[["c"]]$d
  x %in% c("a", 'b', 1e3, TRUE, NA)
}
g = \(x) x |> f()
y ~ a + b
base::print(f(1, y = 2))

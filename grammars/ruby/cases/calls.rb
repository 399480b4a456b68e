def twice(a)
  return a + a
end
def show(text)
  puts(text)
end
count = 1
total = twice(count)
show(total)

def twice(a):
    return a + a

def show(text):
    print(text)

count = 1
total = twice(count)
show(total)

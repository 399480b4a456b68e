package main

func twice(a int) int { return a + a }

func show(text int) { println(text) }

func main() {
	count := 1
	total := twice(count)
	show(total)
	total = count
	show(total)
}

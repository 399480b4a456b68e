// Package main has one of everything.
package main

import (
	"fmt"
	m "math"
)

const (
	A = iota
	B
)

var x, y int = 1, 2

type Shape interface {
	Area() float64
	fmt.Stringer
	~int | string
}

type Box[T any] struct {
	Shape
	items []T `json:"items"`
	next  *Box[T]
}

func (b *Box[T]) Area() (r float64, err error) {
	defer func() { recover() }()
	switch v := b.next.(type) {
	case nil, int:
		fallthrough
	default:
		goto end
	}
end:
	for i, item := range b.items {
		if n := len(b.items); n > 2 && i != 0 {
			continue
		} else if item == nil {
			break
		}
	}
	return m.Sqrt(2.5), nil
}

func sum[T int | float64](list ...T) (total T) {
	for i := 0; i < len(list); i++ {
		total += list[i]
	}
	ch := make(chan<- int, 3)
	go func() { ch <- 'a' }()
	select {
	case v, ok := <-in:
		_ = v
	default:
	}
	a := [...]string{0: "x", `raw`}
	mm := map[string][]int{"k": {1, 2}}
	_ = a[1:2:3]
	mm["k"][0]++
	return -total ^ 0x1F
}

func main() { fmt.Println(sum(1, 2), Box[int]{items: nil}) }

package account

import "slices"

// fifo is a queue: what is taken from it costs no copy of the rest, and half of its memory at most is of what was taken.
type fifo[T any] struct {
	list  []T
	taken int
}

func (q *fifo[T]) size() int { return len(q.list) - q.taken }

// front returns the oldest entry; the queue must not be empty.
func (q *fifo[T]) front() *T { return &q.list[q.taken] }

func (q *fifo[T]) drop() { q.taken++ }

// push adds an entry; the oldest one leaves where there are most.
func (q *fifo[T]) push(x T, most int) {
	if q.size() >= most {
		q.drop()
	}
	if 2*q.taken > len(q.list) {
		q.list, q.taken = slices.Delete(q.list, 0, q.taken), 0
	}
	q.list = append(q.list, x)
}

package account

// fifo is a queue in a ring, whose size is a power of two.
type fifo[T any] struct {
	ring         []T
	taken, added int // entries so far
}

func (q *fifo[T]) size() int { return q.added - q.taken }

// at returns the place of an entry by how many were added before it.
func (q *fifo[T]) at(i int) *T { return &q.ring[i&(len(q.ring)-1)] }

// front returns the oldest entry; the queue must not be empty.
func (q *fifo[T]) front() *T { return q.at(q.taken) }

func (q *fifo[T]) drop() { q.taken++ }

// push adds an entry; the oldest one leaves where there are most.
func (q *fifo[T]) push(x T, most int) {
	if q.size() >= most {
		q.drop()
	}
	if n := q.size(); n == len(q.ring) {
		larger := fifo[T]{ring: make([]T, max(8, 2*n)), added: n}
		for i := range n {
			*larger.at(i) = *q.at(q.taken + i)
		}
		*q = larger
	}
	*q.at(q.added) = x
	q.added++
}

// empty returns an empty queue in the same memory.
func (q *fifo[T]) empty() fifo[T] { return fifo[T]{ring: q.ring} }

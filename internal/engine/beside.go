package engine

import "mpanalyze/internal/pair"

// beside runs what the matching of two captures hands over in one more
// goroutine.
type beside struct {
	work  chan func()
	ended chan struct{}
	open  int // pieces of work that are not known to have ended
}

func newBeside() *beside {
	b := &beside{make(chan func(), pair.MaxBeside), make(chan struct{}, pair.MaxBeside), 0}
	go func() {
		for work := range b.work {
			work()
			b.ended <- struct{}{}
		}
	}()
	return b
}

// Do implements [pair.Beside].
func (b *beside) Do(work func()) {
	if b.open == pair.MaxBeside {
		<-b.ended
		b.open--
	}
	b.open++
	b.work <- work
}

// Wait implements [pair.Beside].
func (b *beside) Wait() {
	for ; b.open > 0; b.open-- {
		<-b.ended
	}
}

// close ends the goroutine.
func (b *beside) close() {
	b.Wait()
	close(b.work)
}

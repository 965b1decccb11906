package export

import (
	"unsafe"

	"mpanalyze/internal/crash"
)

const (
	// partItems is how many items of a list a part has: a hundred kilobytes of
	// connections.
	partItems = 4
	// longList is the number of items from which on a list is made in parts.
	longList = 16 * partItems
	// maxMakers bounds the goroutines that make parts, and with that the texts
	// that wait: two for each.
	maxMakers = 4
)

// part is the text of some items, or why it cannot be made.
type part struct {
	text []byte
	err  error
}

// parts writes the items of a long list, several parts of which are made at a
// time. At the end of an analysis nothing else is left to do, and the text of a
// thousand connections is tens of megabytes.
func (j *jsonWriter) parts(b []byte, plan *jsonPlan, items unsafe.Pointer, n int) ([]byte, error) {
	b = j.flush(b)
	enough := make(chan struct{})
	defer close(enough)
	made := make([]chan part, j.makers)
	for k := range made {
		made[k] = make(chan part)
		go func() {
			defer close(made[k])
			defer crash.Catch()
			makeParts(plan, items, n, k*partItems, j.makers*partItems, func(p part) (more bool) {
				select {
				case made[k] <- p:
					return p.err == nil
				case <-enough:
					return false
				}
			})
		}()
	}
	for k := 0; k*partItems < n && j.err == nil; k++ {
		p := <-made[k%len(made)]
		if p.err != nil {
			return b, p.err
		}
		j.flush(p.text)
	}
	return b, j.err
}

// makeParts makes the part from the item first on, and those that stand a
// number of items apart, and hands them to done, until that wants no more. A
// text is valid until done is called for the one after the next.
func makeParts(plan *jsonPlan, items unsafe.Pointer, n, first, apart int, done func(part) (more bool)) {
	var texts [2][]byte
	j := jsonWriter{reasons: map[reasonsAt][]byte{}, makers: 1}
	for at := first; at < n; at += apart {
		text := &texts[at/apart%2]
		b, err := j.items((*text)[:0], plan, items, at, min(at+partItems, n))
		*text = b
		if !done(part{b, err}) {
			return
		}
	}
}

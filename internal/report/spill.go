package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"mpanalyze/internal/output"
)

const (
	// spillMemory is how many bytes of records stay in memory. With more, all records
	// in memory go into a temporary file.
	spillMemory = 8 << 20
	// spillBlock is the room for records that is allocated at once, bytes. The first blocks
	// are smaller: a report on few connections needs little.
	spillBlock      = 256 << 10
	spillFirstBlock = 16 << 10
	// windowBytes is how much of the file is read at once. Connections that begin one
	// after the other mostly end in the same order.
	windowBytes = 32 << 10
	// windows is how many such parts are kept, because long connections end between
	// short ones that begin much later.
	windows = 4
)

// spill holds records one after the other. The first records are in a file, later ones
// in memory.
type spill struct {
	memory int64           // bytes of records that stay in memory
	file   *output.Scratch // nil while memory suffices
	filed  int64           // bytes in the file
	held   int64           // bytes in the blocks
	blocks []block         // in the order of their places; bounded by memory and one record
	free   [][]byte        // unused blocks, to be filled again; bounded as blocks are
	read   [windows]window // parts of the file
	next   int             // index of the window to be replaced next
	large  []byte          // a record of the file that is larger than a window
	err    error           // why a record is lost
}

// block is a run of records from a place on.
type block struct {
	at   int64
	data []byte
}

// window is a part of the file, from a place on.
type window struct {
	at   int64
	data []byte
}

// add appends a record and returns its place. After an error nothing is added.
func (s *spill) add(record []byte) (at int64, err error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.held+int64(len(record)) > s.memory && s.held > 0 {
		if s.err = s.write(); s.err != nil {
			return 0, s.err
		}
	}
	at = s.filed + s.held
	if n := len(s.blocks); n == 0 || cap(s.blocks[n-1].data)-len(s.blocks[n-1].data) < len(record) {
		s.blocks = append(s.blocks, block{at, s.room(len(record))})
	}
	last := &s.blocks[len(s.blocks)-1]
	last.data = append(last.data, record...)
	s.held += int64(len(record))
	return at, nil
}

// room returns an empty block for a record of n bytes.
func (s *spill) room(n int) []byte {
	if k := len(s.free) - 1; k >= 0 && n <= spillBlock {
		b := s.free[k]
		s.free = s.free[:k]
		return b
	}
	return make([]byte, 0, max(n, spillFirstBlock, int(min(s.held, spillBlock))))
}

// write moves all records in memory into the file.
func (s *spill) write() (err error) {
	if s.file == nil {
		if s.file, err = output.NewScratch(); err != nil {
			return err
		}
	}
	for i := range s.blocks {
		b := &s.blocks[i]
		if _, err := s.file.Write(b.data); err != nil {
			return err
		}
		if cap(b.data) == spillBlock {
			s.free = append(s.free, b.data[:0])
		}
	}
	s.filed, s.held, s.blocks = s.filed+s.held, 0, s.blocks[:0]
	return nil
}

// get returns the record of n bytes at a place. It is valid until the next call.
func (s *spill) get(at int64, n int) ([]byte, error) {
	if at >= s.filed {
		i, found := slices.BinarySearchFunc(s.blocks, at, func(b block, at int64) int { return cmp.Compare(b.at, at) })
		if !found {
			i--
		}
		from := at - s.blocks[i].at
		return s.blocks[i].data[from : from+int64(n)], nil
	}
	for i := range s.read {
		if w := &s.read[i]; at >= w.at && at+int64(n) <= w.at+int64(len(w.data)) {
			return w.data[at-w.at:][:n], nil
		}
	}
	if n > windowBytes {
		s.large = slices.Grow(s.large[:0], n)[:n]
		return s.large, s.readAt(s.large, at)
	}
	w := &s.read[s.next]
	s.next = (s.next + 1) % windows
	if w.data == nil {
		w.data = make([]byte, windowBytes)
	}
	w.at, w.data = at, w.data[:min(windowBytes, s.filed-at)]
	if err := s.readAt(w.data, at); err != nil {
		w.data = w.data[:0]
		return nil, err
	}
	return w.data[:n], nil
}

func (s *spill) readAt(b []byte, at int64) error {
	if _, err := s.file.ReadAt(b, at); err != nil && err != io.EOF {
		return fmt.Errorf("reading the temporary file of ended connections: %w", err)
	}
	return nil
}

// close removes the file.
func (s *spill) close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

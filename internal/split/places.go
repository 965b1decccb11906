package split

import (
	"encoding/binary"
	"errors"
	"io"
	"math"

	"mpanalyze/internal/output"
)

// Values in places for packets that belong to no connection. A packet of a connection has
// [conn.Conn.Order] plus firstOrder.
const (
	left       uint32 = iota // left out of the analysis, or not TCP
	fragment                 // a fragment of a datagram, reassembled or not
	firstOrder               // belongs to the first connection
)

const (
	placeBytes = 4
	// placeWindow is the number of the latest packets whose places are in memory. An older
	// packet, which waited for its connection, is written to the file alone.
	placeWindow = 1 << 18
)

// places stores for each packet to which connection it belongs. It uses a temporary file with
// 4 bytes for each packet, so that memory does not grow with the capture.
type places struct {
	file   *output.Scratch
	window []uint32 // from packet base on, of placeWindow
	base   uint64   // number of the first packet in window, minus 1
	end    uint64   // highest number of a packet that was set
	buf    []byte   // reused memory
	err    error
}

func newPlaces() (*places, error) {
	file, err := output.NewScratch()
	return &places{file: file, window: make([]uint32, placeWindow), buf: make([]byte, placeWindow/2*placeBytes)}, err
}

// set stores the place of a packet, and returns the place that it had before.
func (p *places) set(num uint64, at uint32) (before uint32) {
	i := num - 1
	for i >= p.base+placeWindow {
		p.slide()
	}
	p.end = max(p.end, num)
	if i >= p.base {
		x := &p.window[i-p.base]
		before, *x = *x, at
		return before
	}
	before = p.get(num)
	var b [placeBytes]byte
	binary.LittleEndian.PutUint32(b[:], at)
	_, err := p.file.WriteAt(b[:], int64(i)*placeBytes)
	p.failed(err)
	return before
}

func (p *places) failed(err error) {
	if p.err == nil {
		p.err = err
	}
}

// slide writes the first half of the window to the file, and moves the window by that half.
func (p *places) slide() {
	const half = placeWindow / 2
	for i, v := range p.window[:half] {
		binary.LittleEndian.PutUint32(p.buf[i*placeBytes:], v)
	}
	_, err := p.file.WriteAt(p.buf, int64(p.base)*placeBytes)
	p.failed(err)
	copy(p.window, p.window[half:])
	clear(p.window[half:])
	p.base += half
}

// get returns where a packet belongs.
func (p *places) get(num uint64) uint32 {
	i := num - 1
	switch {
	case num == 0 || num > p.end:
		return left
	case i >= p.base:
		return p.window[i-p.base]
	}
	var b [placeBytes]byte
	_, err := p.file.ReadAt(b[:], int64(i)*placeBytes)
	p.failed(err)
	return binary.LittleEndian.Uint32(b[:])
}

// read returns a reader for the places of packets in ascending order.
func (p *places) read() *placeReader {
	return &placeReader{p: p, buf: make([]byte, 0, 1<<16)}
}

// placeReader reads places one after the other.
type placeReader struct {
	p    *places
	from uint64 // number of the first packet in buf, minus 1
	buf  []byte
}

// of returns the place of a packet. Each call asks for a later packet than the call before.
func (r *placeReader) of(num uint64) uint32 {
	i := num - 1
	if num == 0 || i >= r.p.base {
		return r.p.get(num)
	}
	if n := uint64(len(r.buf)) / placeBytes; i < r.from || i >= r.from+n {
		r.from = i
		want := min(uint64(cap(r.buf)), (r.p.base-i)*placeBytes)
		n, err := r.p.file.ReadAt(r.buf[:want], int64(i)*placeBytes)
		if err != nil && !(errors.Is(err, io.EOF) && n >= placeBytes) {
			r.p.failed(err)
			return left
		}
		r.buf = r.buf[:n/placeBytes*placeBytes]
	}
	return binary.LittleEndian.Uint32(r.buf[(i-r.from)*placeBytes:])
}

// placeOf returns the value in places for a connection. ok is false if the order is too large.
func placeOf(order int) (at uint32, ok bool) {
	return uint32(order) + firstOrder, order <= math.MaxUint32-int(firstOrder)-1
}

package csvtables

import (
	"math"
	"os"
)

// A table asks for room for as much again as it has, within these bounds: small
// ones ask for none, and what a killed program leaves behind is bounded.
const (
	leastReserve = 1 << 20
	mostReserve  = 8 << 20
)

// spare is how many times as much as a table asks for has to be free: what it has
// and may never fill is not there for other tables, nor for other programs.
const spare = 64

// reserved is the room that the file system sets aside for a file that grows.
type reserved struct {
	written int64
	until   int64 // what there is room for, octets; math.MaxInt64: not to be asked again; 0: never asked
}

// grow asks for room for n octets that are about to be written, where that is due.
// Without any, they are written all the same.
func (r *reserved) grow(f *os.File, n int) {
	to := r.written + int64(n)
	if to <= max(r.until, leastReserve) {
		return
	}
	r.until = to + min(to, mostReserve)
	if !reserve(f, r.written, r.until-r.written) {
		r.giveBack(f) // a file system that gets full on the way keeps what it found
		r.until = math.MaxInt64
	}
}

// giveBack gives back what was set aside behind the end of the file. The file is
// whole even where that fails.
func (r *reserved) giveBack(f *os.File) {
	if r.until > 0 {
		_ = f.Truncate(r.written)
	}
}

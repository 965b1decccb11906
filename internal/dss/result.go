package dss

// Result says what one packet is at the data level. The caller resets it before each
// packet, so that its memory is used again.
type Result struct {
	Pieces    []Piece  // the payload in the order of the subflow
	Checks    []Check  // checksums whose result became known
	InOrder   []*Chunk // chunks that are in order now: all data below them has been seen
	DataAcked []*Chunk // chunks that a DATA_ACK now covers
	// Uncaptured says that the DATA_ACK covers data that was not captured as well: packets
	// before it are missing, and a time that ends with it would be too long.
	Uncaptured bool
}

// Reset empties the lists. It sets each list separately, because each is then a single
// store.
func (f *Result) Reset() {
	f.Pieces = f.Pieces[:0]
	f.Checks = f.Checks[:0]
	f.InOrder = f.InOrder[:0]
	f.DataAcked = f.DataAcked[:0]
	f.Uncaptured = false
}

// newPiece appends a piece. The caller must set all its fields, because they hold old
// values: to clear a whole piece for each packet would be slow.
func (f *Result) newPiece() *Piece {
	n := len(f.Pieces)
	if n == cap(f.Pieces) {
		f.Pieces = append(f.Pieces, Piece{})
	}
	pieces := f.Pieces[:n+1]
	f.Pieces = pieces
	return &pieces[n]
}

// Join adds what the next segment is that stands in the same packet, except DataAcked. f shares
// no memory with next, but the payload.
func (f *Result) Join(next *Result) {
	for _, x := range next.Pieces {
		if n := len(f.Pieces); n > 0 && f.Pieces[n-1].goesOn(&x) {
			last := &f.Pieces[n-1]
			last.Data.End, last.Payload = x.Data.End, last.Payload[:len(last.Payload)+len(x.Payload)]
		} else {
			f.Pieces = append(f.Pieces, x)
		}
	}
	f.Checks = append(f.Checks, next.Checks...)
	for _, c := range next.InOrder { // chunks may move
		f.InOrder = append(f.InOrder, new(*c))
	}
}

// goesOn reports whether next is the same kind of data and continues p, also in memory.
func (p *Piece) goesOn(next *Piece) bool {
	n := len(p.Payload)
	return (len(next.Payload) == 0 || n < cap(p.Payload) && &p.Payload[:n+1][n] == &next.Payload[0]) &&
		next.Data.Start == p.Data.End && int64(next.SSN-p.SSN) == p.Data.Len() && next.Kind == p.Kind && next.Bad == p.Bad && next.CheckID == p.CheckID
}

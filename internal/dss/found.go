package dss

// Result is what one packet turned out to be in the data sequence spaces. The
// caller resets it before each packet, and its memory is used again.
type Result struct {
	Pieces    []Piece  // the payload, run by run, in the order of the subflow
	Checks    []Check  // checksums settled
	InOrder   []*Chunk // chunks below which everything has been seen now
	DataAcked []*Chunk // chunks that the DATA_ACK covers for the first time
}

// Reset empties the lists. Each is shortened by itself: so it takes one store.
func (f *Result) Reset() {
	f.Pieces = f.Pieces[:0]
	f.Checks = f.Checks[:0]
	f.InOrder = f.InOrder[:0]
	f.DataAcked = f.DataAcked[:0]
}

// newPiece returns the place of another piece. Pieces are filled where they
// stand: they are too large to be handed on by value for each packet.
func (f *Result) newPiece() *Piece {
	n := len(f.Pieces)
	if n == cap(f.Pieces) {
		f.Pieces = append(f.Pieces, Piece{})
	}
	pieces := f.Pieces[:n+1]
	f.Pieces = pieces
	return &pieces[n]
}

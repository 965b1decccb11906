package dss

// Result says what one packet is at the data level. The caller resets it before each
// packet, so that its memory is used again.
type Result struct {
	Pieces    []Piece  // the payload in the order of the subflow
	Checks    []Check  // checksums whose result became known
	InOrder   []*Chunk // chunks below which all data has been seen now
	DataAcked []*Chunk // chunks that a DATA_ACK now covers
}

// Reset empties the lists. It sets each list by itself because that is a single store
// each.
func (f *Result) Reset() {
	f.Pieces = f.Pieces[:0]
	f.Checks = f.Checks[:0]
	f.InOrder = f.InOrder[:0]
	f.DataAcked = f.DataAcked[:0]
}

// newPiece appends a piece for the caller to fill. It holds old values: to clear or to
// copy a whole piece for each packet would cost too much.
func (f *Result) newPiece() *Piece {
	n := len(f.Pieces)
	if n == cap(f.Pieces) {
		f.Pieces = append(f.Pieces, Piece{})
	}
	pieces := f.Pieces[:n+1]
	f.Pieces = pieces
	return &pieces[n]
}

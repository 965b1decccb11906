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

package tracegen

// streamByte returns the byte that stands at an offset of the application
// stream of direction d: a fixed function of both, so that a reassembled
// stream can be checked at any place without keeping it.
func streamByte(d Dir, offset int64) byte {
	// Multiplying by 2^64 over the golden ratio spreads neighbours over all
	// values; the direction moves the stream to a part that no other reaches.
	return byte((uint64(offset) + uint64(d)<<48) * 0x9e3779b97f4a7c15 >> 56)
}

// AppendStream appends n bytes of the stream of direction d from an
// offset on.
func AppendStream(b []byte, d Dir, offset int64, n int) []byte {
	for i := range int64(n) {
		b = append(b, streamByte(d, offset+i))
	}
	return b
}

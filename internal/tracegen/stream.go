package tracegen

// streamByte returns the byte at an offset of the application stream of direction d. It is
// a fixed function of both, so that a test can check a reassembled stream at any place
// without keeping it.
func streamByte(d Dir, offset int64) byte {
	// Multiplication by 2^64 divided by the golden ratio spreads neighbours over all
	// values. The two directions use different parts of the 64-bit range.
	return byte((uint64(offset) + uint64(d)<<48) * 0x9e3779b97f4a7c15 >> 56)
}

// AppendStream appends n bytes of the stream of direction d from offset on.
func AppendStream(b []byte, d Dir, offset int64, n int) []byte {
	for i := range int64(n) {
		b = append(b, streamByte(d, offset+i))
	}
	return b
}

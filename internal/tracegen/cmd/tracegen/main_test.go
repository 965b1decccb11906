package main

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/tracegen"
)

// The same flags give the same file.
func TestWriteIsReproducible(t *testing.T) {
	var sums [2][32]byte
	for i := range sums {
		name := filepath.Join(t.TempDir(), "x.pcap")
		l := tracegen.Load{Packets: 2000, Long: 2, Short: 5, Delay: 25 * time.Millisecond, Seed: 7, Keep: 96}
		assert.NilError(t, write([2]string{name}, tracegen.Format{SnapLen: 96}, &l))
		b, err := os.ReadFile(name)
		assert.NilError(t, err)
		if !bytes.HasPrefix(b, []byte{0xd4, 0xc3, 0xb2, 0xa1}) {
			t.Errorf("file begins with % x", b[:4])
		}
		sums[i] = sha256.Sum256(b)
	}
	assert.Check(t, sums[0] == sums[1], "two runs with one seed differ")
}

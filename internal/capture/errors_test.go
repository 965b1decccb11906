package capture

import (
	"bytes"
	"cmp"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/storage"
)

// TestDamageHint: the message says that packets were read only where some were.
func TestDamageHint(t *testing.T) {
	for packet, want := range map[uint64]string{
		1: "cut.pcap: packet 1, byte offset 0: it ends; no packet of it was read; if the original is complete, copy it again",
		2: "cut.pcap: packet 2, byte offset 0: it ends; the packets before it were read; if the original is complete, copy it again",
	} {
		e := &DamageError{File: "cut.pcap", Packet: packet, What: "it ends", Hint: hintCut}
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	e := &DamageError{File: "f", Packet: 1, Hint: "look"}
	if got := e.Error(); !strings.HasSuffix(got, "; look") {
		t.Errorf("%q", got)
	}
}

// TestReadErrorIsKept: damage says what the system said when it could not read on, below a
// decompressor, too. Content that is cut has no such error.
func TestReadErrorIsKept(t *testing.T) {
	plain := many(3)
	for _, content := range [][]byte{plain, packers["zstd"](t, plain)} {
		for _, fault := range []error{syscall.EIO, nil} {
			in := io.MultiReader(bytes.NewReader(content[:len(content)-7]), iotest.ErrReader(cmp.Or(fault, io.EOF)))
			source, err := Open([]string{"-"}, Options{Stdin: in})
			assert.NilError(t, err)
			for raw := (Raw{}); err == nil; {
				err = source.Next(&raw)
			}
			damage := source.Damage()
			if len(damage) != 1 || storage.Temporary(damage[0]) != (fault != nil) {
				t.Errorf("%d bytes, %v: %v", len(content), fault, damage)
			} else if whole := damage[0].What; len(content) == len(plain) && fault != nil &&
				(!strings.Contains(whole, "reading failed after 137 of the 144 bytes") || damage[0].Packet != 3 || damage[0].Offset != pcapHeaderLen+2*144) {
				t.Errorf("%+v, want the third of three records of 144 bytes", damage[0])
			}
			source.Close()
		}
	}
}

package packet

import (
	"math/bits"
	"reflect"
	"testing"

	"gotest.tools/v3/assert"
)

// Segments in an array begin at cache lines, and the fields that a usual packet needs take two of
// them.
func TestSegmentLayout(t *testing.T) {
	if bits.UintSize != 64 {
		t.Skip("slices are shorter here")
	}
	const line = 64
	s := reflect.TypeFor[Segment]()
	if s.Size()%line != 0 {
		t.Errorf("a segment takes %d bytes, want whole lines of %d", s.Size(), line)
	}
	for _, name := range []string{
		"Num", "Time", "Src", "Dst", "Seq", "Ack", "Have", "Flags", "NSACK", "Window", "OtherLen", "OptLen", "PayloadLen",
		"TSVal", "TSEcr", "DSS", "IPv6", "CE", "IPID", "SACK",
	} {
		f, ok := s.FieldByName(name)
		end := f.Offset + f.Type.Size()
		if name == "SACK" { // its first block
			end = f.Offset + f.Type.Elem().Size()
		}
		assert.Check(t, ok && end <= 2*line, "%s ends at byte %d, want %d at most", name, end, 2*line)
	}
}

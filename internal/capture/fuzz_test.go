package capture

import (
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"gotest.tools/v3/assert"
)

// FuzzOpen reads arbitrary bytes as a capture. Reading ends, each packet is consistent, and each
// damage has a place in the file.
func FuzzOpen(f *testing.F) {
	f.Add([]byte{})
	for _, l := range layouts() {
		f.Add(l.file)
		f.Add(l.file[:len(l.file)-3])
		for _, pack := range packers {
			f.Add(pack(f, l.file))
		}
	}
	long, _ := classic(binary.BigEndian, magicNano, 276, []sample{{wire: 70_000, data: payload(0, 70_000)}})
	f.Add(long)
	f.Fuzz(func(t *testing.T, file []byte) {
		s, err := openBytes(file)
		var not *NotCaptureError
		if errors.As(err, &not) {
			return
		}
		assert.NilError(t, err, "Open")
		defer s.Close()
		var raw Raw
		last := int64(-1)
		place := map[int]Raw{} // last packet of each interface
		seen := map[uint64]bool{}
		for num := uint64(1); ; num++ {
			err := s.Next(&raw)
			if err == io.EOF {
				break
			}
			assert.NilError(t, err, "Next")
			before, known := place[raw.Iface]
			assert.Assert(t, (!known || raw.FileNum > before.FileNum && raw.Offset > before.Offset) && !seen[raw.FileNum], "packet %d behind %+v: %+v", num, before, raw)
			assert.Assert(t, raw.Num == num && len(raw.Data) <= raw.WireLen && len(raw.Data) <= bufferSize, "packet %d: %+v", num, raw)
			place[raw.Iface], seen[raw.FileNum] = raw, true
			last = max(last, raw.Offset)
		}
		info := s.Files()[0]
		if n := info.Packets; n > 0 && (!seen[1] || !seen[n] || uint64(len(seen)) != n) {
			t.Fatalf("of %d packets some are missing", n)
		}
		for _, d := range s.Damage() {
			if d.Packet != info.Packets+1 || d.Offset < last || d.What == "" || d.Hint == "" || d.File == "" {
				t.Fatalf("after packet %d at %d: %+v", info.Packets, last, d)
			}
		}
		if info.Truncated != (len(s.Damage()) > 0) || info.First > info.Last {
			t.Fatalf("damage %v, %+v", s.Damage(), info)
		}
	})
}

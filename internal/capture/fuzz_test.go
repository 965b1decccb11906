package capture

import (
	"encoding/binary"
	"errors"
	"io"
	"testing"
)

// FuzzOpen feeds any octets as a whole capture. Whatever they are, reading
// ends, each packet is consistent, and what is wrong has a place in the file.
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
		if err != nil {
			t.Fatalf("Open: %v", err)
		}
		defer s.Close()
		var raw Raw
		last := int64(-1)
		for num := uint64(1); ; num++ {
			err := s.Next(&raw)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("Next: %v", err)
			}
			if raw.Num != num || raw.FileNum != num || raw.Offset <= last || len(raw.Data) > raw.WireLen || len(raw.Data) > bufferSize {
				t.Fatalf("packet %d behind offset %d: %+v", num, last, raw)
			}
			last = raw.Offset
		}
		info := s.Files()[0]
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

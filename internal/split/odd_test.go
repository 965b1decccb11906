package split_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/tracegen"
)

// frames calls f for each packet of a classic capture, with its record's header.
func frames(file []byte, f func(i int, head, frame []byte)) {
	for i, at := 0, 24; at < len(file); i++ {
		size := int(binary.LittleEndian.Uint32(file[at+8:]))
		f(i, file[at:at+16], file[at+16:at+16+size])
		at += 16 + size
	}
}

// appendFrame appends a packet with the time of a record, and so many microseconds more.
func appendFrame(file, head, frame []byte, later uint32) []byte {
	file = append(file, head...)
	at := len(file) - 16
	binary.LittleEndian.PutUint32(file[at+4:], binary.LittleEndian.Uint32(head[4:])+later)
	binary.LittleEndian.PutUint32(file[at+8:], uint32(len(frame)))
	binary.LittleEndian.PutUint32(file[at+12:], uint32(len(frame)))
	return append(file, frame...)
}

// fragmented returns a capture whose large packets are two fragments each; of every
// seventh the second is missing.
func fragmented(file []byte) []byte {
	const ether, ip, first = 14, 20, 104
	out := bytes.Clone(file[:24])
	frames(file, func(i int, head, frame []byte) {
		if len(frame) < ether+ip+2*first {
			out = appendFrame(out, head, frame, 0)
			return
		}
		for k, part := range [][]byte{frame[ether+ip : ether+ip+first], frame[ether+ip+first:]} {
			f := append(bytes.Clone(frame[:ether+ip]), part...)
			binary.BigEndian.PutUint16(f[ether+2:], uint16(ip+len(part)))
			binary.BigEndian.PutUint16(f[ether+4:], uint16(i))
			binary.BigEndian.PutUint16(f[ether+6:], [...]uint16{0x2000, first / 8}[k])
			if k == 0 || i%7 > 0 {
				out = appendFrame(out, head, f, 0)
			}
		}
	})
	return out
}

// TestFragments: all fragments of a datagram are in the same part.
func TestFragments(t *testing.T) {
	o := options()
	o.Paths = []string{filepath.Join(t.TempDir(), "fragments.pcap")}
	if err := os.WriteFile(o.Paths[0], fragmented(sessions(t, tracegen.Format{})), 0o600); err != nil {
		t.Fatal(err)
	}
	doc, err := engine.Analyze(context.Background(), o)
	if err != nil || len(doc.Connections) != 6 || doc.Captures[0].Skipped.Fragments < 50 {
		t.Fatalf("%d connections, skipped %+v, %v", len(doc.Connections), doc.Captures[0].Skipped, err)
	}
	for _, parts := range []int{1, 3} {
		compare(t, o, parts)
	}
}

// TestSeenTwice: if a packet was captured at two interfaces, only one of the two is in the parts
// with connections.
func TestSeenTwice(t *testing.T) {
	whole := sessions(t, tracegen.Format{})
	second := bytes.Clone(whole[:24])
	frames(whole, func(i int, head, frame []byte) {
		if i%3 == 0 && binary.LittleEndian.Uint32(head[4:]) < 999_000 {
			second = appendFrame(second, head, frame, 20)
		}
	})
	dir := t.TempDir()
	o := options()
	for name, text := range map[string][]byte{"a.pcap": whole, "b.pcap": second} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o.Paths = []string{filepath.Join(dir, "a.pcap"), filepath.Join(dir, "b.pcap")}
	doc, err := engine.Analyze(context.Background(), o)
	if err != nil || doc.Captures[0].Skipped.Duplicates+doc.Captures[1].Skipped.Duplicates < 100 {
		t.Fatalf("%v: %+v", err, doc.Captures)
	}
	for _, parts := range []int{1, 3} {
		compare(t, o, parts)
	}
}

// TestInterfaces: files of several interfaces are one capture.
func TestInterfaces(t *testing.T) {
	o := options()
	o.Paths = []string{bundled + "/v1/p-perif/client.p1.pcap.zst", bundled + "/v1/p-perif/client.p2.pcap.zst"}
	compare(t, o, 2)
}

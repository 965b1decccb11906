package engine_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/decode"
	"mpanalyze/internal/packet"
)

// frames are the packets of a capture, and the link types of the interfaces that they came from.
// Tests change them and write them as a new capture.
type frames struct {
	links []capture.LinkType
	list  []capture.Raw
}

// framesOf reads a capture.
func framesOf(t testing.TB, name string) (out frames) {
	t.Helper()
	src, err := capture.Open([]string{name}, capture.Options{})
	assert.NilError(t, err)
	defer src.Close()
	var raw capture.Raw
	for err = src.Next(&raw); err == nil; err = src.Next(&raw) {
		raw.Data = bytes.Clone(raw.Data)
		out.list = append(out.list, raw)
		for len(out.links) <= raw.Iface {
			out.links = append(out.links, raw.Link)
		}
		out.links[raw.Iface] = raw.Link
	}
	if err != io.EOF {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// with returns a capture of other packets from the same interfaces.
func (f frames) with(list []capture.Raw) frames { return frames{f.links, list} }

// only keeps the packets that keep selects by their indices.
func (f frames) only(keep func(i int) bool) frames {
	var list []capture.Raw
	for i := range f.list {
		if keep(i) {
			list = append(list, f.list[i])
		}
	}
	return f.with(list)
}

// window keeps the packets of a part of the time from the first packet to the last.
func (f frames) window(from, to float64) frames {
	first, last := f.list[0].Time, f.list[len(f.list)-1].Time
	return f.only(func(i int) bool {
		at := float64(f.list[i].Time-first) / float64(last-first)
		return from <= at && at <= to
	})
}

// moved moves the time of each packet by what by returns.
func (f frames) moved(by func(i int) int64) frames {
	list := slices.Clone(f.list)
	for i := range list {
		list[i].Time += by(i)
	}
	return f.with(list)
}

// sorted puts packets in the order of time. Those of equal times stay in their order.
func (f frames) sorted() frames {
	list := slices.Clone(f.list)
	slices.SortStableFunc(list, func(a, b capture.Raw) int { return cmp.Compare(a.Time, b.Time) })
	return f.with(list)
}

// segments returns what each packet says, with zeros for one that is not of TCP.
func (f frames) segments() []packet.Segment {
	d, out := decode.New(decode.Options{KeepDuplicates: true}), make([]packet.Segment, len(f.list))
	for i := range f.list {
		var s packet.Segment
		if d.Decode(&f.list[i], &s) == decode.TCP {
			out[i] = s
			out[i].Payload = nil // the decoder uses its memory again
		}
	}
	return out
}

// pcap returns the capture as a classic pcap file with stamps in ns.
func (f frames) pcap() []byte {
	le := binary.LittleEndian
	out := le.AppendUint32(nil, 0xa1b23c4d)
	out = append(out, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	out = le.AppendUint32(out, 1<<18)
	out = le.AppendUint32(out, uint32(f.links[0]))
	for i := range f.list {
		raw := &f.list[i]
		out = le.AppendUint32(out, uint32(raw.Time/1e9))
		out = le.AppendUint32(out, uint32(raw.Time%1e9))
		out = le.AppendUint32(out, uint32(len(raw.Data)))
		out = le.AppendUint32(out, uint32(raw.WireLen))
		out = append(out, raw.Data...)
	}
	return out
}

// pcapng returns the capture as a pcapng file with stamps in ns.
func (f frames) pcapng() []byte {
	le := binary.LittleEndian
	block := func(out []byte, kind uint32, body []byte) []byte {
		body = append(body, make([]byte, -len(body)&3)...)
		size := uint32(len(body) + 12)
		out = le.AppendUint32(le.AppendUint32(out, kind), size)
		return le.AppendUint32(append(out, body...), size)
	}
	out := block(nil, 0x0a0d0d0a, []byte{0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255})
	for _, link := range f.links {
		body := le.AppendUint32(le.AppendUint16(le.AppendUint16(nil, uint16(link)), 0), 0)
		out = block(out, 1, append(body, 9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0)) // if_tsresol: ns
	}
	for i := range f.list {
		raw := &f.list[i]
		body := le.AppendUint32(nil, uint32(raw.Iface))
		body = le.AppendUint32(le.AppendUint32(body, uint32(raw.Time>>32)), uint32(raw.Time))
		body = le.AppendUint32(le.AppendUint32(body, uint32(len(raw.Data))), uint32(raw.WireLen))
		out = block(out, 6, append(body, raw.Data...))
	}
	return out
}

// saved writes the capture into a file and returns its name.
func (f frames) saved(t testing.TB) string {
	t.Helper()
	return save(t, filepath.Join(t.TempDir(), "x.pcapng"), f.pcapng())
}

// session returns the place of a file of the bundled sessions.
func session(name string) string { return filepath.Join(sessions, filepath.FromSlash(name)) }

// bundled returns the captures of the bundled sessions.
func bundled(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(sessions + "/v*/*/*.pcap*.zst")
	if err != nil || len(found) < 30 {
		t.Fatalf("%d captures: %v", len(found), err)
	}
	return found
}

// clients returns the captures at the clients of the bundled sessions.
func clients(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(sessions + "/v[01]/*/client.pcap.zst")
	if err != nil || len(found) < 10 {
		t.Fatalf("%d captures: %v", len(found), err)
	}
	return append(found, session("campaign/olia/run1/client.pcap.zst"))
}

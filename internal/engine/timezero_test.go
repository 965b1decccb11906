package engine_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// frames are the packets of a capture, and the interfaces that they came from.
type frames struct {
	links []capture.LinkType
	list  []capture.Raw
}

// framesOf reads a capture.
func framesOf(t testing.TB, name string) (out frames) {
	t.Helper()
	src, err := capture.Open([]string{name}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
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

// begins is how many seconds before the Unix epoch the timestamps of [frames.pcapng] begin: with
// option if_tsoffset of pcapng, times may be negative.
const begins = 1 << 30

// pcapng returns the capture as a pcapng file. Its times are moved by so many ns.
func (f frames) pcapng(move int64) []byte {
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
		body = append(body, 9, 0, 1, 0, 9, 0, 0, 0, 14, 0, 8, 0) // if_tsresol: ns; if_tsoffset
		offset := int64(-begins)
		out = block(out, 1, append(le.AppendUint64(body, uint64(offset)), 0, 0, 0, 0))
	}
	for i := range f.list {
		raw := &f.list[i]
		at := uint64(raw.Time + move + begins*1e9)
		body := le.AppendUint32(nil, uint32(raw.Iface))
		body = le.AppendUint32(le.AppendUint32(body, uint32(at>>32)), uint32(at))
		body = le.AppendUint32(le.AppendUint32(body, uint32(len(raw.Data))), uint32(raw.WireLen))
		out = block(out, 6, append(body, raw.Data...))
	}
	return out
}

// moveTimes moves all moments in a report by so many ns.
func moveTimes(v reflect.Value, by int64) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			moveTimes(v.Elem(), by)
		}
	case reflect.Slice:
		for i := range v.Len() {
			moveTimes(v.Index(i), by)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				moveTimes(v.Field(i), by)
			}
		}
	case reflect.Int64:
		if v.Type() == reflect.TypeFor[report.Time]() {
			v.SetInt(v.Int() + by)
		}
	}
}

// TestTimeZero: simulators stamp their first packet with 0, which is a time. With any packet of
// the first ten at 0, and those before it in 1969, the report and all rows are the same but for
// the moments.
func TestTimeZero(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(sessions, "*", "*", "*.pcap*.zst"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	for i, name := range testrun.Sample(names) {
		f := framesOf(t, name)
		want := analyzeBytes(t, f.pcapng(0))
		for _, k := range []int{0, 1 + i%9} {
			move := -f.list[k].Time
			got := analyzeBytes(t, f.pcapng(move))
			moveTimes(reflect.ValueOf(got.doc), -move)
			if diff := cmp.Diff(want.text(t), got.text(t)); diff != "" {
				t.Errorf("%s, packet %d at 0 (-as captured, +moved):\n%s", name, k+1, diff)
			}
		}
	}
}

// TestSYNAtZero: the SYN is stamped 0, the SYN/ACK 20 ms, the third packet 20.1 ms; each DATA_ACK comes 20 ms after its data.
func TestSYNAtZero(t *testing.T) {
	doc := analyzed(t, engine.Options{Paths: []string{cases + "time-0.pcap.zst"}, Connection: engine.AllConnections})
	c := &doc.Connections[0]
	s := &c.Subflows[0]
	if c.Start != 0 || c.Vantage != report.VantageA || s.HandshakeRTT == nil || *s.HandshakeRTT != 20.1 {
		t.Errorf("begins at %v, captured at %s, handshake %v; want time 0, a and 20.1 ms", c.Start, c.Vantage, s.HandshakeRTT)
	}
	if srtt, delay := s.A2B.SRTT, c.A2B.ProtocolDelay; srtt == nil || math.Abs(srtt.Avg-20) > 1e-6 || delay == nil || math.Abs(delay.Avg-20) > 1e-6 {
		t.Errorf("SRTT %v, protocol delay %v; want 20 ms", srtt, delay)
	}
}

package engine_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// lessTTL returns an Ethernet frame as a router sends it on: the time to live is less by one, and
// the MAC addresses are others.
func lessTTL(data []byte) []byte {
	out := bytes.Clone(data)
	copy(out, []byte{2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8})
	if out[12] == 0x08 && out[13] == 0 {
		out[14+8]--
		sum := uint32(binary.BigEndian.Uint16(out[14+10:])) + 0x0100
		binary.BigEndian.PutUint16(out[14+10:], uint16(sum+sum>>16))
	} else {
		out[14+7]--
	}
	return out
}

// tagged returns an Ethernet frame with a VLAN tag.
func tagged(data []byte) []byte {
	return slices.Concat(data[:12], []byte{0x81, 0, 0, 7}, data[12:])
}

// tunnelled returns an Ethernet frame with its IP packet in another (RFC 2003, RFC 2473).
func tunnelled(data []byte) []byte {
	inner := data[14:]
	next := byte(4)
	if data[12] == 0x86 {
		next = 41
	}
	outer := []byte{0x45, 0, 0, 0, 0, 0, 0, 0, 64, next, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2}
	binary.BigEndian.PutUint16(outer[2:], uint16(min(20+len(inner), 0xffff)))
	return slices.Concat(data[:12], []byte{8, 0}, outer, inner)
}

func unaltered(data []byte) []byte { return data }

// twice is a way in which a capture shows each packet twice.
type twice struct {
	name  string
	alter func(frame []byte) []byte
	after func(r *rand.Rand) time.Duration
	most  float64 // the longest such time, ms
	apart bool    // a path lies between both places

	anyLink bool // not only for Ethernet
}

func always(d time.Duration) func(*rand.Rand) time.Duration {
	return func(*rand.Rand) time.Duration { return d }
}

var waysTwice = []twice{
	{name: "router", alter: lessTTL, after: always(30 * time.Microsecond), most: 0.03},
	{name: "VLAN", alter: tagged, after: always(30 * time.Microsecond), most: 0.03},
	{name: "tunnel", alter: tunnelled, after: always(20 * time.Microsecond), most: 0.02},
	{name: "2 ms later", alter: unaltered, after: always(2 * time.Millisecond), most: 2},
	{name: "some us later", alter: unaltered, after: func(r *rand.Rand) time.Duration { return time.Duration(r.IntN(100_000)) }, most: 0.1, anyLink: true},
	{name: "behind a path", alter: lessTTL, after: always(7 * time.Millisecond), most: 7, apart: true},
	{name: "behind a queue", alter: unaltered, after: func(r *rand.Rand) time.Duration { return time.Duration(1e6 + r.IntN(4e6)) }, most: 5, apart: true},
}

// notOfTwice are the leaves that another place in the file changes.
var notOfTwice = regexp.MustCompile(`packet|captures|warnings|made_by|detail|fallback|drops.per_s|\.text$|evidence`)

// repeated are the leaves of sessions in which packets come twice anyway, which the network
// duplicated, or which are RSTs without an identification: with copies 2 ms later, the time of such
// a packet may be that of a copy.
var repeated = map[string]*regexp.Regexp{
	"l-spurious": regexp.MustCompile(`throughput_mbps|dsn_offset_bytes|time_account`),
	"p-abort":    regexp.MustCompile(`end_s$|duration_s$`),
}

// retransmission finds the figures and verdicts that take a copy for a packet that was sent again.
var retransmission = regexp.MustCompile(`retransmit|\.drops|bytes$|reinjected|spurious`)

// TestEachPacketTwice doubles the packets of the bundled sessions in several ways. The report is that on
// the single capture. Where a path lies between the places of the two copies, figures of time are
// absent, and a warning says so.
func TestEachPacketTwice(t *testing.T) {
	t.Parallel()
	share := len(waysTwice) / testrun.Cases(len(waysTwice)) // of the ways one in so many is tried on a session
	for k, name := range testrun.Few(bundled(t)) {
		f := framesOf(t, name)
		want, codes := figuresAndCodes(t, f.pcapng())
		for i := range waysTwice {
			way := &waysTwice[i]
			if (i+k)%share != 0 {
				continue
			}
			ethernet := len(f.links) == 1 && f.links[0] == capture.LinkEthernet
			if rtt, ok := want[".connections[0].subflows[0].handshake_rtt_ms"].(float64); !ethernet && !way.anyLink || ok && rtt < way.most {
				continue // later than a round trip
			}
			t.Run(way.name+" "+name, func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 2))
				file := f.doubled(func(int) bool { return true }, func() time.Duration { return way.after(r) }, way.alter).pcapng()
				if way.apart {
					compareApart(t, want, file)
					return
				}
				got, after := figuresAndCodes(t, file)
				but := repeated[filepath.Base(filepath.Dir(name))]
				for path, w := range want {
					if g := got[path]; g != w && !notOfTwice.MatchString(path) && (but == nil || !but.MatchString(path)) {
						t.Errorf("%s: %v, and %v with each packet twice", path, w, g)
					}
				}
				for code := range after {
					assert.Check(t, codes[code] != 0, "verdict %s comes with each packet twice", code)
				}
			})
		}
	}
}

// doubled returns a capture that has the packets that which selects again, so much later.
func (f frames) doubled(which func(i int) bool, after func() time.Duration, alter func([]byte) []byte) frames {
	both := slices.Clone(f.list)
	for i, raw := range f.list {
		if which(i) {
			again := alter(raw.Data)
			raw.Time, raw.WireLen, raw.Data = raw.Time+int64(after()), raw.WireLen+len(again)-len(raw.Data), again
			both = append(both, raw)
		}
	}
	return f.with(both).sorted()
}

// TestSomePacketsTwice: if a tenth of the frames comes again 1 us later, as no host sends again and no
// network duplicates so many, everything is counted once. A few packets that come twice are duplicates
// of the network.
func TestSomePacketsTwice(t *testing.T) {
	for _, name := range []string{"v1/b-lte-cubic/client.pcap.zst", "v1/l-spurious/server.pcap.zst", "v1/i-v6-v4/server.pcap.zst"} {
		f := framesOf(t, session(name))
		base := analyzed(t, wholly(session(name)))
		r, n := rand.New(rand.NewPCG(3, 4)), int64(0)
		twice := func(often int) *report.Document {
			n = 0
			return analyzed(t, piped(f.doubled(func(int) bool {
				again := r.IntN(often) == 0
				if again {
					n++
				}
				return again
			}, func() time.Duration { return time.Microsecond }, unaltered).pcapng()))
		}
		if got := copiesToldOf(twice(100)); got != 0 || copiesToldOf(base) != 0 {
			t.Errorf("%s: one in 100 twice: %d copies, want none", name, got)
		}
		doc := twice(10)
		if got, skipped := copiesToldOf(doc), base.Captures[0].Skipped; got > n || got < n-skipped.NotTCP-skipped.NotIP-1 {
			t.Errorf("%s: one in 10 twice: %d copies, want %d", name, got, n)
		}
		sameFigures(t, base, doc)
		for i := range base.Connections {
			for k := range base.Connections[i].Subflows {
				for _, dir := range report.Directions {
					counts := func(of *report.Document) []int64 {
						d := of.Connections[i].Subflows[k].Dir(dir)
						return []int64{*d.Bytes, d.Segments, d.PureAcks, *d.DupAcks, d.OutOfOrderSegments}
					}
					if want, got := counts(base), counts(doc); !slices.Equal(want, got) {
						t.Errorf("%s: subflow %d, %s: bytes, segments, ACKs, duplicates, out of order %v, want %v", name, k, dir, got, want)
					}
				}
			}
		}
	}
}

func copiesToldOf(doc *report.Document) int64 {
	for _, w := range doc.Warnings {
		if w.Code == "copies_on_one_interface" {
			return w.Count
		}
	}
	return 0
}

// compareApart checks that no copy counts as a packet that was sent again, and that no time is
// measured between the two places.
func compareApart(t *testing.T, want map[string]any, file []byte) {
	t.Helper()
	doc := analyzedInCells(t, file)
	told := false
	for _, w := range doc.Warnings {
		told = told || w.Code == "captured_at_two_places"
	}
	assert.Check(t, told, "no warning captured_at_two_places")
	got, _ := figuresAndCodesOf(t, doc)
	for path, w := range want {
		g, there := got[path]
		assert.Check(t, !there || g == w || !retransmission.MatchString(path) || notOfTwice.MatchString(path), "%s: %v, and %v with each packet twice", path, w, g)
	}
	for i := range doc.Connections {
		for _, s := range doc.Connections[i].Subflows {
			if s.A2B.SRTT != nil || s.B2A.SRTT != nil {
				t.Errorf("connection %d has an SRTT", i)
			}
		}
	}
}

package decode

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packet"
)

// piece is the range [from, to) of a datagram's payload, in bytes.
type piece struct{ from, to int }

// fragmenter makes fragments of one datagram.
type fragmenter func(p piece) []byte

func fragments4(id uint16, protocol byte, payload []byte) fragmenter {
	return func(p piece) []byte {
		b := ip4(protocol, payload[p.from:p.to])
		binary.BigEndian.PutUint16(b[4:], id)
		field := uint16(p.from / 8)
		if p.to < len(payload) {
			field |= 0x2000 // more fragments
		}
		binary.BigEndian.PutUint16(b[6:], field)
		return b
	}
}

func fragments6(id uint32, next byte, payload []byte) fragmenter {
	return func(p piece) []byte {
		field := uint16(p.from)
		if p.to < len(payload) {
			field |= 1 // more fragments
		}
		header := binary.BigEndian.AppendUint32(be16([]byte{next, 0}, field), id)
		return ip6(44, slices.Concat(header, payload[p.from:p.to]))
	}
}

const (
	fragmentedPayload = 1000
	fragmentedLen     = tcpHeader + fragmentedPayload // bytes of the datagram's payload
)

// families returns a fragmenter of the same TCP segment for IPv4 and IPv6 and
// what the segment looks like when packet r completes it.
var families = []struct {
	name       string
	fragmenter func(id uint16) fragmenter
	want       func(r *capture.Raw) packet.Segment
}{
	{
		"IPv4", func(id uint16) fragmenter { return fragments4(id, protoTCP, tcpSegment(fragmentedPayload)) },
		func(r *capture.Raw) packet.Segment { return wantSegment(r, addr4a, addr4b, fragmentedPayload) },
	},
	{
		"IPv6", func(id uint16) fragmenter { return fragments6(uint32(id), protoTCP, tcpSegment(fragmentedPayload)) },
		func(r *capture.Raw) packet.Segment { return wantSegment(r, addr6a, addr6b, fragmentedPayload) },
	},
}

const identification = 0x1234 // what wantSegment expects

func TestReassembly(t *testing.T) {
	a, b, c := piece{0, 400}, piece{400, 800}, piece{800, fragmentedLen}
	for _, test := range []struct {
		name   string
		pieces []piece
		last   int // index of the piece that completes the datagram, -1 for none
	}{
		{"in order", []piece{a, b, c}, 2},
		{"reversed", []piece{c, b, a}, 2},
		{"middle last", []piece{c, a, b}, 2},
		{"repeated", []piece{a, a, c, b}, 3},
		{"TCP header over three fragments", []piece{{0, 8}, {8, 16}, {16, 24}, {24, fragmentedLen}}, 3},
		{"missing", []piece{a, c}, -1},
		{"without its end", []piece{a, b}, -1},
		{"overlapping", []piece{a, {392, 800}, c}, -1},
		{"overlapping, then sent again", []piece{a, {392, 800}, a, b, c}, 4},
	} {
		for _, f := range families {
			t.Run(f.name+" "+test.name, func(t *testing.T) {
				d, fragment := New(Options{}), f.fragmenter(identification)
				for i, p := range test.pieces {
					r := raw(capture.LinkRaw, fragment(p))
					if i == test.last {
						check(t, d, r, f.want(r), fragmentedPayload)
						continue
					}
					var seg packet.Segment
					if o := d.Decode(r, &seg); o != Fragment {
						t.Fatalf("piece %d: %v, want fragment", i, o)
					}
				}
				want := uint64(0)
				if test.last < 0 {
					want = 1
				}
				d.Finish()
				contradicting := d.Counts().Anomaly(FragmentsContradict).Count
				incomplete := d.Counts().Anomaly(DatagramIncomplete).Count
				if test.name == "overlapping" && f.name == "IPv4" {
					// The overlap ends the first datagram; the last fragment begins another.
					assert.Check(t, contradicting == 1 && incomplete == 1, "%d contradictions, %d incomplete, want 1 and 1", contradicting, incomplete)
				} else if incomplete != want {
					t.Errorf("%d datagrams incomplete, want %d", incomplete, want)
				}
				checkEmpty(t, d)
			})
		}
	}
}

func checkEmpty(t *testing.T, d *Decoder) {
	t.Helper()
	if r := &d.frags; len(r.byKey) != 0 || len(r.byAge) != 0 || r.cost != 0 {
		t.Errorf("still held: %d datagrams, %d in order of age, %d bytes charged", len(r.byKey), len(r.byAge), r.cost)
	}
}

// Fragments in any number and order, cut by a snapshot length: the length of
// the segment is exact and its payload known up to the first gap.
func TestReassemblyOfCutFragments(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		f := families[rng.IntN(len(families))]
		var pieces []piece
		for from := 0; from < fragmentedLen; {
			to := min(fragmentedLen, from+8*(1+rng.IntN(60)))
			pieces = append(pieces, piece{from, to})
			from = to
		}
		if len(pieces) == 1 {
			continue
		}
		fragment, snap := f.fragmenter(identification), 100+rng.IntN(500)
		known := fragmentedLen
		for _, p := range pieces {
			header := len(fragment(p)) - (p.to - p.from)
			if header+p.to-p.from > snap {
				known = min(known, p.from+snap-header)
			}
		}
		rng.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
		d := New(Options{})
		for i, p := range pieces {
			r := raw(capture.LinkRaw, fragment(p))
			r.Data = slices.Clone(r.Data[:min(snap, len(r.Data))])
			if i == len(pieces)-1 {
				check(t, d, r, f.want(r), known-tcpHeader)
				break
			}
			var seg packet.Segment
			if o := d.Decode(r, &seg); o != Fragment {
				t.Fatalf("%s %v of %v: %v, want fragment", f.name, p, pieces, o)
			}
			clear(r.Data) // the reader reuses its buffer
		}
		checkEmpty(t, d)
	}
}

// A fragment cut inside the TCP header leaves nothing to decode.
func TestReassemblyWithoutHeader(t *testing.T) {
	d, fragment := New(Options{}), families[0].fragmenter(identification)
	var seg packet.Segment
	r := raw(capture.LinkRaw, fragment(piece{0, 800}))
	r.Data = r.Data[:20+19]
	if o := d.Decode(r, &seg); o != Fragment {
		t.Fatalf("first: %v, want fragment", o)
	}
	if o := d.Decode(raw(capture.LinkRaw, fragment(piece{800, fragmentedLen})), &seg); o != Cut {
		t.Errorf("last: %v, want cut", o)
	}
}

func TestReassemblyTimeout(t *testing.T) {
	for _, f := range families {
		for _, test := range []struct {
			after time.Duration
			want  Outcome
		}{{30 * time.Second, TCP}, {30*time.Second + 1, Fragment}} {
			d, fragment := New(Options{}), f.fragmenter(identification)
			var seg packet.Segment
			first := raw(capture.LinkRaw, fragment(piece{0, 800}))
			d.Decode(first, &seg)
			last := raw(capture.LinkRaw, fragment(piece{800, fragmentedLen}))
			last.Num, last.Time = 8, first.Time+int64(test.after)
			if o := d.Decode(last, &seg); o != test.want {
				t.Errorf("%s: last fragment %v after the first: %v, want %v", f.name, test.after, o, test.want)
			}
			if got, want := d.Counts().Anomaly(DatagramIncomplete), (Tally{1, first.Num}); test.want == Fragment && got != want {
				t.Errorf("%s: incomplete: %v, want %v", f.name, got, want)
			}
		}
	}
}

// A flood of first fragments may not grow memory: the oldest datagrams go.
func TestReassemblyIsBounded(t *testing.T) {
	for _, f := range families {
		d := New(Options{})
		var seg packet.Segment
		const flood = 3 * maxDatagrams
		for id := range flood {
			d.Decode(raw(capture.LinkRaw, f.fragmenter(uint16(id))(piece{0, 800})), &seg)
			if len(d.frags.byKey) > maxDatagrams || len(d.frags.byAge) != len(d.frags.byKey) {
				t.Fatalf("%s: %d datagrams held, %d in order of age, bound %d", f.name, len(d.frags.byKey), len(d.frags.byAge), maxDatagrams)
			}
		}
		if got := d.Counts().Anomaly(DatagramIncomplete).Count; got != flood-maxDatagrams {
			t.Errorf("%s: %d given up, want %d", f.name, got, flood-maxDatagrams)
		}
		rest := piece{800, fragmentedLen}
		if o := d.Decode(raw(capture.LinkRaw, f.fragmenter(flood-1)(rest)), &seg); o != TCP {
			t.Errorf("%s: the newest datagram: %v, want tcp", f.name, o)
		}
		if o := d.Decode(raw(capture.LinkRaw, f.fragmenter(0)(rest)), &seg); o != Fragment {
			t.Errorf("%s: the oldest datagram: %v, want fragment", f.name, o)
		}
	}
}

// Large fragments reach the bound on memory before that on their number.
func TestReassemblyMemory(t *testing.T) {
	payload := tcpSegment(60_000)
	d := New(Options{})
	var seg packet.Segment
	for id := range maxDatagrams {
		r := raw(capture.LinkRaw, fragments4(uint16(id), protoTCP, payload)(piece{0, 59_200}))
		r.Data = r.Data[:64] // what is charged is the length on the wire, which is what is held
		d.Decode(r, &seg)
		assert.Assert(t, d.frags.cost <= fragmentMemory, "%d bytes charged, bound %d", d.frags.cost, fragmentMemory)
	}
	if got, want := len(d.frags.byAge), fragmentMemory/(59_200+fragmentOverhead); got != want {
		t.Errorf("%d datagrams held, want %d", got, want)
	}
	d.Finish()
	checkEmpty(t, d)
}

// Fragments of a tunnel's packet, and extension headers inside a fragmented
// packet.
func TestReassemblyOfMoreThanTCP(t *testing.T) {
	inner := ip4(protoTCP, tcpSegment(fragmentedPayload))
	options := slices.Concat([]byte{protoTCP, 0, 1, 4, 0, 0, 0, 0}, tcpSegment(fragmentedPayload))
	for _, test := range []struct {
		name       string
		fragmenter fragmenter
		want       func(*capture.Raw) packet.Segment
	}{
		{"4 in 4", fragments4(1, protoIPv4, inner), families[0].want},
		{"4 in 6", fragments6(1, protoIPv4, inner), families[0].want},
		{"destination options", fragments6(1, 60, options), families[1].want},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := New(Options{Decap: true})
			var seg packet.Segment
			if o := d.Decode(raw(capture.LinkRaw, test.fragmenter(piece{0, 800})), &seg); o != Fragment {
				t.Fatalf("first: %v, want fragment", o)
			}
			end := len(inner)
			if test.name == "destination options" {
				end = len(options)
			}
			r := raw(capture.LinkRaw, test.fragmenter(piece{800, end}))
			check(t, d, r, test.want(r), fragmentedPayload)
		})
	}
}

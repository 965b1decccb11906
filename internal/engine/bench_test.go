package engine_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// bench analyses captures of so many things again and again, and writes the report as JSON. options is
// called before each analysis, and what it returns after it; nil for nothing.
func bench(b *testing.B, n int, unit string, options func() (engine.Options, func() error)) {
	b.ReportAllocs()
	for b.Loop() {
		o, finish := options()
		s, err := engine.AnalyzeStored(b.Context(), o)
		assert.NilError(b, err)
		assert.NilError(b, errors.Join(jsonreport.Write(io.Discard, s), s.Close()))
		if finish != nil && finish() != nil {
			b.Fatal("a table cannot be written")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/"+unit)
}

// again returns the same options for each analysis.
func again(o engine.Options) func() (engine.Options, func() error) {
	return func() (engine.Options, func() error) { return o, nil }
}

// figureFamilies are all metrics, and the basic ones alone.
var figureFamilies = map[string]catalogue.Families{"report": 0, "basics": catalogue.AllFamilies}

// BenchmarkAnalyze measures everything from the bytes of a capture to its report and all tables.
func BenchmarkAnalyze(b *testing.B) {
	const packets = 200_000
	file := establishedSession(b, packets)
	for name, omit := range figureFamilies {
		b.Run(name, func(b *testing.B) {
			bench(b, packets, "packet", func() (engine.Options, func() error) {
				o := piped(file)
				o.Omit = omit
				return o, nil
			})
		})
	}
	b.Run("tables", func(b *testing.B) {
		dir := b.TempDir()
		bench(b, packets, "packet", func() (engine.Options, func() error) {
			tables, err := csvtables.New(dir, csvtables.Options{Series: true, Chunks: true})
			assert.NilError(b, err)
			o := everything(bytes.NewReader(file))
			o.Rows, o.Changes = tables, true
			return o, tables.Close
		})
	})
}

// BenchmarkShortConnections measures many short connections.
func BenchmarkShortConnections(b *testing.B) {
	const connections = 5000
	var file bytes.Buffer
	shortConnections(nopCloser{&file}, shortSessions(b, 64), connections, func(int) {})
	bench(b, connections, "connection", func() (engine.Options, func() error) { return piped(file.Bytes()), nil })
}

// nopCloser is a writer that need not be closed.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// transferOfTwo plays an upload of so many packets over two paths, which lose one
// in 500 and delay the others by up to 3 ms. Uploads of different numbers are different
// connections.
func transferOfTwo(number, packets int) *tracegen.Session {
	const length = 1000
	random := rand.New(rand.NewPCG(5, uint64(6+number)))
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 2, Keys: [2]uint64{uint64(1 + number), uint64(101 + number)}})
	paths := make([]*tracegen.Subflow, 2)
	for i := range paths {
		paths[i] = s.Subflow(tracegen.Path{
			A:   netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + i)}), uint16(1001+i+10*number)),
			B:   netip.MustParseAddrPort("198.51.100.1:443"),
			ISN: [2]seq.Wire{seq.Wire(1000 * (i + 1)), seq.Wire(77 * (i + 1))}, Nonce: [2]uint32{uint32(1 + i), 9}, ID: [2]uint8{uint8(i), 0},
		})
		paths[i].Open(time.Duration(50*i) * time.Millisecond)
	}
	at := 200 * time.Millisecond
	for i := range packets {
		x := paths[random.IntN(2)].Data(tracegen.A2B, at, int64(length*i), length)
		if at += 100 * time.Microsecond; random.IntN(500) == 0 {
			x.Lose().Again(x.SentAt() + 40*time.Millisecond)
		} else if i%64 == 0 {
			x.Late(time.Duration(random.IntN(3000)) * time.Microsecond)
		}
	}
	s.Close(at+time.Second, int64(packets*length), 0)
	return s
}

// transfersOfTwo returns the packets of transfers at once, in the order of time.
func transfersOfTwo(n, packets int, at tracegen.View) (all []tracegen.Packet) {
	for i := range n {
		all = append(all, transferOfTwo(i, packets).Packets(at)...)
	}
	slices.SortStableFunc(all, func(a, b tracegen.Packet) int { return cmp.Compare(a.Time, b.Time) })
	return all
}

// BenchmarkPair measures two captures of a transfer.
func BenchmarkPair(b *testing.B) {
	s := transferOfTwo(0, 60_000)
	sender, receiver := s.Packets(tracegen.HostA), s.Packets(tracegen.HostB)
	o := wholly(writeView(b, "sender.pcap", sender, tracegen.Format{SnapLen: 128}, nil))
	o.Receiver = []string{writeView(b, "receiver.pcap", receiver, tracegen.Format{SnapLen: 128}, nil)}
	bench(b, len(sender)+len(receiver), "packet", again(o))
}

// BenchmarkTransfers measures the capture of four long transfers at once, each over two paths with losses.
func BenchmarkTransfers(b *testing.B) {
	for at, view := range map[string]tracegen.View{"sender": tracegen.HostA, "receiver": tracegen.HostB, "between": tracegen.Middle} {
		all := transfersOfTwo(4, 15_000, view)
		for name, link := range map[string]tracegen.LinkType{"Ethernet": tracegen.LinkEthernet, "SLL2": tracegen.LinkSLL2} {
			o := wholly(writeView(b, name+".pcap", all, tracegen.Format{SnapLen: 128, Link: link}, nil))
			for families, omit := range figureFamilies {
				o.Omit = omit
				b.Run(fmt.Sprintf("%s/%s/%s", at, name, families), func(b *testing.B) { bench(b, len(all), "packet", again(o)) })
			}
		}
	}
}

// BenchmarkRecorded measures a capture that scripts/record-load.sh has made. MPANALYZE_LOAD is its name.
func BenchmarkRecorded(b *testing.B) {
	file := os.Getenv("MPANALYZE_LOAD")
	if file == "" {
		b.Skip("MPANALYZE_LOAD names no capture")
	}
	for name, omit := range figureFamilies {
		o := wholly(file)
		o.Omit = omit
		b.Run(name, func(b *testing.B) { bench(b, 1, "capture", again(o)) })
	}
}

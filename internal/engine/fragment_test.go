package engine_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/testrun"
	"mpanalyze/internal/tracegen"
)

// bystander is a module that follows no connection. With it the table makes every
// connection.
type bystander struct{}

// Open implements [conn.Module].
func (bystander) Open(*conn.Conn) conn.Observer { return nil }

// TestFragments: the report on fragments of connections is the same whether or not the
// table makes connections of them.
func TestFragments(t *testing.T) {
	short := 0
	for round := range testrun.Cases(60) {
		r := rand.New(rand.NewPCG(1, uint64(round)))
		n := tracegen.NewNetwork(tracegen.Start)
		playFragments(n, r)
		var file bytes.Buffer
		if err := n.Write(&file, tracegen.HostA, tracegen.Format{Nanosecond: true}); err != nil {
			t.Fatal(err)
		}
		var texts [2][]byte
		for i := range texts {
			o := engine.Options{
				Paths: []string{"-"}, Stdin: bytes.NewReader(file.Bytes()), Connection: engine.AllConnections,
				Interval: metrics.DefaultInterval, QoE: metrics.DefaultQoE, Detail: report.WithData,
			}
			if i == 1 {
				o.Modules = []conn.Module{bystander{}}
			}
			var text bytes.Buffer
			if err := jsonreport.Write(&text, analyzed(t, o)); err != nil {
				t.Fatal(err)
			}
			texts[i] = text.Bytes()
		}
		if !bytes.Equal(texts[0], texts[1]) {
			t.Fatalf("round %d: with fragments\n%s\nwithout\n%s", round, unlike(texts[0], texts[1]), unlike(texts[1], texts[0]))
		}
		short += bytes.Count(texts[0], []byte(report.OnlyFew))
	}
	if short < 10 {
		t.Errorf("%d fragments", short)
	}
}

// unlike returns the lines around the first difference of two texts.
func unlike(text, other []byte) []byte {
	at := 0
	for at < min(len(text), len(other)) && text[at] == other[at] {
		at++
	}
	return text[max(0, at-300):min(len(text), at+300)]
}

// midFlow is one end's side of a flow that began before the capture.
type midFlow struct {
	src, dst netip.AddrPort
	seq, ack seq.Wire
	ssn      uint32
	dsn, had uint64
	narrow   bool
	odd      int // one in so many packets cannot belong to a fragment
}

// playFragments plays some packets of many flows. Some of the flows belong together.
func playFragments(n *tracegen.Network, r *rand.Rand) {
	near := [2]uint64{r.Uint64(), r.Uint64()}
	flows := make([]midFlow, 100+r.IntN(100))
	for i := range flows {
		f := &flows[i]
		f.src = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i), 1}), uint16(1000+r.IntN(3)))
		f.dst = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, 0, 1}), [2]uint16{80, 50000}[i%2]) // of a server, and of a client
		f.seq, f.ack, f.ssn, f.dsn, f.had = seq.Wire(r.Uint32()), seq.Wire(r.Uint32()), r.Uint32(), r.Uint64(), r.Uint64()
		if r.IntN(12) == 0 {
			f.dsn, f.had = near[0]+r.Uint64N(1<<21), near[1]
		}
		f.narrow, f.odd = r.IntN(4) == 0, 2+r.IntN(30)
	}
	at, open := tracegen.Start.UnixNano(), 8+r.IntN(len(flows)-8)
	for range 3 * len(flows) {
		at += r.Int64N(int64(200 * time.Millisecond))
		i := r.IntN(open) // early flows have more packets
		if r.IntN(2) == 0 {
			i = r.IntN(len(flows))
		}
		n.Show(tracegen.HostA, flows[i].next(r, at))
	}
}

// next returns the next packet of a flow.
func (f *midFlow) next(r *rand.Rand, at int64) tracegen.Packet {
	size := 0
	d := mptcp.DSS{Flags: mptcp.DSSAck | mptcp.DSSAck8, DataAck: f.had}
	if r.IntN(4) > 0 {
		size = 1 + r.IntN(1460)
		d.Flags |= mptcp.DSSMap | mptcp.DSSDSN8
		d.DSN, d.SSN, d.Length = f.dsn, f.ssn, uint16(size)
	}
	if f.narrow {
		d.Flags &^= mptcp.DSSAck8 | mptcp.DSSDSN8
		d.DSN, d.DataAck = uint64(uint32(d.DSN)), uint64(uint32(d.DataAck))
	}
	p := tracegen.Packet{Time: at, Src: f.src, Dst: f.dst, Seq: f.seq, Ack: f.ack, Flags: tracegen.ACK, Window: 500, PayloadLen: size}
	f.seq += seq.Wire(size)
	f.ssn += uint32(size)
	f.dsn += uint64(size)
	if r.IntN(f.odd) == 0 {
		f.oddly(r, &p, &d)
	}
	p.Options = append(p.Options, d.Append(nil)...)
	return p
}

// oddly changes a packet so that it cannot belong to a fragment.
func (f *midFlow) oddly(r *rand.Rand, p *tracegen.Packet, d *mptcp.DSS) {
	switch r.IntN(13) {
	case 0:
		p.Src, p.Dst, p.Seq, p.Ack = p.Dst, p.Src, p.Ack, p.Seq
		*d = mptcp.DSS{Flags: mptcp.DSSAck | mptcp.DSSAck8, DataAck: f.dsn}
		p.PayloadLen = 0
	case 1:
		p.Flags |= tracegen.FIN
	case 2:
		p.Flags |= tracegen.RST
	case 3:
		p.Flags = tracegen.SYN
		*d = mptcp.DSS{}
	case 4:
		p.Window = 0
	case 5: // a hole
		f.seq += 100
	case 6: // the same once more
		f.seq -= seq.Wire(p.PayloadLen)
	case 7:
		f.dsn += 50
	case 8:
		f.ssn += 7
	case 9:
		f.ack += 1000
	case 10:
		f.had += 1000
	case 11:
		d.Flags |= mptcp.DSSFin
	case 12:
		p.Options = binary.BigEndian.AppendUint16(nil, 30<<8|3)
		p.Options = append(p.Options, 0x50) // MP_PRIO
	}
}

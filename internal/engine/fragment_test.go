package engine_test

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"time"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

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

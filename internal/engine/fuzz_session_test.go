package engine_test

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// A fuzzed session is a session of two subflows and a script: a byte that selects the kind
// of session, and then stepBytes bytes for each packet. After nearly every change of a
// byte, headers and checksums are still correct, so that fuzzing reaches the code behind
// the parsers.
const (
	stepBytes = 8
	maxSteps  = 80
)

// step is one packet of the script.
type step struct {
	what, fate uint8  // which packet, and what happens to it
	wait       uint8  // before it
	size       uint8  // of its payload
	place      uint8  // in the stream
	pick       uint8  // of the unusual value
	value      uint16 // the same
}

// scripted writes the capture of a fuzzed session, as one of its hosts or the middle
// sees it. With unseen, a capture at a host has none of that host's own SYNs and SYN/ACKs.
func scripted(t *testing.T, script []byte, unseen bool) []byte {
	var kind uint8
	if len(script) > 0 {
		kind, script = script[0], script[1:]
	}
	s := tracegen.NewSession(tracegen.Config{
		Version: kind & 1, Checksum: kind&2 != 0, DSN4: kind&4 != 0, DataAck4: kind&4 != 0,
		AckEvery: int(kind >> 3 & 1), NoTimestamps: kind&16 != 0, Plain: kind&32 != 0,
	})
	p := player{s: s, flows: []*tracegen.Subflow{s.Subflow(onPath(0))}}
	open := func(f *tracegen.Subflow) {
		h := f.Open(p.at)
		if unseen {
			h.SYN.Unseen()
			h.SYNACK.Unseen()
		}
		p.at = h.Established()
	}
	open(p.flows[0])
	if kind&32 == 0 {
		p.flows = append(p.flows, s.Subflow(onPath(1)))
		open(p.flows[1])
	}
	for n := 0; len(script) >= stepBytes && n < maxSteps; n++ {
		b := script[:stepBytes]
		p.play(step{b[0], b[1], b[2], b[3], b[4], b[5], binary.BigEndian.Uint16(b[6:])})
		script = script[stepBytes:]
	}
	file := viewed(t, s.Network(), tracegen.View(kind>>6%3), nanoseconds)
	return file
}

// player plays a script.
type player struct {
	s      *tracegen.Session
	flows  []*tracegen.Subflow
	at     time.Duration
	offset [2]int64 // by direction: what of the stream was sent
}

func (p *player) play(s step) {
	f := p.flows[int(s.what&1)%len(p.flows)]
	d := tracegen.Dir(s.what >> 1 & 1)
	p.at += time.Duration(s.wait) * time.Duration(s.wait) * 20 * time.Microsecond // up to 1.3 s
	var x *tracegen.Sent
	switch s.what >> 2 & 7 {
	case 0, 1, 2, 3: // data that are new
		n := 1 + int(s.size)*6
		x = f.Data(d, p.at, p.offset[d], n)
		p.offset[d] += int64(n)
	case 4, 5: // data that were sent before, or lie behind a gap
		from := max(0, p.offset[d]+int64(int8(s.place))*16)
		n := 1 + int(s.size)*2
		x = f.Data(d, p.at, from, n)
		p.offset[d] = max(p.offset[d], from+int64(n))
	case 6:
		x = f.Ack(d, p.at)
	default:
		x = f.FIN(d, p.at)
	}
	p.befall(x, s)
	if s.what>>5 != 0 {
		x.Edit(func(k *tracegen.Packet) { p.spoil(k, d, s) })
	}
}

// befall applies what the network does to a packet.
func (p *player) befall(x *tracegen.Sent, s step) {
	later := time.Duration(s.place) * time.Millisecond
	switch s.fate & 15 {
	case 1:
		x.Lose().Again(p.at + later + time.Millisecond)
	case 2:
		x.Late(later)
	case 3:
		x.Twice(later)
	case 4:
		x.LoseEarly().Again(p.at + later + time.Millisecond)
	case 5:
		x.Spoil()
	case 6:
		x.Unseen()
	case 7:
		x.Lose()
	}
}

// odd returns a value at an edge of the range of its field, or near a correct one.
func odd(s step, sound uint64) uint64 {
	near := uint64(int64(int16(s.value)))
	switch s.pick >> 5 {
	case 0:
		return sound + near
	case 1:
		return sound + near<<16
	case 2:
		return sound ^ 1<<(s.value&63)
	case 3:
		return near
	case 4:
		return 1<<31 + near
	case 5:
		return 1<<32 + near
	case 6:
		return 1<<63 + near
	default:
		return uint64(s.value) * 0x9e3779b97f4a7c15
	}
}

// spoil changes fields of a packet, or its MPTCP option, to unusual values.
func (p *player) spoil(k *tracegen.Packet, d tracegen.Dir, s step) {
	switch s.what >> 5 {
	case 1:
		k.Seq = seq.Wire(odd(s, uint64(k.Seq)))
	case 2:
		k.Ack = seq.Wire(odd(s, uint64(k.Ack)))
	case 3:
		k.Flags, k.Window = tracegen.Flags(s.value>>8), uint16(s.value)
	case 4:
		k.Time += int64(odd(s, 0)) % int64(time.Hour)
	default:
		k.Options = within(tracegen.AppendTimestamps(nil, uint32(k.Time/1e6), uint32(s.value)), p.option(k, d, s))
	}
}

// within returns options with one more, if there is room.
func within(options []byte, o tracegen.Option) []byte {
	if more := o.Append(nil); len(options)+len(more) <= 40 {
		return append(options, more...)
	}
	return o.Append(nil)
}

// option returns an MPTCP option with an unusual value.
func (p *player) option(k *tracegen.Packet, d tracegen.Dir, s step) tracegen.Option {
	version := uint8(s.fate >> 4 & 1)
	own, peer := p.s.Key(d), p.s.Key(d.Opposite())
	id := uint8(s.value)
	switch s.pick & 15 {
	case 0:
		return &mptcp.Capable{Version: version, Flags: mptcp.CapableFlags(s.value), Have: mptcp.CapableHasSenderKey, SenderKey: odd(s, own)}
	case 1:
		return &mptcp.Capable{
			Version: version, Flags: mptcp.CapableFlags(s.value), SenderKey: own, ReceiverKey: odd(s, peer),
			Have: mptcp.CapableHasSenderKey | mptcp.CapableHasReceiverKey,
		}
	case 2:
		return &mptcp.Join{Form: mptcp.JoinSYN, Token: uint32(odd(s, uint64(p.s.Token(d.Opposite())))), Nonce: uint32(s.value), AddressID: id}
	case 3:
		return &mptcp.Join{Form: mptcp.JoinSYNACK, TruncHMAC: odd(s, 0), Nonce: uint32(s.value), AddressID: id}
	case 4:
		return &mptcp.Join{Form: mptcp.JoinACK}
	case 5:
		a := mptcp.AddAddr{Version: version, AddressID: id, Addr: netip.AddrFrom4([4]byte{10, id, 0, 1}), Port: s.value, HasPort: s.fate&32 != 0, Echo: s.fate&64 != 0}
		a.HMAC = mptcp.AddAddrHMAC(own, peer, &a)
		return &a
	case 6:
		r := mptcp.RemoveAddr{N: 1 + id&3}
		copy(r.List[:], []uint8{id, uint8(s.value >> 8), 0, 255})
		return &r
	case 7:
		return &mptcp.Prio{Backup: s.value&1 != 0, HasAddressID: s.value&2 != 0, AddressID: id >> 2}
	case 8:
		return &mptcp.Fail{DSN: odd(s, p.s.DSN(d, p.offset[d]))}
	case 9:
		return &mptcp.Fastclose{ReceiverKey: odd(s, peer)}
	case 10:
		k.Flags |= tracegen.RST
		return &mptcp.TCPRST{Flags: mptcp.ResetFlags(s.value >> 8), Reason: mptcp.ResetReason(s.value)}
	case 11:
		return &mptcp.DSS{Flags: mptcp.DSSAck | mptcp.DSSAck8, DataAck: odd(s, p.s.DSN(d.Opposite(), p.offset[d.Opposite()]))}
	default:
		return p.mapping(k, d, s)
	}
}

// mapping returns a DSS option with a mapping that has one unusual field and a correct
// checksum.
func (p *player) mapping(k *tracegen.Packet, d tracegen.Dir, s step) *mptcp.DSS {
	m := &mptcp.DSS{Flags: mptcp.DSSMap | mptcp.DSSDSN8 | mptcp.DSSChecksum, DSN: p.s.DSN(d, p.offset[d]), Length: uint16(len(k.Payload))}
	if s.fate&128 != 0 {
		m.Flags |= mptcp.DSSFin
		m.Length++
	}
	switch s.pick & 3 {
	case 0:
		m.DSN = odd(s, m.DSN)
	case 1:
		m.SSN = uint32(odd(s, 1))
	case 2:
		m.Length = uint16(odd(s, uint64(m.Length)))
	default:
		m.Length = 0 // infinite
	}
	var sum mptcp.Sum
	sum.PseudoHeader(m.DSN, m.SSN, m.Length)
	sum.Add(k.Payload)
	m.Checksum = sum.Value()
	return m
}

// seeds are scripts that together use every kind of step.
func seeds() (all [][]byte) {
	for kind := range uint8(4) {
		script := []byte{kind * 0x49}
		for i := range uint8(16) {
			script = append(script, i<<4|i&3|kind<<2, i, 20+i, 30*i, i, i<<4|kind<<2, kind, 7*i)
		}
		all = append(all, script)
	}
	return all
}

// unseenSYNs is the bit of a mode that [fuzzOptions] leaves to [scripted].
const unseenSYNs = 0x80

// FuzzSession analyses sessions with unusual values in packets of correct form.
func FuzzSession(f *testing.F) {
	fuzzing(f)
	for i, script := range seeds() {
		f.Add(script, uint8(i))
		f.Add(script, uint8(i)|unseenSYNs)
	}
	f.Fuzz(func(t *testing.T, script []byte, mode uint8) {
		fuzzed(t, script, fuzzOptions(scripted(t, script, mode&unseenSYNs != 0), mode))
	})
}

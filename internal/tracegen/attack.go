package tracegen

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// Attack is traffic that makes a program that follows connections keep or search as much as
// possible. No real host sends it.
type Attack struct {
	Name  string
	Opens bool // each round opens a connection or a subflow, or begins to
	play  func(a *attacker, n int)
}

// Attacks returns all attacks.
func Attacks() []Attack {
	return slices.Concat(handshakeAttacks, dataAttacks, ackAttacks, frameAttacks)
}

// WriteAttack writes an attack of n rounds, of one packet or a few each. The same
// name and n give the same bytes.
func WriteAttack(w *Writer, name string, n int) error {
	all := Attacks()
	i := slices.IndexFunc(all, func(x Attack) bool { return x.Name == name })
	if i < 0 {
		return fmt.Errorf("tracegen: no attack is called %q", name)
	}
	a := &attacker{w: w, rand: rand.New(rand.NewPCG(11, 12)), now: 1_600_000_000e9, step: 20 * time.Microsecond}
	all[i].play(a, n)
	return a.err
}

// attacker writes packets one after another.
type attacker struct {
	w    *Writer
	rand *rand.Rand
	now  int64 // ns
	step time.Duration
	err  error // the first; nothing is written after it
}

func (a *attacker) send(p Packet) {
	p.Time = a.now
	if p.Window == 0 {
		p.Window = 4096
	}
	if a.err == nil {
		a.err = a.w.Write(&p)
	}
	a.now += int64(a.step)
}

func (a *attacker) frame(b []byte) {
	if a.err == nil {
		a.err = a.w.writeFrame(a.now, b, len(b))
	}
	a.now += int64(a.step)
}

var victim = netip.AddrPortFrom(netip.AddrFrom4([4]byte{203, 0, 113, 7}), 443)

// host returns the i-th client: each address from 100.64.0.0 on has 50,000 ports.
func host(i int) netip.AddrPort {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], 0x64400000+uint32(i/50_000))
	return netip.AddrPortFrom(netip.AddrFrom4(b), uint16(10_000+i%50_000))
}

// syn sends a SYN and nothing after it.
func (a *attacker) syn(from netip.AddrPort, options []byte) {
	a.send(Packet{Src: from, Dst: victim, Seq: seq.Wire(a.rand.Uint32()), Flags: SYN, Options: options})
}

func capableSYN() []byte {
	c := mptcp.Capable{Version: 1, Flags: mptcp.CapableHMAC}
	return c.Append(nil)
}

func joinSYN(token, nonce uint32, id uint8) []byte {
	j := mptcp.Join{Form: mptcp.JoinSYN, Token: token, Nonce: nonce, AddressID: id}
	return j.Append(nil)
}

// line is one direction of a subflow on which an attack sends.
type line struct {
	*attacker
	from netip.AddrPort
	keys [2]uint64
	data [2]uint64 // data sequence number of the first byte that each end sends
	next int       // bytes sent
	subs int       // subflows opened
}

// open plays the handshake of a connection.
func (a *attacker) open(i int) *line {
	l := &line{attacker: a, from: host(i), keys: [2]uint64{a.rand.Uint64(), a.rand.Uint64()}}
	for k, key := range l.keys {
		l.data[k] = mptcp.IDSN(1, key) + 1
	}
	a.send(Packet{Src: l.from, Dst: victim, Flags: SYN, Options: capableSYN()})
	c := mptcp.Capable{Version: 1, Flags: mptcp.CapableHMAC, Have: mptcp.CapableHasSenderKey, SenderKey: l.keys[1]}
	a.send(Packet{Src: victim, Dst: l.from, Ack: 1, Flags: SYN | ACK, Options: c.Append(nil)})
	c.SenderKey, c.ReceiverKey, c.Have = l.keys[0], l.keys[1], c.Have|mptcp.CapableHasReceiverKey
	a.send(Packet{Src: l.from, Dst: victim, Seq: 1, Ack: 1, Flags: ACK, Options: c.Append(nil)})
	return l
}

// token returns the token that joins of the connection carry.
func (l *line) token() uint32 { return mptcp.Token(1, l.keys[1]) }

// join plays the handshake of another subflow and returns its end.
func (l *line) join() netip.AddrPort {
	l.subs++
	from := host(1_000_000 + l.subs)
	id := uint8(l.subs)
	l.send(Packet{Src: from, Dst: victim, Flags: SYN, Options: joinSYN(l.token(), uint32(l.subs), id)})
	j := mptcp.Join{Form: mptcp.JoinSYNACK, Nonce: 5}
	l.send(Packet{Src: victim, Dst: from, Ack: 1, Flags: SYN | ACK, Options: j.Append(nil)})
	j = mptcp.Join{Form: mptcp.JoinACK}
	l.send(Packet{Src: from, Dst: victim, Seq: 1, Ack: 1, Flags: ACK, Options: j.Append(nil)})
	return from
}

// mapped returns a DSS option with a mapping of n bytes, from position at of the subflow to
// the data at offset.
func (l *line) mapped(at uint32, offset uint64, n int) []byte {
	d := mptcp.DSS{Flags: mptcp.DSSMap | mptcp.DSSDSN8, DSN: l.data[0] + offset, SSN: at, Length: uint16(n)}
	return d.Append(nil)
}

// acked returns a DSS option with a DATA_ACK of all data below offset.
func (l *line) acked(offset uint64) []byte {
	d := mptcp.DSS{Flags: mptcp.DSSAck | mptcp.DSSAck8, DataAck: l.data[0] + offset}
	return d.Append(nil)
}

// put sends n bytes at position at of the first subflow, with a mapping to offset.
func (l *line) put(at uint32, offset uint64, n int) { l.carry(at, n, l.mapped(at, offset, n)) }

// carry sends n bytes at position at of the first subflow, with these options.
func (l *line) carry(at uint32, n int, options []byte) {
	l.send(Packet{Src: l.from, Dst: victim, Seq: seq.Wire(at), Ack: 1, Flags: ACK, Options: options, PayloadLen: n})
}

// more sends the next n bytes of the stream.
func (l *line) more(n int) {
	l.put(uint32(1+l.next), uint64(l.next), n)
	l.next += n
}

// answer acknowledges everything at both levels.
func (l *line) answer() {
	l.send(Packet{Src: victim, Dst: l.from, Seq: 1, Ack: seq.Wire(1 + l.next), Flags: ACK, Options: l.acked(uint64(l.next))})
}

package engine_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// knocks writes SYNs of all kinds between a few hosts and ports, and some packets that may
// follow them.
type knocks struct {
	t     *testing.T
	w     *tracegen.Writer
	rand  *rand.Rand
	now   int64
	hosts []knock // of each 4-tuple the latest SYN
}

// knock is a 4-tuple.
type knock struct {
	a, b netip.AddrPort
	syn  tracegen.Packet
}

// knockKeys are keys whose tokens joins use before and after the keys are seen.
var knockKeys = [...]uint64{1, 2, 3, 4, 5, 6, 7, 8}

func newKnocks(t *testing.T, file *bytes.Buffer, seed uint64, link tracegen.LinkType, snap int) *knocks {
	w, err := tracegen.NewWriter(file, tracegen.Format{Nanosecond: true, Link: link, SnapLen: snap})
	assert.NilError(t, err)
	k := &knocks{t: t, w: w, rand: rand.New(rand.NewPCG(seed, 7)), now: 1.7e18}
	for i := range 12 {
		addr := netip.AddrFrom4([4]byte{10, 0, 0, byte(1 + i%3)})
		if i%5 == 4 {
			addr = netip.MustParseAddr(fmt.Sprintf("2001:db8::%d", i))
		}
		server := netip.AddrFrom4([4]byte{192, 0, 2, 1})
		if addr.Is6() {
			server = netip.MustParseAddr("2001:db8:ffff::1")
		}
		k.hosts = append(k.hosts, knock{a: netip.AddrPortFrom(addr, uint16(2000+i)), b: netip.AddrPortFrom(server, uint16(80+i%2))})
	}
	return k
}

// oneOf returns one of some values.
func oneOf[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// step writes the next packet.
func (k *knocks) step() {
	r := k.rand
	k.now += oneOf(r, int64(1e4), 1e6, 3e7, 4e8)
	switch r.IntN(200) {
	case 0:
		k.now += 40e9 // joins give up waiting
	case 1:
		k.now -= 2e9 // the clock is set
	case 2:
		k.now += 300e9
	}
	h := &k.hosts[r.IntN(len(k.hosts))]
	back := tracegen.Packet{Src: h.b, Dst: h.a, Seq: 9000, Ack: h.syn.Seq + 1, Window: 1000, Side: tracegen.Incoming}
	on := tracegen.Packet{Src: h.a, Dst: h.b, Seq: h.syn.Seq + 1, Ack: 9001, Window: 1000, Side: tracegen.Outgoing}
	switch n := r.IntN(20); {
	case n < 10 || h.syn.Flags == 0:
		h.syn = k.syn(h)
		k.write(h.syn)
	case n < 12:
		again := h.syn
		if r.IntN(3) == 0 {
			again.Options = nil
		}
		k.write(again)
	case n < 15:
		back.Flags, back.Options = tracegen.SYN|tracegen.ACK, k.answer(h.syn.Options)
		k.write(back)
	case n < 16:
		back.Flags = tracegen.RST | tracegen.ACK
		if r.IntN(2) == 0 {
			back.Options = (&mptcp.TCPRST{Reason: 3}).Append(nil)
		}
		k.write(back)
	case n < 17:
		on.Flags = tracegen.RST
		k.write(on)
	case n < 19:
		on.Flags = tracegen.ACK
		on.Options = capableOption(mptcp.Capable{Version: 1, Have: mptcp.CapableHasSenderKey | mptcp.CapableHasReceiverKey, SenderKey: oneOf(r, knockKeys[:]...), ReceiverKey: oneOf(r, knockKeys[:]...)})
		k.write(on)
	default:
		on.Flags, on.PayloadLen = tracegen.ACK|tracegen.PSH, 100
		k.write(on)
	}
}

func capableOption(o mptcp.Capable) []byte {
	o.Flags |= mptcp.CapableHMAC
	return o.Append(nil)
}

// syn returns a SYN of any kind.
func (k *knocks) syn(h *knock) tracegen.Packet {
	r := k.rand
	p := tracegen.Packet{Src: h.a, Dst: h.b, Seq: seq.Wire(r.Uint32()), Flags: tracegen.SYN, Window: 1000, Side: oneOf(r, tracegen.Incoming, tracegen.Outgoing)}
	key := oneOf(r, knockKeys[:]...)
	switch r.IntN(12) {
	case 0, 1:
	case 2, 3:
		p.Options = capableOption(mptcp.Capable{Version: 1, Flags: oneOf[mptcp.CapableFlags](r, 0, mptcp.CapableNoJoin, mptcp.CapableExtend)})
	case 4:
		p.Options = capableOption(mptcp.Capable{Version: uint8(r.IntN(2)), Have: mptcp.CapableHasSenderKey, SenderKey: key})
	case 5, 6, 7:
		o := mptcp.Join{Form: mptcp.JoinSYN, Token: mptcp.Token(uint8(r.IntN(2)), key), Nonce: r.Uint32(), AddressID: uint8(r.IntN(4)), Backup: r.IntN(2) == 0}
		p.Options = o.Append(nil)
	case 8:
		o := mptcp.Join{Form: mptcp.JoinSYN, Token: r.Uint32(), Nonce: r.Uint32()}
		p.Options = o.Append(nil)
	case 9:
		p.PayloadLen = 50 // TCP Fast Open
		p.Options = []byte{34, 6, 1, 2, 3, 4}
	case 10:
		p.Options = []byte{mptcp.Kind, 5, 1, 1, 1} // MP_CAPABLE of no legal form
	case 11:
		p.Options = []byte{mptcp.Kind, 4, 5, 1} // of a version that has not been defined
	}
	return p
}

// answer returns the options of a SYN/ACK.
func (k *knocks) answer(asked []byte) []byte {
	key := oneOf(k.rand, knockKeys[:]...)
	switch {
	case len(asked) == 0 || k.rand.IntN(3) == 0:
		return nil
	case mptcp.SubtypeOf(asked) == mptcp.SubJoin:
		o := mptcp.Join{Form: mptcp.JoinSYNACK, TruncHMAC: 1, Nonce: 2, AddressID: 3}
		return o.Append(nil)
	}
	return capableOption(mptcp.Capable{Version: 1, Have: mptcp.CapableHasSenderKey, SenderKey: key})
}

func (k *knocks) write(p tracegen.Packet) {
	p.Time = k.now
	if err := k.w.Write(&p); err != nil {
		k.t.Fatal(err)
	}
}

// file returns what was written.
func (k *knocks) file(file *bytes.Buffer) []byte {
	if err := k.w.Flush(); err != nil {
		k.t.Fatal(err)
	}
	return file.Bytes()
}

package diagnose_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// rewrite changes version and flags of MP_CAPABLE.
func rewrite(version uint8, flags mptcp.CapableFlags) func(*tracegen.Packet) {
	return func(p *tracegen.Packet) {
		eachOption(p, func(opt []byte) {
			if mptcp.SubtypeOf(opt) == mptcp.SubCapable {
				opt[2], opt[3] = opt[2]&0xf0|version, uint8(flags)
			}
		})
	}
}

// halve takes half of the key out of MP_CAPABLE.
func halve(p *tracegen.Packet) {
	eachOption(p, func(opt []byte) {
		if mptcp.SubtypeOf(opt) == mptcp.SubCapable && len(opt) >= 12 {
			opt[1] = 8
			for i := range opt[8:] {
				opt[8+i] = 1
			}
		}
	})
}

// handshake plays a handshake, edited packet by packet, and data that falls back.
func handshake(s *tracegen.Session, path tracegen.Path, at time.Duration, syn, synack, third func(*tracegen.Packet)) {
	f := s.Subflow(path)
	f.SYN(at).Edit(syn)
	f.SYNACK(at + 10*ms).Edit(synack)
	f.ThirdACK(at + 20*ms).Edit(third)
	f.Data(tracegen.B2A, at+50*ms, 0, 1000).Edit(erase)
}

// TestVersionsAndFlags: if an end ignores MP_CAPABLE because of its version or its flags, that is
// named as the cause (RFC 8684, Section 3.1).
func TestVersionsAndFlags(t *testing.T) {
	keep := func(*tracegen.Packet) {}
	h := mptcp.CapableHMAC
	for _, tt := range []struct {
		name               string
		view               tracegen.View
		version            uint8
		syn, synack, third func(*tracegen.Packet)
		code               report.VerdictCode
		text               string
	}{
		{"version 0", tracegen.HostB, 0, keep, erase, erase, report.VerdictVersion, "asks for version 0"},
		{"version 2", tracegen.HostB, 1, rewrite(2, h), erase, erase, report.VerdictVersion, "asks for version 2"},
		{"flag B", tracegen.HostB, 1, rewrite(1, h|mptcp.CapableExtend), erase, erase, report.VerdictFlags, "flag B"},
		{"no flag H", tracegen.HostB, 1, rewrite(1, mptcp.CapableChecksum), erase, erase, report.VerdictFlags, "flag H"},
		{"version 1", tracegen.HostB, 1, keep, erase, erase, report.VerdictPeerPlain, "does not speak MPTCP"},
		{"another version in the SYN/ACK", tracegen.HostB, 1, keep, rewrite(0, h), erase, report.VerdictVersion, "answers with version 0"},
		{"a version of the SYN/ACK that is not defined", tracegen.HostB, 1, keep, rewrite(2, h), keep, report.VerdictVersion, "SYN/ACK answers with version 2"},
		{"a form of the SYN/ACK that is not defined", tracegen.HostB, 1, keep, halve, keep, report.VerdictNotGranted, "has a form that version 1"},
		{"flag B in the SYN/ACK", tracegen.HostB, 1, keep, rewrite(1, h|mptcp.CapableExtend), erase, report.VerdictFlags, "the SYN/ACK (flags BH)"},
		{"another version in the third ACK", tracegen.HostB, 1, keep, keep, rewrite(0, h), report.VerdictVersion, "third ACK has version 0"},
		{"flag B in the third ACK", tracegen.HostB, 1, keep, keep, rewrite(1, h|mptcp.CapableExtend), report.VerdictFlags, "the third ACK (flags BH)"},
		{"no third MP_CAPABLE", tracegen.HostB, 1, keep, keep, erase, report.VerdictStrippedHandshake, "SYN and SYN/ACK carry MP_CAPABLE"},
		// In a capture that was not made at b, MP_CAPABLE may also have been removed.
		{"version 0, seen at a", tracegen.HostA, 0, keep, erase, erase, report.VerdictNotGranted, "b speaks only version 1"},
		{"version 1, seen at a", tracegen.HostA, 1, keep, erase, erase, report.VerdictNotGranted, "b speaks only version 0"},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: tt.version, AckEvery: 1})
		handshake(s, path(0, 10*ms), 0, tt.syn, tt.synack, tt.third)
		if v := find(t, see(t, s, tt.view), tt.code); !strings.Contains(v.Text, tt.text) || v.Severity != report.Critical {
			t.Errorf("%s: %s: %s", tt.name, v.Severity, v.Text)
		}
	}
}

// TestVersionOfThePeer: if a host granted a version to one connection on a port, that explains
// why it did not grant another version to another connection.
func TestVersionOfThePeer(t *testing.T) {
	keep := func(*tracegen.Packet) {}
	net := tracegen.NewNetwork(time.Time{})
	v0, v1 := net.Session(tracegen.Config{Version: 0, AckEvery: 1}), net.Session(tracegen.Config{Version: 1, AckEvery: 1})
	handshake(v0, path(0, 10*ms), 0, keep, keep, keep)
	handshake(v1, path(1, 10*ms), time.Second, keep, erase, erase)
	v := find(t, see(t, v0, tracegen.HostB), report.VerdictVersion)
	if want := "asks for version 1 of MPTCP and b answered without MP_CAPABLE: the same host and port granted version 0 to connection 0"; !strings.Contains(v.Text, want) {
		t.Error(v.Text)
	}
}

// TestJoinOfNothing: a refused join is reported, although nothing else of its connection was
// captured. There is no second verdict on the end of the connection.
func TestJoinOfNothing(t *testing.T) {
	s, _ := begin()
	p := path(1, 10*ms)
	f := s.Subflow(p)
	syn := f.SYN(200 * ms)
	f.RST(tracegen.B2A, syn.ArrivesAt()+ms, &mptcp.TCPRST{Reason: mptcp.ResetMPTCP}).Edit(func(x *tracegen.Packet) {
		x.Flags, x.Seq, x.Ack = tracegen.RST|tracegen.ACK, 0, p.ISN[0]+1
	})
	d := seeOnly(t, s, tracegen.HostB, func(_ int, x *tracegen.Packet) bool { return x.Src == p.A || x.Dst == p.A })
	v := find(t, d, report.VerdictJoinRefused)
	if !strings.Contains(v.Text, "MP_TCPRST reason 1") || !strings.Contains(v.Text, "nothing else of its connection was captured") || len(*d.Connections[0].Verdicts) != 1 {
		t.Errorf("%+v", *d.Connections[0].Verdicts)
	}
	if sub := &d.Connections[0].Subflows[0]; sub.JoinDelay != nil || sub.BackupSYN == nil || *sub.AddressIDA != 1 {
		t.Errorf("subflow %+v", sub)
	}
}

// TestManyJoins: joins beyond the number of subflows that the program follows for one connection
// do not count as connections without Multipath TCP.
func TestManyJoins(t *testing.T) {
	s, first := begin()
	for i := range 1100 {
		p := path(1, 10*ms)
		p.A = netip.AddrPortFrom(p.A.Addr(), uint16(21000+i))
		s.Subflow(p).SYN(200*ms + time.Duration(i)*ms)
	}
	first.Ack(tracegen.B2A, 5000*ms)
	d := see(t, s, tracegen.HostA)
	assert.Assert(t, len(d.TCP) != 0, "no join beyond the limit")
	for i := range d.TCP {
		assert.Equal(t, len(d.TCP[i].Verdicts), 0)
	}
}

package diagnose_test

import (
	"bytes"
	"io"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

const ms = time.Millisecond

// path returns the i-th path of a session, with a one-way delay.
func path(i int, delay time.Duration) tracegen.Path {
	return tracegen.Path{
		A:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + i)}), 20000),
		B:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, 1}), 443),
		ISN:   [2]seq.Wire{1000, 2000},
		Nonce: [2]uint32{3, 4}, ID: [2]uint8{byte(i), 0},
		Delay: [2]time.Duration{delay, delay},
	}
}

// see returns the report on what a view of a session's network saw.
func see(t *testing.T, s *tracegen.Session, v tracegen.View) *report.Document {
	t.Helper()
	var file bytes.Buffer
	assert.NilError(t, s.Network().Write(&file, v, tracegen.Format{Nanosecond: true}))
	return read(t, &file)
}

// read returns the report on a capture.
func read(t *testing.T, file io.Reader) *report.Document {
	t.Helper()
	return analyzeAs(t, engine.Options{Paths: []string{"-"}, Stdin: file})
}

// begin returns a session whose initial subflow is open at 50 ms, and whose receivers acknowledge each segment.
func begin() (*tracegen.Session, *tracegen.Subflow) { return beginAs(1) }

// beginAs does the same for receivers that acknowledge so many segments at once; 0 for none.
func beginAs(ackEvery int) (*tracegen.Session, *tracegen.Subflow) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: ackEvery, HeaderOnly: 1})
	first := s.Subflow(path(0, 10*ms))
	first.Open(0)
	return s, first
}

// beginTwo returns begin's session with a second subflow, which is open 50 ms later.
func beginTwo() (s *tracegen.Session, first, second *tracegen.Subflow) {
	s, first = begin()
	second = s.Subflow(path(1, 10*ms))
	second.Open(50 * ms)
	return s, first, second
}

// steady sends n segments of 1000 bytes in direction A to B, one each 10 ms.
func steady(f *tracegen.Subflow, at time.Duration, offset int64, n int) {
	for i := range n {
		f.Data(tracegen.A2B, at+time.Duration(i)*10*ms, offset+int64(i)*1000, 1000)
	}
}

// inTurns sends n times 1000 bytes on each of two subflows from B to A, those of the second 5 ms later.
func inTurns(first, second *tracegen.Subflow, at, every time.Duration, n int64) {
	for i := range n {
		first.Data(tracegen.B2A, at, 2000*i, 1000)
		second.Data(tracegen.B2A, at+5*ms, 2000*i+1000, 1000)
		at += every
	}
}

// erase overwrites the MPTCP options of a packet with NOPs.
func erase(p *tracegen.Packet) {
	eachOption(p, func(opt []byte) {
		for i := range opt {
			opt[i] = 1
		}
	})
}

// eachOption calls f with every MPTCP option of a packet.
func eachOption(p *tracegen.Packet, f func(opt []byte)) {
	for b := p.Options; len(b) > 1; {
		if b[0] <= 1 {
			b = b[1:]
			continue
		}
		n := int(b[1])
		if b[0] == mptcp.Kind {
			f(b[:n])
		}
		b = b[n:]
	}
}

// find returns the only verdict of a code; it ends the test if there is
// another number of them.
func find(t *testing.T, d *report.Document, code report.VerdictCode) report.Verdict {
	t.Helper()
	found := verdictsOf(d, code)
	if len(found) != 1 {
		t.Fatalf("%d verdicts %s, want 1; all: %+v", len(found), code, verdictsOf(d, ""))
	}
	return found[0]
}

// wantNumber fails unless the proof called what has this number.
func wantNumber(t *testing.T, v report.Verdict, what string, want float64) {
	t.Helper()
	for _, e := range v.Evidence {
		if e.What == what && e.Value != nil {
			if math.Abs(*e.Value-want) > 1e-6*math.Abs(want) {
				t.Errorf("%s: %s is %v, want %v", v.Code, what, *e.Value, want)
			}
			return
		}
	}
	t.Errorf("%s has no proof %q: %+v", v.Code, what, v.Evidence)
}

// TestHandshakes covers what the real sessions do not have: each scenario, the
// verdicts at both ends, and what their text must name.
func TestHandshakes(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(s *tracegen.Session, first *tracegen.Subflow)
		a, b string // verdicts on what happened, as captured at each end
		text string // of any of them
	}{
		{"announced and neither confirmed nor used", func(s *tracegen.Session, first *tracegen.Subflow) {
			steady(first, 100*ms, 0, 200)
			first.Signal(tracegen.B2A, 105*ms, s.AddAddr(tracegen.B2A, mptcp.AddAddr{Addr: netip.MustParseAddr("203.0.113.9"), AddressID: 5}))
			first.Ack(tracegen.B2A, 4000*ms)
		}, "add_addr_not_echoed add_addr_not_joined single_path", "add_addr_not_echoed add_addr_not_joined single_path", "203.0.113.9"},
		{"announced and withdrawn at once", func(s *tracegen.Session, first *tracegen.Subflow) {
			steady(first, 100*ms, 0, 200)
			first.Signal(tracegen.B2A, 105*ms, s.AddAddr(tracegen.B2A, mptcp.AddAddr{Addr: netip.MustParseAddr("203.0.113.9"), AddressID: 5}))
			first.Signal(tracegen.B2A, 205*ms, &mptcp.RemoveAddr{List: [37]uint8{5}, N: 1})
		}, "single_path", "single_path", "1 further address announced"},
		{"reset", func(s *tracegen.Session, first *tracegen.Subflow) {
			steady(first, 100*ms, 0, 200)
			first.RST(tracegen.B2A, 2200*ms, &mptcp.TCPRST{Reason: mptcp.ResetResources})
		}, "reset.0 single_path", "reset.0 single_path", "every subflow was reset"},
		{"infinite mapping", func(s *tracegen.Session, first *tracegen.Subflow) {
			first.Data(tracegen.A2B, 100*ms, 0, 1000)
			first.Data(tracegen.A2B, 110*ms, 1000, 1000).Edit(func(p *tracegen.Packet) {
				eachOption(p, func(opt []byte) { opt[len(opt)-2], opt[len(opt)-1] = 0, 0 })
			})
		}, "infinite_mapping.0", "infinite_mapping.0", "gave up"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for view, want := range map[tracegen.View]string{tracegen.HostA: c.a, tracegen.HostB: c.b} {
				s, first := begin()
				c.play(s, first)
				d := see(t, s, view)
				happened, _ := names(d)
				assert.Check(t, is.DeepEqual(append([]string{}, happened...), strings.Fields(want)), "view %d: what happened", view)
				var texts strings.Builder
				for _, v := range *d.Connections[0].Verdicts {
					texts.WriteString(v.Text + "\n")
				}
				assert.Check(t, want != c.a || strings.Contains(texts.String(), c.text), "view %d: no %q in\n%s", view, c.text, texts.String())
			}
		})
	}
}

func TestJoinForbidden(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1})
	first := s.Subflow(path(0, 10*ms))
	first.SYN(0)
	first.SYNACK(10 * ms).Edit(func(p *tracegen.Packet) {
		eachOption(p, func(opt []byte) { opt[3] |= byte(mptcp.CapableNoJoin) })
	})
	first.ThirdACK(20 * ms)
	steady(first, 50*ms, 0, 200)
	d := see(t, s, tracegen.HostA)
	v, alone := find(t, d, report.VerdictJoinForbidden), find(t, d, report.VerdictSinglePath)
	at := func(code report.VerdictCode) int {
		return slices.IndexFunc(*d.Connections[0].Verdicts, func(v report.Verdict) bool { return v.Code == code })
	}
	assert.Check(t, at(v.Code)+1 == at(alone.Code) && strings.HasPrefix(alone.Remedy, "Let b announce"), "the cause stands before %+v", alone)
	assert.Check(t, strings.HasPrefix(v.Text, "b set flag C") && len(v.Evidence) == 1 && *v.Evidence[0].Packet == 2, "verdict %+v, want b's, proven by packet 2", v)
}

// TestPlain covers handshakes that ask for Multipath TCP and do not get it.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(first *tracegen.Subflow)
		want string // as captured at the end that is named
		view tracegen.View
	}{
		{"SYNs with the option are dropped", func(first *tracegen.Subflow) {
			syn := first.SYN(0).Lose()
			syn.Again(1000 * ms).Lose()
			syn.Again(3000 * ms).Edit(erase)
			first.SYNACK(3010 * ms).Edit(erase)
			first.ThirdACK(3020 * ms).Edit(erase)
		}, "tcp:syn_dropped", tracegen.HostA},
		{"nobody answers", func(first *tracegen.Subflow) {
			first.SYN(0).Lose().Again(1000 * ms).Lose().Again(3000 * ms).Lose().Again(7000 * ms).Lose()
		}, "tcp:unanswered", tracegen.HostA},
		{"nothing listens", func(first *tracegen.Subflow) {
			first.RST(tracegen.B2A, first.SYN(0).ArrivesAt())
		}, "tcp:refused", tracegen.HostA},
		{"the option vanished from the SYN, and not from what follows", func(first *tracegen.Subflow) {
			first.SYN(0).Edit(erase)
			first.SYNACK(10 * ms).Edit(erase)
			first.ThirdACK(20 * ms)
		}, "tcp:mptcp_not_granted", tracegen.HostB},
		{"refused by the host of the capture", func(first *tracegen.Subflow) {
			first.SYN(0)
			first.SYNACK(10 * ms).Edit(erase)
			first.ThirdACK(20 * ms).Edit(erase)
		}, "tcp:peer_plain", tracegen.HostB},
	} {
		s := tracegen.NewSession(tracegen.Config{Version: 1})
		c.play(s.Subflow(path(0, 10*ms)))
		happened, _ := names(see(t, s, c.view))
		assert.Check(t, is.DeepEqual(happened, []string{c.want}), "%s", c.name)
	}
}

// TestBounds has 150 joins that fail: the number of verdicts on one connection is bounded, and
// the most severe ones are kept.
func TestBounds(t *testing.T) {
	s, first := begin()
	steady(first, 100*ms, 0, 200)
	for i := range 150 {
		p := path(1, 10*ms)
		p.A = netip.AddrPortFrom(p.A.Addr(), uint16(30000+i))
		f := s.Subflow(p)
		f.RST(tracegen.B2A, f.SYN(100*ms+time.Duration(i)*ms).ArrivesAt())
	}
	d := see(t, s, tracegen.HostA)
	v := *d.Connections[0].Verdicts
	if len(d.Connections[0].Subflows) != 151 || len(v) < 50 || len(v) > 100 || v[0].Code != report.VerdictJoinRefused {
		t.Errorf("%d verdicts on %d subflows, the first %v; want 50 to 100, join_refused first", len(v), len(d.Connections[0].Subflows), v[0].Code)
	}
}

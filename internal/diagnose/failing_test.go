package diagnose_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
	"gotest.tools/v3/golden"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// failure is one way in which a further subflow fails. Beside it a sends 200 kB on the first subflow, in two seconds.
type failure struct {
	what string
	play func(s *tracegen.Session, first *tracegen.Subflow)
	a, b string // at each end: the verdict about it, with its form and subflow; empty where the capture does not show it

	state    report.SubflowState // of subflow 1 at a; empty where the row is not about it
	sent     int64               // bytes that play sends from position 200000 on
	checksum bool
	flags    mptcp.CapableFlags       // of b's MP_CAPABLE
	box      func(p *tracegen.Packet) // a middlebox edits each packet on its way
	icmp     []byte                   // type and code of an ICMP error about the last SYN of subflow 1, which a gets
}

// reserve is an address of b that is not in use, and its port.
var reserve = netip.MustParseAddrPort("203.0.113.9:8443")

// announcement makes b announce its reserve address, with or without port.
func announcement(s *tracegen.Session, first *tracegen.Subflow, port uint16, at time.Duration) *tracegen.Sent {
	a := mptcp.AddAddr{Addr: reserve.Addr(), AddressID: 5, Port: port, HasPort: port > 0}
	return first.Signal(tracegen.B2A, at, s.AddAddr(tracegen.B2A, a))
}

// echoed makes a echo the announcement.
func echoed(s *tracegen.Session, first *tracegen.Subflow, port uint16, at time.Duration) {
	a := mptcp.AddAddr{Addr: reserve.Addr(), AddressID: 5, Port: port, HasPort: port > 0, Echo: true}
	first.Signal(tracegen.A2B, at, s.AddAddr(tracegen.A2B, a))
}

// joining returns a second subflow, of a's second address, which goes to b's first one unless to is another.
func joining(s *tracegen.Session, to ...netip.AddrPort) *tracegen.Subflow {
	p := path(1, 10*ms)
	for _, b := range to {
		p.B = b
	}
	return s.Subflow(p)
}

// joined returns that subflow, open.
func joined(s *tracegen.Session) *tracegen.Subflow {
	f := joining(s)
	f.Open(100 * ms)
	return f
}

// joiningFromB returns a second subflow that b opens, towards a port of a.
func joiningFromB(s *tracegen.Session, port uint16) *tracegen.Subflow {
	p := path(1, 10*ms)
	p.FromB, p.A, p.B = true, netip.AddrPortFrom(path(0, 0).A.Addr(), port), netip.AddrPortFrom(reserve.Addr(), 40123)
	return s.Subflow(p)
}

// times scripts a packet three times, after 0, 1 and 3 s, and returns the last.
func times(script func(at time.Duration) *tracegen.Sent) (last *tracegen.Sent) {
	for _, at := range []time.Duration{100 * ms, 1100 * ms, 3100 * ms} {
		last = script(at)
	}
	return last
}

// lost scripts a packet that is lost.
func lost(f func(time.Duration) *tracegen.Sent) func(time.Duration) *tracegen.Sent {
	return func(at time.Duration) *tracegen.Sent { return f(at).Lose() }
}

// again sends data of another subflow, once more, on the first.
func again(first *tracegen.Subflow, at time.Duration, from int64, n int) {
	first.Data(tracegen.A2B, at, from, n)
}

// reason is an MP_TCPRST.
func reason(r mptcp.ResetReason) *mptcp.TCPRST { return &mptcp.TCPRST{Reason: r} }

// failures are the ways, in the order of the packets of a subflow.
var failures = []failure{
	{what: "nobody attempts one", a: "single_path", b: "single_path"},
	{what: "b forbids subflows to its first address (flag C) and announces no other", flags: mptcp.CapableNoJoin, a: "join_forbidden", b: "join_forbidden"},
	{what: "each ADD_ADDR of b is lost", play: func(s *tracegen.Session, first *tracegen.Subflow) {
		times(func(at time.Duration) *tracegen.Sent { return announcement(s, first, 0, at).Lose() })
	}, a: "single_path", b: "add_addr_not_echoed"},
	{what: "a confirms b's ADD_ADDR and does not join (limit add_addr_accepted)", play: func(s *tracegen.Session, first *tracegen.Subflow) {
		announcement(s, first, 0, 100*ms)
		echoed(s, first, 0, 111*ms)
	}, a: "add_addr_not_joined", b: "add_addr_not_joined elsewhere"},
	{what: "a confirms an ADD_ADDR with a port and does not join", play: func(s *tracegen.Session, first *tracegen.Subflow) {
		announcement(s, first, reserve.Port(), 100*ms)
		echoed(s, first, reserve.Port(), 111*ms)
	}, a: "add_addr_not_joined", b: "add_addr_not_joined elsewhere"},

	{what: "each SYN of a is dropped", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		times(lost(joining(s).SYN))
	}, state: report.SubflowUnanswered, a: "join_unanswered.1", b: "single_path"},
	{what: "each SYN of b is dropped", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		times(lost(joiningFromB(s, 41000).SYN))
	}, a: "single_path", b: "join_unanswered.1"},
	{what: "a tries each address with each (fullmesh), and the networks are separate", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		works := joining(s, netip.AddrPortFrom(reserve.Addr(), 443))
		works.Open(100 * ms)
		works.Data(tracegen.A2B, 300*ms, 200000, 1000)
		times(lost(joining(s).SYN))
	}, sent: 1000, a: "join_unanswered crossed.2", b: ""},
	{what: "b announces an address that nothing reaches, and a tries it from the address of subflow 0", play: func(s *tracegen.Session, first *tracegen.Subflow) {
		announcement(s, first, 0, 80*ms)
		echoed(s, first, 0, 91*ms)
		p := path(0, 10*ms)
		p.A, p.B = netip.AddrPortFrom(p.A.Addr(), 20001), netip.AddrPortFrom(reserve.Addr(), 443)
		times(lost(s.Subflow(p).SYN))
	}, a: "join_unanswered announced.1", b: "add_addr_not_joined elsewhere"},
	{what: "a router says by ICMP that it prohibits a's SYNs", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		times(lost(joining(s).SYN))
	}, icmp: []byte{3, 13}, a: "join_unanswered.1", b: "single_path"},
	{what: "b's host says by ICMP that the port is unreachable", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		times(lost(joining(s).SYN))
	}, icmp: []byte{3, 3}, a: "join_unanswered.1", b: "single_path"},
	{what: "MP_JOIN is removed from the SYN, and a resets", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		f := joining(s)
		answer := f.SYNACK(f.SYN(100 * ms).ArrivesAt()).Edit(erase)
		f.RST(tracegen.A2B, answer.ArrivesAt(), reason(mptcp.ResetMPTCP))
	}, box: eraseSYN, a: "join_not_granted.1", b: "join_stripped"},
	{what: "MP_JOIN is removed from the SYN, and the RST of a is lost", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		f := joining(s)
		answer := f.SYNACK(f.SYN(100 * ms).ArrivesAt()).Edit(erase)
		f.RST(tracegen.A2B, answer.ArrivesAt()).Lose()
		answer.Again(1100 * ms).Edit(erase).Lose()
		answer.Again(3100 * ms).Edit(erase).Lose()
	}, box: eraseSYN, a: "join_not_granted.1", b: "join_stripped likely"},
	{what: "b refuses the SYN by RST without a reason (limit, token, no listener, or a firewall)", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		f := joining(s)
		f.RST(tracegen.B2A, f.SYN(100*ms).ArrivesAt())
	}, state: report.SubflowRefused, a: "join_refused.1", b: "join_refused.1"},
	{what: "b refuses the SYN by its limit of subflows (MP_TCPRST reason 3)", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		f := joining(s)
		f.RST(tracegen.B2A, f.SYN(100*ms).ArrivesAt(), reason(mptcp.ResetProhibited))
	}, a: "join_refused.1", b: "join_refused.1"},
	{what: "b does not know the token of the SYN (MP_TCPRST reason 1)", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		f := joining(s)
		f.RST(tracegen.B2A, f.SYN(100*ms).ArrivesAt(), reason(mptcp.ResetMPTCP))
	}, a: "join_refused.1", b: "join_refused.1"},
	{what: "a joins in spite of flag C, and b refuses", flags: mptcp.CapableNoJoin, play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		f := joining(s)
		f.RST(tracegen.B2A, f.SYN(100*ms).ArrivesAt(), reason(mptcp.ResetProhibited))
	}, a: "join_forbidden tried.1", b: "join_forbidden tried.1"},
	{what: "nobody listens at the port that b announced", play: func(s *tracegen.Session, first *tracegen.Subflow) {
		announcement(s, first, reserve.Port(), 80*ms)
		echoed(s, first, reserve.Port(), 91*ms)
		f := joining(s, reserve)
		f.RST(tracegen.B2A, f.SYN(100*ms).ArrivesAt())
	}, a: "join_refused.1", b: "join_refused.1"},
	{what: "b joins towards the port from which a had connected", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		f := joiningFromB(s, path(0, 0).A.Port())
		f.RST(tracegen.A2B, f.SYN(100*ms).ArrivesAt())
	}, a: "join_refused client.1", b: "join_refused client.1"},

	{what: "each SYN/ACK of b is lost", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		f := joining(s)
		times(func(at time.Duration) *tracegen.Sent { return f.SYNACK(f.SYN(at).ArrivesAt()).Lose() })
	}, state: report.SubflowUnanswered, a: "join_unanswered.1", b: "handshake_incomplete.1"},
	{what: "MP_JOIN is removed from the SYN/ACK, and a resets", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		f := joining(s)
		f.RST(tracegen.A2B, f.SYNACK(f.SYN(100*ms).ArrivesAt()).ArrivesAt(), reason(mptcp.ResetMPTCP))
	}, box: func(p *tracegen.Packet) {
		if p.Flags == tracegen.SYN|tracegen.ACK && p.Dst == path(1, 0).A {
			erase(p)
		}
	}, a: "join_not_granted.1", b: "join_aborted.1"},
	{what: "the HMAC of the SYN/ACK is wrong, and a resets", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		f := joining(s)
		answer := f.SYNACK(f.SYN(100 * ms).ArrivesAt()).Edit(spoilHMAC)
		f.RST(tracegen.A2B, answer.ArrivesAt(), reason(mptcp.ResetMPTCP))
	}, a: "join_aborted.1", b: "join_aborted.1"},

	{what: "each third packet of a is lost", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		f := joining(s)
		answer := f.SYNACK(f.SYN(100 * ms).ArrivesAt())
		third := f.ThirdACK(answer.ArrivesAt()).Lose()
		for _, at := range []time.Duration{1100 * ms, 3100 * ms} {
			third.Again(answer.Again(at).ArrivesAt()).Lose()
		}
	}, state: report.SubflowPreEstablished, a: "handshake_incomplete third.1", b: "handshake_incomplete.1"},
	{what: "MP_JOIN is removed from the third packet, and b resets", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		f := joining(s)
		third := f.ThirdACK(f.SYNACK(f.SYN(100 * ms).ArrivesAt()).ArrivesAt())
		f.RST(tracegen.B2A, third.ArrivesAt())
	}, box: func(p *tracegen.Packet) {
		if p.Flags == tracegen.ACK && p.Src == path(1, 0).A {
			erase(p)
		}
	}, a: "join_aborted.1", b: "join_stripped third.1"},
	{what: "the HMAC of the third packet is wrong, and b resets", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		f := joining(s)
		third := f.ThirdACK(f.SYNACK(f.SYN(100 * ms).ArrivesAt()).ArrivesAt()).Edit(spoilHMAC)
		f.RST(tracegen.B2A, third.ArrivesAt(), reason(mptcp.ResetProhibited))
	}, a: "join_aborted.1", b: "join_aborted.1"},
	{what: "each fourth packet, by which b confirms, is lost", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		f := joining(s)
		third := f.ThirdACK(f.SYNACK(f.SYN(100 * ms).ArrivesAt()).ArrivesAt())
		for _, at := range []time.Duration{500 * ms, 1500 * ms, 3500 * ms} {
			f.Ack(tracegen.B2A, third.Again(at).ArrivesAt()).Lose()
		}
	}, state: report.SubflowPreEstablished, a: "handshake_incomplete third.1", b: "handshake_incomplete fourth.1"},
	{what: "b resets the subflow once it is up: its limit is reached (MP_TCPRST reason 2)", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		f := joining(s)
		h := f.Open(100 * ms)
		f.RST(tracegen.B2A, h.Established(), reason(mptcp.ResetResources))
	}, a: "join_aborted.1", b: "join_aborted.1"},

	{what: "large segments never arrive (path MTU)", play: func(s *tracegen.Session, first *tracegen.Subflow) {
		f := joined(s)
		m := f.Map(tracegen.A2B, 200000, 3300)
		m.Send(500*ms, 0, 1400).Lose()
		m.Send(501*ms, 1400, 500)
		m.Send(502*ms, 1900, 1400).Lose()
		for _, at := range []time.Duration{700 * ms, 1200 * ms, 1700 * ms} {
			m.Send(at, 0, 1400).Lose()
		}
		f.Ack(tracegen.B2A, 2000*ms)
		again(first, 2200*ms, 200000, 3300)
	}, sent: 3300, a: "mtu_black_hole.1", b: ""},
	{what: "nothing arrives any more, data waits (dead path)", play: func(s *tracegen.Session, first *tracegen.Subflow) {
		f := joined(s)
		f.Data(tracegen.A2B, 300*ms, 200000, 1000)
		m := f.Map(tracegen.A2B, 201000, 1000)
		for _, at := range []time.Duration{400, 700, 1300, 2500, 4900} {
			m.Send(at*ms, 0, 1000).Lose()
		}
		again(first, 2200*ms, 201000, 1000)
	}, sent: 2000, a: "path_died.1", b: ""},
	{what: "a translator forgets the idle subflow: keep-alives of a get no answer", play: func(s *tracegen.Session, _ *tracegen.Subflow) {
		f := joined(s)
		f.Data(tracegen.A2B, 300*ms, 200000, 1000)
		for i := range time.Duration(9) {
			f.Ack(tracegen.A2B, 2000*ms+i*200*ms).Edit(func(p *tracegen.Packet) { p.Seq-- }).Lose()
		}
		f.RST(tracegen.A2B, 4000*ms).Lose()
	}, sent: 1000, a: "path_gone.1", b: ""},
	{what: "a middlebox changes a byte of the payload, and b resets", checksum: true, play: func(s *tracegen.Session, first *tracegen.Subflow) {
		f := joined(s)
		spoilt := f.Data(tracegen.A2B, 300*ms, 200000, 1000).Spoil()
		f.RST(tracegen.B2A, spoilt.ArrivesAt(), reason(mptcp.ResetMiddlebox))
		again(first, 2200*ms, 200000, 1000)
	}, sent: 1000, a: "path_died.1", b: "checksum_failed.1"},
	{what: "a removes its address (REMOVE_ADDR)", play: func(s *tracegen.Session, first *tracegen.Subflow) {
		f := joined(s)
		f.Data(tracegen.A2B, 300*ms, 200000, 1000)
		first.Signal(tracegen.A2B, 605*ms, &mptcp.RemoveAddr{List: [37]uint8{1}, N: 1})
		f.RST(tracegen.A2B, 606*ms)
	}, sent: 1000, a: "path_removed.1", b: "path_removed.1"},
}

// eraseSYN removes MP_JOIN from the SYN of subflow 1.
func eraseSYN(p *tracegen.Packet) {
	if p.Flags&tracegen.SYN != 0 && p.Src == path(1, 0).A {
		erase(p)
	}
}

// spoilHMAC changes the HMAC of an MP_JOIN.
func spoilHMAC(p *tracegen.Packet) { eachOption(p, func(opt []byte) { opt[4] ^= 1 }) }

// seen returns the report on what a view saw.
func (x *failure) seen(t *testing.T, v tracegen.View) *report.Document {
	t.Helper()
	cfg := tracegen.Config{Version: 1, AckEvery: 1, HeaderOnly: 1, Checksum: x.checksum}
	if x.checksum {
		cfg.HeaderOnly = 0
	}
	s := tracegen.NewSession(cfg)
	first := s.Subflow(path(0, 10*ms))
	first.SYN(0)
	first.SYNACK(10 * ms).Edit(func(p *tracegen.Packet) {
		eachOption(p, func(opt []byte) { opt[3] |= byte(x.flags) })
	})
	first.ThirdACK(20 * ms)
	steady(first, 50*ms, 0, 200)
	if x.play != nil {
		x.play(s, first)
	}
	first.Data(tracegen.A2B, 9000*ms, 200000+x.sent, 1000)
	n := tracegen.NewNetwork(time.Time{})
	for _, p := range s.Packets(v) {
		if x.box != nil && (p.Dst.Addr() == path(0, 0).B.Addr()) == (v == tracegen.HostB) {
			x.box(&p)
		}
		n.Show(v, p)
	}
	var file bytes.Buffer
	assert.NilError(t, n.Write(&file, v, tracegen.Format{Nanosecond: true, Link: tracegen.LinkRaw}))
	if x.icmp != nil && v == tracegen.HostA {
		appendICMP(&file, n.Packets(v), path(1, 0), x.icmp)
	}
	return read(t, &file)
}

// appendICMP appends to a capture, after its last packet, an ICMP error about the SYN of a path. The message has 8 bytes; it quotes
// the IPv4 header and the first 8 bytes of the SYN: its ports, and the ISN.
func appendICMP(file *bytes.Buffer, before []tracegen.Packet, p tracegen.Path, kind []byte) {
	header := func(protocol byte, src, dst netip.Addr, rest []byte) []byte {
		b := []byte{0x45, 0, 0, byte(20 + len(rest)), 0, 0, 0, 0, 64, protocol, 0, 0}
		return slices.Concat(b, src.AsSlice(), dst.AsSlice(), rest)
	}
	syn := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, p.A.Port()), p.B.Port()), uint32(p.ISN[0]))
	message := header(1, netip.MustParseAddr("203.0.113.7"), p.A.Addr(), slices.Concat(kind, make([]byte, 6), header(6, p.A.Addr(), p.B.Addr(), syn)))
	last := before[len(before)-1].Time + 1e6
	for _, v := range []uint32{uint32(last / 1e9), uint32(last % 1e9), uint32(len(message)), uint32(len(message))} {
		file.Write(binary.LittleEndian.AppendUint32(nil, v))
	}
	file.Write(message)
}

// named returns the code, the form and the subflow of a verdict.
func named(v *report.Verdict) string {
	name := strings.TrimSpace(string(v.Code) + " " + v.Form)
	if v.Subflow != nil {
		name = fmt.Sprintf("%s.%d", name, *v.Subflow)
	}
	return name
}

// said returns what the page says of the first verdict on what happened, which must have that name, and what is to be done. Settings
// of a kernel are left out.
func (x *failure) said(t *testing.T, v tracegen.View, want string) (cell, remedy string) {
	t.Helper()
	d := x.seen(t, v)
	if x.state != "" && v == tracegen.HostA {
		assert.Check(t, is.Equal(d.Connections[0].Subflows[1].State, x.state), x.what)
	}
	all := slices.DeleteFunc(verdictsOf(d, ""), func(w report.Verdict) bool { return slices.Contains(measured, w.Code) })
	if want == "" {
		assert.Check(t, !slices.ContainsFunc(all, func(w report.Verdict) bool { return w.Severity == report.Critical }), "%s: view %d: %+v", x.what, v, all)
		return "nothing about it", ""
	}
	if !assert.Check(t, len(all) > 0 && named(&all[0]) == want, "%s: view %d: want %s first of %+v", x.what, v, want, all) {
		return "", ""
	}
	short := strings.NewReplacer(" (192.0.2.2-198.51.100.1)", "", " (192.0.2.1-203.0.113.9)", "", " (192.0.2.2-203.0.113.9)", "")
	remedy, _, _ = strings.Cut(all[0].Remedy, " Linux 5.15 and later:")
	return short.Replace(fmt.Sprintf("%s (`%s`)", all[0].Headline, all[0].Code)), short.Replace(remedy)
}

// The table of the page, with the codes alone, lies between these lines. The other file has what is said, too, and what is to be done.
const failuresPage, failuresBegin, failuresEnd = "../../docs/why.md", "\n| at a | at b | what happens |\n| --- | --- | --- |\n", "\n<!-- end failures -->\n"

// TestFailingSubflows: for each way in which a subflow fails, the first verdict of a capture at each end, and what is to be done. The table
// of the page has the codes, a row for each pair of them; go test -update writes it, and the file in testdata.
func TestFailingSubflows(t *testing.T) {
	var table, codes strings.Builder
	whats := map[string][]string{}
	table.WriteString("| what happens | a capture at a says | a capture at b says | what to do |\n| --- | --- | --- | --- |\n")
	code := regexp.MustCompile("^.*\\((`[a-z_]+`)\\)$")
	for i := range failures {
		x := &failures[i]
		atA, toDo := x.said(t, tracegen.HostA, x.a)
		atB, other := x.said(t, tracegen.HostB, x.b)
		switch {
		case x.a == "" || strings.HasPrefix(x.a, "single_path") && x.b != x.a:
			toDo = other
		case other != "" && other != toDo && !strings.HasPrefix(x.b, "single_path"):
			toDo = "By the capture at a: " + toDo + " By that at b: " + other
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", x.what, atA, atB, toDo)
		pair := code.ReplaceAllString(atA, "$1") + " | " + code.ReplaceAllString(atB, "$1")
		whats[pair] = append(whats[pair], x.what)
	}
	for _, pair := range slices.Sorted(maps.Keys(whats)) {
		fmt.Fprintf(&codes, "| %s | %s |\n", pair, strings.Join(whats[pair], "; "))
	}
	golden.Assert(t, table.String(), "failures.md")
	page, err := os.ReadFile(failuresPage)
	assert.NilError(t, err)
	before, rest, found := strings.Cut(string(page), failuresBegin)
	old, after, ended := strings.Cut(rest, failuresEnd)
	assert.Assert(t, found && ended, "%s has no %q and %q", failuresPage, failuresBegin, failuresEnd)
	if golden.FlagUpdate() && old != codes.String() {
		assert.NilError(t, os.WriteFile(failuresPage, []byte(before+failuresBegin+codes.String()+failuresEnd+after), 0o644))
	}
	assert.Check(t, golden.FlagUpdate() || is.Equal(old, codes.String())().Success(), "the table in %s differs: run go test ./internal/diagnose -run TestFailingSubflows -update", failuresPage)
}

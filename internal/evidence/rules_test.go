package evidence

import (
	"maps"
	"math"
	"net/netip"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// record is a record of a file and a line with these values.
func record(path string, line int, values map[string]int64) *hosts.Record {
	r := &hosts.Record{Ref: hosts.Ref{File: &hosts.File{Path: path}, Line: line}, Values: map[string]hosts.Value{}, Zeros: true}
	for name, n := range values {
		r.Values[name] = hosts.Value{N: n, Line: line}
	}
	return r
}

// counted are counters of a host that grew by these values, from 10 each.
func counted(grown map[string]int64) hosts.State {
	before, after := map[string]int64{}, map[string]int64{}
	for name, n := range grown {
		before[name], after[name] = 10, 10+n
	}
	return hosts.State{Before: record("nstat", 1, before), After: record("nstat", 2, after)}
}

// states are the states of a host.
func states(counters hosts.State) map[hosts.Thing]hosts.State {
	return map[hosts.Thing]hosts.State{{Kind: hosts.Nstat}: counters}
}

// with returns the counters of a host with IPv4 that drops nothing, and these ones.
func with(grown map[string]int64) hosts.State {
	all := map[string]int64{
		"IpInReceives": 163, "IpInDelivers": 100, "IpInHdrErrors": 1, "IpInAddrErrors": 2, "IpForwDatagrams": 4, "IpInUnknownProtos": 8, "IpInDiscards": 48,
		"IpOutRequests": 103, "IpOutTransmits": 100, "IpOutNoRoutes": 1, "IpOutDiscards": 2,
	}
	maps.Copy(all, grown)
	return counted(all)
}

// Packets that no counter accounts for were dropped by a rule. Where fragments or other packets may
// explain it, and where a counter is missing, nothing is known.
func TestDropped(t *testing.T) {
	for _, c := range []struct {
		name         string
		counters     hosts.State
		in, out      int64
		knowIn, know bool
	}{
		{"none", with(nil), 0, 0, true, true},
		{"five in", with(map[string]int64{"IpInReceives": 168}), 5, 0, true, true},
		{"five out", with(map[string]int64{"IpOutRequests": 108}), 0, 5, true, true},
		{"fewer than there are", with(map[string]int64{"IpInReceives": 100, "IpOutRequests": 100}), 0, 0, true, true},
		{"fragments", with(map[string]int64{"IpReasmReqds": 1}), 0, 0, false, true},
		{"from another device", with(map[string]int64{"TcpExtIPReversePathFilter": 1}), 0, 0, false, true},
		{"no route", with(map[string]int64{"IpExtInNoRoutes": 1}), 0, 0, false, true},
		{"cut", with(map[string]int64{"IpExtInTruncatedPkts": 1}), 0, 0, false, true},
		{"to groups", with(map[string]int64{"IpExtInMcastPkts": 1}), 0, 0, false, true},
		{"no counters", hosts.State{}, 0, 0, false, false},
		{"no counter of what was delivered", counted(map[string]int64{"IpInReceives": 5, "IpOutRequests": 5}), 0, 0, false, false},
	} {
		h := &host{Host: &hosts.Host{States: states(c.counters)}}
		q := &question{causeFinder: &causeFinder{hosts: [2]*host{h}}}
		in, knowIn := q.fact("lost in IP")
		out, know := q.fact("lost out IP")
		assert.Check(t, (!knowIn || int64(in.value) == c.in) && (!know || int64(out.value) == c.out) && knowIn == c.knowIn && know == c.know, "%s: %+v in (%t), %+v out (%t)", c.name, in, knowIn, out, know)
	}
}

// The largest of the counters of full memory says how many segments were thrown away.
func TestMemoryDrops(t *testing.T) {
	all := []string{"TcpExtTCPRcvQDrop", "TcpExtTCPOFODrop", "TcpExtRcvPruned", "MPTcpExtRcvPruned"}
	for i, most := range all {
		grown := map[string]int64{}
		for k, name := range all {
			grown[name] = int64(k + 1)
		}
		grown[most] = 7
		h := &host{Host: &hosts.Host{States: states(counted(grown))}}
		q := &question{causeFinder: &causeFinder{hosts: [2]*host{h}}}
		f, ok := q.fact("memory drops")
		assert.Check(t, f.value == 7 && f.field == most && ok && f.at.at.Line == 2, "%d: %+v, known %t", i, f, ok)
	}
}

// The things that records of p1 tell of.
var (
	link  = hosts.Thing{Kind: hosts.Link, Name: "p1"}
	queue = hosts.Thing{Kind: hosts.Qdisc, Name: "p1"}
)

// more raises a value after by n.
func more(r *hosts.Record, name string, n int64) {
	r.Values[name] = hosts.Value{N: r.Values[name].N + n, Line: r.Line}
}

// beside is a connection from a, without records, to b, which has the device p1 and these counters. Subflow 0 lost ten
// segments in each direction.
func beside(grown map[string]int64) (*causeFinder, map[hosts.Thing]hosts.State) {
	s := finderOf(numbers{}, 0, 0, [2]float64{}, "")
	s.hosts[1].Records = map[hosts.Kind][]*hosts.Record{hosts.Addr: {device("p1", "10.2.100.2"), device("p2")}}
	of := states(with(grown))
	for thing, values := range map[hosts.Thing]map[string]int64{link: {hosts.SentDropped: 3, hosts.ReceivedDropped: 5, hosts.ReceivedPackets: 20}, queue: {hosts.Dropped: 3, hosts.QueueOverlimits: 5}} {
		of[thing] = hosts.State{Before: record("before", 4, values), After: record("after", 4, values)}
		of[thing].Before.Flags, of[thing].After.Flags = []string{"UP"}, []string{"UP"}
	}
	s.hosts[1].States = of
	for _, d := range report.Directions {
		*report.Either(d, &s.conn.Subflows[0].A2B, &s.conn.Subflows[0].B2A) = &report.SubDir{Drops: &report.Drops{Count: 10}}
	}
	s.conn.Subflows[0].Initiator, s.conn.Subflows[0].ClosedBy = new(report.SideA), new(report.SideB)
	return s, of
}

// Why a path of b loses or delays, dies, or was refused: each rule with the numbers that it needs, and
// with one less. The value is that of the first line that proves it.
func TestPathCauses(t *testing.T) {
	loses := func(d report.Direction) report.Verdict {
		return report.Verdict{Code: report.VerdictHeavyLoss, Direction: &d, Subflow: new(0)}
	}
	delays := report.Verdict{Code: report.VerdictHoLBlocked, Direction: new(report.B2A), Subflow: new(0)}
	died := report.Verdict{Code: report.VerdictPathDied, Subflow: new(0)}
	again := report.Verdict{Code: report.VerdictPathDied, Subflow: new(0), Evidence: report.List[report.Proof]{{TS: new(1.0), Subflow: new(0)}, {TS: new(3.0), Subflow: new(0)}}}
	silent := report.Verdict{Code: report.VerdictPathDied, Subflow: new(0), Evidence: report.List[report.Proof]{{TS: new(1.0), Subflow: new(0)}}}
	gone := func(at float64) func(s *causeFinder, of map[hosts.Thing]hosts.State) {
		return func(s *causeFinder, of map[hosts.Thing]hosts.State) {
			was := record("endpoints", 1, nil)
			was.List = []*hosts.Record{record("endpoints", 1, nil)}
			was.List[0].Name = "10.2.100.2"
			of[endpoints] = hosts.State{Before: was, After: record("endpoints", 1, nil)}
			s.conn.Subflows[0].AddressIDB = new(2)
			withdrawn := report.Event{Kind: report.EventRemoveAddr, Direction: new(report.B2A), TS: at}
			withdrawn.AddressID = new(2)
			s.conn.Events = report.List[report.Event]{withdrawn}
		}
	}
	removed := report.Verdict{Code: report.VerdictPathRemoved, Subflow: new(0), Evidence: report.List[report.Proof]{{TS: new(1.0)}, {TS: new(1.5), Subflow: new(0)}}}
	refused := report.Verdict{Code: report.VerdictJoinRefused, Subflow: new(0)}
	killed := func(local, remote string, code int64) func(s *causeFinder, _ map[hosts.Thing]hosts.State) {
		return func(s *causeFinder, _ map[hosts.Thing]hosts.State) {
			e := record("monitor", 1, map[string]int64{hosts.Error: code})
			e.Name, e.Local, e.Remote = "SF_CLOSED", netip.MustParseAddrPort(local), netip.MustParseAddrPort(remote)
			s.hosts[1].Records[hosts.Monitor] = []*hosts.Record{e}
		}
	}
	none := func(*causeFinder, map[hosts.Thing]hosts.State) {}
	ruled := func(text string) func(s *causeFinder, _ map[hosts.Thing]hosts.State) {
		return func(s *causeFinder, _ map[hosts.Thing]hosts.State) {
			r := record("nft", 1, map[string]int64{hosts.RulePackets: 4})
			r.Text, r.Flags = text, []string{"drop"}
			s.hosts[1].Records[hosts.Firewall] = []*hosts.Record{r}
		}
	}
	for _, c := range []struct {
		name  string
		grown map[string]int64
		set   func(s *causeFinder, of map[hosts.Thing]hosts.State)
		of    report.Verdict
		want  report.CauseCode
		value float64
	}{
		{"nothing", nil, none, loses(report.B2A), "", 0},
		{"the queue drops 4", nil, func(_ *causeFinder, of map[hosts.Thing]hosts.State) { more(of[queue].After, hosts.Dropped, 4) }, loses(report.B2A), report.CauseQueue, 4},
		{"of what b receives", nil, func(_ *causeFinder, of map[hosts.Thing]hosts.State) { more(of[queue].After, hosts.Dropped, 4) }, loses(report.A2B), "", 0},
		{"the queue holds 7 back", nil, func(_ *causeFinder, of map[hosts.Thing]hosts.State) { more(of[queue].After, hosts.QueueOverlimits, 7) }, delays, report.CauseQueue, 7},
		{"that loses nothing", nil, func(_ *causeFinder, of map[hosts.Thing]hosts.State) { more(of[queue].After, hosts.QueueOverlimits, 7) }, loses(report.B2A), "", 0},
		{"the queue dropped before", nil, none, delays, "", 0},
		{"the device drops 4", nil, func(_ *causeFinder, of map[hosts.Thing]hosts.State) { more(of[link].After, hosts.SentDropped, 4) }, loses(report.B2A), report.CauseInterface, 4},
		{"no state before", nil, func(_ *causeFinder, of map[hosts.Thing]hosts.State) { of[link] = hosts.State{After: of[link].After} }, loses(report.B2A), "", 0},
		{"nothing was lost", nil, func(s *causeFinder, of map[hosts.Thing]hosts.State) {
			more(of[link].After, hosts.SentDropped, 4)
			s.conn.Subflows[0].B2A.Drops.Count = 0
		}, loses(report.B2A), "", 0},
		{"full memory of the receiver", map[string]int64{"TcpExtTCPOFODrop": 3}, none, loses(report.A2B), report.CauseMemory, 3},
		{"full memory of the sender", map[string]int64{"TcpExtTCPOFODrop": 3}, none, loses(report.B2A), "", 0},
		{"two packets come to no socket", map[string]int64{"IpInReceives": 165}, none, loses(report.A2B), report.CauseFirewall, 2},
		{"one packet", map[string]int64{"IpInReceives": 164}, none, loses(report.A2B), "", 0},
		{"two packets come to no device", map[string]int64{"IpOutRequests": 105}, none, died, report.CauseFirewall, 2},
		{"one packet to no device", map[string]int64{"IpOutRequests": 104}, none, died, "", 0},
		{"the device goes down", nil, func(_ *causeFinder, of map[hosts.Thing]hosts.State) { of[link].After.Flags = nil }, died, report.CauseInterfaceDown, 0},
		{"it went down after the path came back", nil, func(_ *causeFinder, of map[hosts.Thing]hosts.State) { of[link].After.Flags = nil }, again, "", 0},
		{"it went down, and its address was withdrawn", nil, func(_ *causeFinder, of map[hosts.Thing]hosts.State) { of[link].After.Flags = nil }, removed, report.CauseInterfaceDown, 0},
		{"the endpoint was removed", nil, gone(1.2), removed, report.CauseEndpointDeleted, 0},
		{"the endpoint was removed within a second of the last packet", nil, gone(2), silent, report.CauseEndpointDeleted, 0},
		{"the endpoint was removed later", nil, gone(2.1), silent, "", 0},
		{"it was down before", nil, func(_ *causeFinder, of map[hosts.Thing]hosts.State) {
			of[link].Before.Flags, of[link].After.Flags = nil, nil
		}, died, "", 0},
		{"the socket was killed", nil, killed("10.2.100.2:5001", "10.2.1.1:40000", 103), died, report.CauseKilled, 103},
		{"it was killed, and segments were lost before", nil, killed("10.2.100.2:5001", "10.2.1.1:40000", 103), loses(report.B2A), "", 0},
		{"the device went down, and segments were lost before", nil, func(_ *causeFinder, of map[hosts.Thing]hosts.State) { of[link].After.Flags = nil }, loses(report.B2A), "", 0},
		{"a path that was slow before the device went down", nil, func(_ *causeFinder, of map[hosts.Thing]hosts.State) { of[link].After.Flags = nil }, delays, "", 0},
		{"a rule on the device", nil, ruled(`iifname "p1" drop`), loses(report.A2B), report.CauseFirewall, 4},
		{"a rule on the address", nil, ruled(`ip saddr 10.2.1.0/24 drop`), died, report.CauseFirewall, 4},
		{"a rule on another device", nil, ruled(`iifname "p2" ip daddr 10.2.100.2 drop`), loses(report.A2B), "", 0},
		{"a rule on another address", nil, ruled(`ip saddr 10.2.2.1 ip daddr 10.2.100.2 drop`), died, "", 0},
		{"a rule on another device, and packets that come to no socket", map[string]int64{"IpInReceives": 168}, ruled(`iifname "p2" drop`), loses(report.A2B), "", 0},
		{"another error", nil, killed("10.2.100.2:5001", "10.2.1.1:40000", 104), died, "", 0},
		{"another port", nil, killed("10.2.100.2:5002", "10.2.1.1:40000", 103), died, "", 0},
		{"another port of the peer", nil, killed("10.2.100.2:5001", "10.2.1.1:40001", 103), died, "", 0},
		{"another address", nil, killed("10.2.100.3:5001", "10.2.1.1:40000", 103), died, "", 0},
		{"another peer", nil, killed("10.2.100.2:5001", "10.2.1.2:40000", 103), died, "", 0},
		{"the token is not known", map[string]int64{"MPTcpExtMPJoinNoTokenFound": 2, "MPTcpExtMPJoinSynRx": 3, "MPTcpExtMPJoinRejected": 4}, none, refused, report.CauseTokenUnknown, 2},
		{"joins are rejected", map[string]int64{"MPTcpExtMPJoinNoTokenFound": 0, "MPTcpExtMPJoinSynRx": 3, "MPTcpExtMPJoinRejected": 4}, none, refused, report.CauseSubflowLimit, 4},
		{"none is rejected", map[string]int64{"MPTcpExtMPJoinSynRx": 3, "MPTcpExtMPJoinRejected": 0}, none, refused, "", 0},
		{"its limit is 0", map[string]int64{"MPTcpExtMPJoinSynRx": 3}, func(s *causeFinder, _ map[hosts.Thing]hosts.State) {
			s.hosts[1].States[hosts.Thing{Kind: hosts.Limits}] = hosts.State{After: record("limits", 1, map[string]int64{"subflows": 0})}
		}, refused, report.CauseSubflowLimit, 0},
		{"no socket listens", map[string]int64{"MPTcpExtMPJoinSynRx": 0, "TcpOutRsts": 5}, none, refused, report.CauseNoListener, 5},
		{"no RST left", map[string]int64{"MPTcpExtMPJoinSynRx": 0, "TcpOutRsts": 0}, none, refused, "", 0},
	} {
		s, of := beside(c.grown)
		c.set(s, of)
		f := s.ask(&c.of).find()
		if f == nil && c.want == "" {
			continue
		}
		if f == nil || f.Code != c.want || f.host != 1 || *f.lines[0].Value != c.value {
			t.Errorf("%s: %+v, want %q and %v", c.name, f, c.want, c.value)
		}
	}
}

// Why a opened no further subflow.
func TestSingleCauses(t *testing.T) {
	announced := report.Event{Kind: report.EventAddAddr, Direction: new(report.B2A)}
	denied := func(peer string) *hosts.Record {
		return &hosts.Record{Flags: []string{hosts.DenyJoin}, Local: netip.MustParseAddrPort("10.2.1.1:40000"), Remote: netip.MustParseAddrPort(peer)}
	}
	for _, c := range []struct {
		name    string
		allowed float64
		accepts float64
		flag    string
		grown   map[string]int64
		set     func(s *causeFinder)
		want    report.CauseCode
	}{
		{"no further one is allowed", 0, 0, "subflow", nil, func(*causeFinder) {}, report.CauseSubflowLimit},
		{"no flag", 2, 0, "signal", nil, func(*causeFinder) {}, report.CauseEndpointFlag},
		{"no endpoint", 2, 0, "", nil, func(s *causeFinder) { s.hosts[0].State(hosts.Endpoints, "").After.List = nil }, report.CauseNoEndpoint},
		{"the peer forbids it, by the packets", 2, 0, "signal", nil, func(s *causeFinder) {
			*s.verdicts = append(*s.verdicts, report.Verdict{Code: report.VerdictJoinForbidden, Parameters: []report.Parameter{{Name: "by", Text: "b"}}})
		}, ""},
		{"the host itself forbids it", 2, 0, "signal", nil, func(s *causeFinder) {
			*s.verdicts = append(*s.verdicts, report.Verdict{Code: report.VerdictJoinForbidden, Parameters: []report.Parameter{{Name: "by", Text: "a"}}})
		}, report.CauseEndpointFlag},
		{"the peer forbids it, by an event", 2, 0, "signal", nil, func(s *causeFinder) {
			s.hosts[0].Records = map[hosts.Kind][]*hosts.Record{hosts.Monitor: {denied("10.2.100.2:5001")}}
		}, ""},
		{"another peer forbids it", 2, 0, "signal", nil, func(s *causeFinder) {
			s.hosts[0].Records = map[hosts.Kind][]*hosts.Record{hosts.Monitor: {denied("10.2.100.3:5001")}}
		}, report.CauseEndpointFlag},
		{"no route", 2, 0, "subflow", map[string]int64{"MPTcpExtMPJoinSynTxConnectErr": 1}, func(*causeFinder) {}, report.CauseNoRoute},
		{"nothing is known", 2, 0, "subflow", map[string]int64{"MPTcpExtMPJoinSynTxConnectErr": 0}, func(*causeFinder) {}, ""},
		{"no announced address is joined", 2, 0, "signal", nil, func(s *causeFinder) { s.conn.Events = append(s.conn.Events, announced) }, report.CauseAddAddrLimit},
		{"they are joined", 2, 1, "signal", nil, func(s *causeFinder) { s.conn.Events = append(s.conn.Events, announced) }, ""},
		{"the limit at the end allows it", 2, 0, "signal", nil, func(s *causeFinder) {
			s.conn.Events = append(s.conn.Events, announced)
			s.hosts[0].States[hosts.Thing{Kind: hosts.Limits}] = hosts.State{After: record("limits", 1, map[string]int64{"add_addr_accepted": 1})}
		}, ""},
	} {
		s := joiner(c.allowed, c.flag)
		s.of.mptcp[0].figures.set("add_addr_accepted_max", c.accepts)
		s.hosts[0].States[hosts.Thing{Kind: hosts.Nstat}] = counted(c.grown)
		s.conns = 1
		c.set(s)
		if f := s.ask(&report.Verdict{Code: report.VerdictSinglePath}).find(); f == nil && c.want != "" || f != nil && (f.Code != c.want || f.host != 0) {
			t.Errorf("%s: %+v, want %q", c.name, f, c.want)
		}
	}
}

// A queue of the host makes the round trips of its kernel longer than those of the packets: by more than
// 5 ms and a tenth.
func TestQueueByRoundTrips(t *testing.T) {
	for _, c := range []struct {
		kernel, packets float32
		rows            int64
		want            bool
	}{{25.5, 20, leastRows, true}, {24.5, 20, leastRows, false}, {112, 100, leastRows, true}, {110, 100, leastRows, false}, {25.5, 20, leastRows - 1, false}} {
		s := finderOf(numbers{"sent": c.rows}, 0, 0, [2]float64{}, "")
		for _, list := range s.joined {
			a := list[0].sides[1]
			a.here, a.socket.kept, a.spans = true, []kept{{srtt: c.kernel}}, []span{{srtt: c.packets}}
			a.socket.figures.set("srtt_ms", float64(c.kernel))
			a.socket.figures["sent"].cited.at.File = &hosts.File{}
		}
		if f := s.ask(&report.Verdict{Code: report.VerdictHoLBlocked, Direction: new(report.B2A), Subflow: new(0)}).find(); (f != nil) != c.want {
			t.Errorf("%+v: %+v", c, f)
		}
	}
}

// The packets had the values of a row, or others, at its time. Round trips agree within 0.1 ms and 2 %,
// and a congestion window holds what is in flight, but for less than a segment.
func TestAgreement(t *testing.T) {
	a := &aligned{socket: &socket{}}
	for _, r := range []struct {
		equal        uint8
		kernel, seen float32
		flight       float32
	}{{1 << sentBytes, 100, 102, 10 * 1000}, {1 << ackedBytes, 1, 1.09, 10*1000 + 999}, {0, 100, 102.1, 11 * 1000}, {1 << sentSegments, 1, 1.11, 0}} {
		a.socket.kept = append(a.socket.kept, kept{v: [numCounters]int64{5000, 5, 4000, -1}, srtt: r.kernel, cwnd: 10, mss: 1000})
		a.spans = append(a.spans, span{equal: r.equal, srtt: r.seen, flight: r.flight, packets: [numCounters]int64{4900, 4, 3000, 0}})
	}
	got := a.agreement()
	type count [2]int64
	for name, x := range map[string][2]count{
		"sent":     {{got.BytesSent.Agree, got.BytesSent.Rows}, {1, 4}},
		"acked":    {{got.BytesAcked.Agree, got.BytesAcked.Rows}, {1, 4}},
		"segments": {{got.DataSegmentsSent.Agree, got.DataSegmentsSent.Rows}, {1, 4}},
		"srtt":     {{got.SRTT.Agree, got.SRTT.Rows}, {2, 4}},
		"cwnd":     {{got.Cwnd.Agree, got.Cwnd.Rows}, {3, 4}},
	} {
		if x[0] != x[1] {
			t.Errorf("%s: %v, want %v", name, x[0], x[1])
		}
	}
}

// What a row counts as: at the window if one segment more would fill it, paced from 70 % of the pacing
// rate on, a buffer with a tenth unread as nearly empty, and with half of it unread as full.
func TestTallies(t *testing.T) {
	for _, c := range []struct {
		row                            string
		written, atWindow, paced, room int64
	}{
		{"unacked:9", 0, 1, 0, 0},
		{"unacked:8", 0, 0, 0, 1},
		{"notsent:1", 1, 0, 0, 0},
		{"pacing_rate 1000bps delivery_rate 700bps", 0, 0, 1, 1},
		{"pacing_rate 1000bps delivery_rate 699bps", 0, 0, 0, 1},
	} {
		x := figures{}
		x.add(rowOf(t, 0, "cwnd:10 rto:200 bytes_sent:100 "+c.row), &hosts.Values{})
		assert.Check(t, x.of("sent").n == 1 && x.of("waiting").n == c.written && x.of("at window").n == c.atWindow && x.of("paced").n == c.paced && x.of("room").n == c.room, "%s: %+v", c.row, x)
	}
	for queue, want := range map[int64][2]int64{100: {1, 0}, 101: {0, 0}, 499: {0, 0}, 500: {0, 1}} {
		b, b2 := figures{}, figures{}
		ended := rowOf(t, queue, "skmem:(r0,rb1000,t0,tb400,f0,w100,o0,bl0,d0)")
		r := rowOf(t, queue, "skmem:(r0,rb1000,t0,tb400,f0,w100,o0,bl0,d0)")
		r.MPTCP, ended.MPTCP = true, true
		b.add(r, &hosts.Values{})
		for range leastRows { // when all data has come in order
			ended.State = "CLOSE-WAIT"
			b2.add(ended, &hosts.Values{})
		}
		s := finderOf(numbers{}, 0, 0, [2]float64{}, "")
		s.of.mptcp[1].figures, s.conn.A2B.HoLQueueBytes.Avg = b2, 1e6 // data was out of order before
		f := s.limiting(report.VerdictWindowClosed, report.A2B)
		assert.Check(t, (f != nil && f.Code == report.CauseApplication) == (queue >= 500), "%d unread at the end: %+v", queue, f)
		assert.Check(t, b.of("little").n == want[0] && b.of("full").n == want[1] && b.value("send.q0.5") == 0.25 && b.value("receive.q0.5") == float64(queue)/1000, "%d of 1000 unread: %+v", queue, b)
	}
}

// Of a socket with many rows every second one is kept, then every fourth, so that their number is bounded.
func TestKept(t *testing.T) {
	r := rowOf(t, 0, "cwnd:10 rto:200 bytes_sent:100")
	h := newHost(&hosts.Host{})
	s := newSocket(h, r)
	for i := range 3 * maxKept {
		r.Stamp = int64(i)
		s.add(r)
	}
	assert.Assert(t, s.rows == 3*maxKept && s.stride == 4 && len(s.kept) == 3*maxKept/4, "%d rows, %d kept, one of %d", s.rows, len(s.kept), s.stride)
	for i := range s.kept {
		if s.kept[i].stamp != int64(4*i) {
			t.Fatalf("row %d is kept as number %d", s.kept[i].stamp, i)
		}
	}
}

// Operators to the left bind first; what is not known, or does not hold, is not known.
func TestExpression(t *testing.T) {
	for text, want := range map[string]float64{"9 - 3 - 2": 4, "1 + 6 / 3": 3, "0 max 2 - 5": 0, "four = 4 or 7": 1, "four > 4 or 7": 7, "four >= 5": -1, "two words + 1": -1, "four <= 2 * 2": 1, "four < 4": -1, "3 < four": 1} {
		got := evaluate(text, func(name string) float64 { return map[string]float64{"four": 4, "two words": math.NaN()}[name] })
		assert.Check(t, got == want || math.IsNaN(got) && want == -1, "%s: %v", text, got)
	}
}

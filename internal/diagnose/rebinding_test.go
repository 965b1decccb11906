package diagnose_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// forgotten plays a session whose second subflow is silent from 290 ms on. The ACK of its last data
// passes at 300 ms at B and at 310 ms at A. Its next data is sent at 400.3 s and never acknowledged,
// and B resets the subflow. change makes of the packets what the captures show.
func forgotten(change func(data, rst *tracegen.Packet)) *tracegen.Session {
	s, first := beginAs(0)
	second := s.Subflow(path(1, 10*ms))
	second.Open(50 * ms)
	const late = 400*time.Second + 300*ms
	send := func(at time.Duration, offset int64) {
		first.Data(tracegen.A2B, at, offset, 1000)
		first.Ack(tracegen.B2A, at+10*ms)
	}
	for i := range int64(10) {
		at := 200*ms + time.Duration(i)*10*ms
		send(at, 2000*i)
		second.Data(tracegen.A2B, at, 2000*i+1000, 1000)
		second.Ack(tracegen.B2A, at+10*ms)
	}
	var data, rst tracegen.Packet
	second.Data(tracegen.A2B, late, 20_000, 1000).Edit(func(p *tracegen.Packet) { change(p, &rst) })
	second.RST(tracegen.B2A, late+10*ms).Edit(func(p *tracegen.Packet) { change(&data, p) })
	for i := range int64(100) {
		send(late+100*ms+time.Duration(i)*10*ms, 20_000+1000*i)
	}
	return s
}

// TestRebinding: behind a translator the second subflow goes on from another port, which B does not
// know. That is no other path that died. 400.3 s less 310 ms at A, less 300 ms at B, as the data
// takes 10 ms to B.
func TestRebinding(t *testing.T) {
	other := netip.AddrPortFrom(path(1, 0).A.Addr(), 55_555)
	for view, silence := range map[tracegen.View]float64{tracegen.HostA: 400_300 - 310, tracegen.HostB: 400_310 - 300} {
		d := see(t, forgotten(func(data, rst *tracegen.Packet) { data.Src, rst.Dst = other, other }), view)
		v := find(t, d, report.VerdictRebinding)
		wantNumber(t, v, "time without a packet", silence)
		if v.Severity != report.Critical || *v.Subflow != 1 || !strings.Contains(v.Text, "went on from port 55555 of a in place of port 20000") || !strings.Contains(v.Text, "answered with RST") {
			t.Errorf("view %d: %s on subflow %d: %s", view, v.Severity, *v.Subflow, v.Text)
		}
		assert.Check(t, strings.Contains(v.Remedy, "keep-alives"), "view %d: %s", view, v.Remedy)
		without(t, "a new port", d, report.VerdictPathDied)
	}
}

// TestRebindingOfACKs: the host behind the translator only acknowledges. Its ACKs come from another port while the peer goes on sending to
// the old one; keep-alives would not help.
func TestRebindingOfACKs(t *testing.T) {
	other := netip.AddrPortFrom(path(1, 0).A.Addr(), 55_555)
	s, first := beginAs(0)
	second := s.Subflow(path(1, 10*ms))
	second.Open(50 * ms)
	for i := range int64(300) {
		at := 200*ms + time.Duration(i)*10*ms
		first.Data(tracegen.B2A, at, 2000*i, 1000)
		first.Ack(tracegen.A2B, at+10*ms)
		if i < 22 {
			second.Data(tracegen.B2A, at, 2000*i+1000, 1000)
		}
		if i < 20 {
			second.Ack(tracegen.A2B, at+10*ms)
		} else if i < 22 { // 410 ms at A, 420 ms at B, which sent at 410 ms
			second.Ack(tracegen.A2B, at+10*ms).Edit(func(p *tracegen.Packet) { p.Src = other })
			second.RST(tracegen.B2A, at+20*ms).Edit(func(p *tracegen.Packet) { p.Dst = other })
		}
	}
	d := see(t, s, tracegen.HostB)
	v := find(t, d, report.VerdictRebinding)
	assert.Check(t, *v.Subflow == 1 && !strings.Contains(v.Remedy, "keep-alives"), "%+v", v)
	wantNumber(t, v, "time without a packet", 10)
	without(t, "a new port", d, report.VerdictPathDied)
}

// TestOtherStream: a stream from another port whose sequence numbers do not go on is not the same
// subflow.
func TestOtherStream(t *testing.T) {
	other := netip.AddrPortFrom(path(1, 0).A.Addr(), 55_555)
	d := see(t, forgotten(func(data, rst *tracegen.Packet) {
		data.Src, rst.Dst = other, other
		data.Seq += 1 << 30
	}), tracegen.HostB)
	without(t, "another stream", d, report.VerdictRebinding)
}

// TestForgottenBeforeTranslator: between the host and the translator the port is the same. There
// the path died after a silence, for which a translator may be the cause.
func TestForgottenBeforeTranslator(t *testing.T) {
	v := find(t, see(t, forgotten(func(data, rst *tracegen.Packet) {}), tracegen.HostA), report.VerdictPathDied)
	wantNumber(t, v, "time without progress before", 400_300-310)
	assert.Check(t, strings.Contains(v.Text, "may have forgotten it") && strings.Contains(v.Remedy, "keep-alives"), "%s: %s", v.Text, v.Remedy)
}

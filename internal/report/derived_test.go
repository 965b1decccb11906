package report

import (
	"fmt"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// twoEnds has a subflow between port 1 and 2 in one capture, and between 3 and 4 in the other.
func twoEnds() Connection {
	return Connection{
		ID: 3, TokenA: new("0x1"), TokenB: new("0x2"), Start: 7e9, Vantage: VantageA,
		A2B: &ConnDir{Bytes: new(int64(10)), Segments: 99}, B2A: &ConnDir{Segments: 11},
		Subflows: []Subflow{
			{ID: 4, A: Endpoint{Port: 1}, B: Endpoint{Port: 2}, ReceiverA: &Endpoint{Port: 3}, ReceiverB: &Endpoint{Port: 4}, A2B: &SubDir{CapturedSegments: 3, PureAcks: 20, Segments: 5}},
			{ID: 5, A: Endpoint{Port: 1}, B: Endpoint{Port: 9}, ReceiverB: &Endpoint{Port: 4}, A2B: &SubDir{CapturedSegments: 100, PureAcks: 7}, B2A: &SubDir{CapturedSegments: 1000}},
			{ID: 6},
		},
		Events: []Event{{}, {EventFacts: EventFacts{ReasonCode: new(2)}}, {EventFacts: EventFacts{ReasonCode: new(5)}}},
	}
}

// TestDerived: what is concluded from a report, each answer beside the fields that it follows from.
func TestDerived(t *testing.T) {
	c := twoEnds()
	d := &Document{Connections: []Connection{{ID: 9, A2B: &ConnDir{}}, c}}
	other := func(a, b *string, edit func(o *Connection)) *Document {
		o := Connection{ID: 8, TokenA: a, TokenB: b, B2A: &ConnDir{}}
		edit(&o)
		return &Document{Connections: []Connection{{TokenA: new("0x7"), TokenB: b, A2B: &ConnDir{}}, o}}
	}
	sound := func(*Connection) {}
	id := func(c *Connection) int {
		if c == nil {
			return -1
		}
		return c.ID
	}
	sub := func(a, b int) int {
		if s := c.SameSubflow(&Subflow{A: Endpoint{Port: a}, B: Endpoint{Port: b}}); s != nil {
			return s.ID
		}
		return -1
	}
	pair := c.Subflows[0]
	one := Connection{Subflows: []Subflow{{ID: 2, A: Endpoint{Port: 3}, B: Endpoint{Port: 4}}}}
	small := []int64{(&SubDir{Bytes: new(int64(6)), Segments: 9}).Volume(), (&SubDir{Segments: 9}).Volume(), (*SubDir)(nil).Volume(), (*ConnDir)(nil).Volume()}
	for _, x := range []struct{ what, got, want any }{
		{"packets of A", c.PacketsOnly(), int64(3 + 20 + 100 + 7)},
		{"first reason code", *c.ResetReason(), 2},
		{"no reason code", (&Connection{}).ResetReason() == nil, true},
		{"by number", []int{id(d.Connection(3)), id(d.Connection(8))}, []int{3, -1}},
		{"same tokens", id(c.Same(other(new("0x1"), new("0x2"), sound))), 8},
		{"another token of A", id(c.Same(other(new("0x3"), new("0x2"), sound))), -1},
		{"another token of B", id(c.Same(other(new("0x1"), new("0x3"), sound))), -1},
		{"no token of B", id(c.Same(other(new("0x1"), nil, sound))), -1},
		{"A's direction alone", id(c.Same(other(new("0x1"), new("0x2"), func(o *Connection) { o.A2B, o.B2A = o.B2A, nil }))), 8},
		{"no direction", id(c.Same(other(new("0x1"), new("0x2"), func(o *Connection) { o.B2A = nil }))), -1},
		{"no tokens at all", id((&Connection{}).Same(other(nil, nil, func(o *Connection) { o.TokenB = nil }))), 8},
		{"subflow by its ends, here, there, mixed", []int{sub(1, 2), sub(3, 4), sub(1, 4), sub(1, 9), sub(3, 9), sub(9, 4)}, []int{4, 4, -1, 5, -1, -1}},
		{"subflow of one capture", one.SameSubflow(&pair).ID, 2},
		{"volumes", small, []int64{6, 9, 0, 0}},
		{"more segments than bytes", c.Bulk(), B2A},
		{"as many", (&Connection{A2B: &ConnDir{Segments: 1}, B2A: &ConnDir{Segments: 1}}).Bulk(), A2B},
		{"known", []int64{Known[int64](nil), Known(new(int64(5)))}, []int64{0, 5}},
		{"receivers", []Vantage{A2B.Receiver(), B2A.Receiver()}, []Vantage{VantageB, VantageA}},
		{"directions", c.Dir(A2B) == c.A2B && c.Dir(B2A) == c.B2A && pair.Dir(A2B) == pair.A2B && pair.Dir(B2A) == nil && c.Subflows[1].Dirs()[1].CapturedSegments == 1000, true},
		{"away", []bool{c.Away(A2B), c.Away(B2A), (&Connection{Vantage: VantageB}).Away(A2B), (&Connection{Vantage: VantageB}).Away(B2A)}, []bool{false, true, true, false}},
		{"ranks", []int{Critical.Rank(), Major.Rank(), Minor.Rank(), Fine.Rank(), Severity("").Rank()}, []int{0, 1, 2, 3, 4}},
		{"weights", []float64{*(&Verdict{TimePercent: new(3.0), Cost: new(4.0)}).Weight(), *(&Verdict{Cost: new(4.0)}).Weight()}, []float64{3, 4}},
		{"limits of verdicts", []float64{LossMuch, LossLeast, LossCosts, FewBytes, FewShare, RTTRatio, FewSent}, []float64{3, 10, 1, 100_000, 1, 3, 70}},
		{"a SYN of 0 s comes again after 1 and 1 + 2 s", AnswerTime, (1 + 2 + 0.5) * 1e9},
	} {
		assert.Check(t, is.DeepEqual(x.got, x.want), "%s", x.what)
	}
}

// TestShorten: of a direction a short report keeps its bytes.
func TestShorten(t *testing.T) {
	c := TCP{ID: 2, A2B: &SubDir{Bytes: new(int64(5)), BytesUnique: new(int64(4)), RetransmittedBytes: 1, Segments: 7}}
	c.Shorten()
	assert.Check(t, is.DeepEqual(c, TCP{ID: 2, Short: true, A2B: &SubDir{Bytes: new(int64(5)), BytesUnique: new(int64(4)), RetransmittedBytes: 1}}))
}

// TestLead: the second clock is 4 ms ahead when the captures begin at 5 s, gains 500 ms in 1000 s, and is set
// back by 20 ms 10 s later. The connection begins 2 s after the captures.
func TestLead(t *testing.T) {
	c := twoEnds()
	for _, x := range []struct {
		first     *Time
		step      *float64
		at, want  float64
		withDrift float64
	}{
		{new(Time(5e9)), new(-20.0), 8, 4 + 5, 500},
		{new(Time(5e9)), new(-20.0), 8.5, 4 + 5.25 - 20, 500},
		{new(Time(5e9)), nil, 8.5, 4 + 5.25, 500},
		{nil, new(-20.0), 10, 4 + 5, 500},
		{nil, nil, 10, 4, 0},
	} {
		k := &Clock{Offset: new(4.0), Drift: x.withDrift, Step: x.step}
		if x.step != nil {
			k.StepS = new(10.0)
		}
		d := &Document{Clock: k, Captures: []Capture{{First: x.first}}}
		assert.Check(t, is.Equal(d.Lead(&c, x.at), x.want), "%+v: ms", x)
	}
}

// TestStates: each state of an account has its name and its number, and states are sorted by their time.
func TestStates(t *testing.T) {
	at := func(ms float64) StateTime { return StateTime{MS: ms, Percent: ms / 10} }
	x := TimeAccount{
		Undetermined: at(1), Down: at(2), Recovery: at(30), Rwnd: at(4), Window: at(50), SlowStart: at(6), Path: at(7), CongestionWindow: at(8), Scheduler: at(9), Application: at(10), Idle: at(11),
	}
	var got []string
	for _, s := range x.States() {
		got = append(got, fmt.Sprint(s.Name, " ", s.MS))
	}
	want := []string{"undetermined 1", "down 2", "recovery 30", "rwnd 4", "window 50", "slow_start 6", "path 7", "congestion_window 8", "scheduler 9", "application 10", "idle 11"}
	assert.Check(t, slices.Equal(got, want), "states %q, want %q", got, want)
	got = nil
	for _, s := range x.Longest(1) {
		got = append(got, s.Name)
	}
	assert.Check(t, is.DeepEqual(got, []string{"window", "recovery", "idle", "application"}), "at least 1 %%")
}

// TestDiffer: the largest difference stays, whatever its sign.
func TestDiffer(t *testing.T) {
	var a Agreeing
	for _, x := range []struct{ d, worst float64 }{{-1, -1}, {1, -1}, {2, 2}, {-3, -3}, {2.5, -3}} {
		a.Differ(x.d)
		assert.Check(t, is.Equal(*a.Worst, x.worst), "the largest after %v", x.d)
	}
}

// TestAsked: null of mptcp is an answer unless there is a reason.
func TestAsked(t *testing.T) {
	unknown := TCP{}
	unknown.Unavailable.Set("mptcp", "no SYN")
	for _, x := range []struct {
		c         TCP
		text, why string
	}{{TCP{MPTCP: new(Requested)}, "requested", ""}, {TCP{}, "not asked for", ""}, {unknown, "not known", "no SYN"}} {
		text, why := x.c.Asked()
		assert.Check(t, text == x.text && why == x.why, "%q because %q, want %q, %q", text, why, x.text, x.why)
	}
}

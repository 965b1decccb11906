package report

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// bothWays has events, verdicts and figures of A's data (1), of B's (2) and of neither (0).
func bothWays() *Document {
	list := List[Verdict]{{Text: "0"}, {Text: "1", Direction: new(A2B)}, {Text: "2", Direction: new(B2A)}}
	events := List[Event]{{Detail: "0"}, {Detail: "1", Direction: new(A2B)}, {Detail: "2", Direction: new(B2A)}}
	sub := func() Subflow { return Subflow{A2B: &SubDir{Segments: 1}, B2A: &SubDir{Segments: 2}} }
	c := Connection{A2B: &ConnDir{Segments: 1}, B2A: &ConnDir{Segments: 2}, Subflows: []Subflow{sub(), sub()}, Events: events, Verdicts: &list}
	return &Document{Connections: []Connection{c}, TCP: []TCP{{A2B: &SubDir{Segments: 1}, B2A: &SubDir{Segments: 2}, Verdicts: append(List[Verdict]{}, list...)}}}
}

// TestOnly: a report on one direction has nothing of the other one, and says why; it has what is of both.
func TestOnly(t *testing.T) {
	for kept, dir := range Directions {
		gone := 1 - kept
		got, want := bothWays(), bothWays()
		Only(got, dir)
		c, plain := &want.Connections[0], &want.TCP[0]
		without := func(w *Reasons) { w.Set(string(Directions[gone]), "not asked for (--direction)") }
		without(&c.Unavailable)
		without(&plain.Unavailable)
		for i := range c.Subflows {
			without(&c.Subflows[i].Unavailable)
		}
		if dir == A2B {
			c.B2A, plain.B2A, c.Subflows[0].B2A, c.Subflows[1].B2A = nil, nil, nil, nil
		} else {
			c.A2B, plain.A2B, c.Subflows[0].A2B, c.Subflows[1].A2B = nil, nil, nil, nil
		}
		c.Events = List[Event]{c.Events[0], c.Events[1+kept]}
		*c.Verdicts = List[Verdict]{(*c.Verdicts)[0], (*c.Verdicts)[1+kept]}
		plain.Verdicts = *c.Verdicts
		assert.Check(t, is.DeepEqual(got, want), "%s", dir)
	}
	short := bothWays()
	c := &short.Connections[0]
	c.Short, c.Verdicts, c.B2A = true, nil, nil
	c.Unavailable.Set("b2a", "not captured")
	Only(short, A2B)
	why, _ := c.Unavailable.Of("b2a")
	assert.Check(t, why == "not captured" && len(c.Events) == 3, "a short report: no b2a because %q, %d events", why, len(c.Events))
}

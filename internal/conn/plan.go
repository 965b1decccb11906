package conn

import (
	"fmt"

	"mpanalyze/internal/packet"
)

// Plan makes a table decide as another table did that had the packets of more
// connections: see [Journal]. One table uses it, once.
type Plan struct {
	// Orders and IDs are [Conn.Order] and [Conn.ID] of the connections, ascending.
	Orders, IDs []int
	// Steps returns the decisions about these connections, in order; ok is false after
	// the last one.
	Steps func() (s Step, ok bool, err error)

	next    Step
	pending bool // next is to be done
	begun   bool
	done    bool  // there are no more
	err     error // why the table does not follow the plan

	digest uint64
	n      int // connections that ended
}

// planned is the connection, SYN or one-sided flow that has a certain [Conn.Order], in
// a table with a plan.
type planned struct {
	conn *Conn
	lone int32 // index of a waiting SYN
	flow *pendingFlow
}

// Err returns why the table does not decide what the plan says; nil if it does.
func (p *Plan) Err() error { return p.err }

// Ended returns how many connections ended, and the sum of their digests.
func (p *Plan) Ended() (n int, digest uint64) { return p.n, p.digest }

func (p *Plan) ended(e Ending) {
	p.n++
	p.digest += e.Digest
}

func (p *Plan) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// fetch reads the next step, unless it was read before. It reports whether there is
// one.
func (p *Plan) fetch() bool {
	if p.pending || p.done {
		return p.pending
	}
	s, ok, err := p.Steps()
	if err != nil && p.err == nil {
		p.err = err
	}
	if p.done = !ok || err != nil; p.done {
		return false
	}
	if p.begun && s.At.Before(p.next.At) {
		p.fail("the steps at packets %d and %d are not in order", p.next.At.Num, s.At.Num)
		p.done = true
		return false
	}
	p.next, p.pending, p.begun = s, true, true
	return true
}

// takeOrder returns the number of the next connection.
func (t *Table) takeOrder() int {
	n := t.nextOrder
	t.nextOrder++
	if t.plan == nil {
		return n
	}
	return t.plan.number(t.plan.Orders, n)
}

// takeID returns the number of the next connection of Multipath TCP.
func (t *Table) takeID() int {
	n := t.nextID
	t.nextID++
	if t.plan == nil {
		return n
	}
	return t.plan.number(t.plan.IDs, n)
}

// number returns the n-th number of a list. If the list is too short, the plan fails.
func (p *Plan) number(list []int, n int) int {
	if n < len(list) {
		return list[n]
	}
	p.fail("there are more connections than the %d of the plan", len(list))
	return n
}

// catchUp does the steps of the plan up to the packet at a position.
func (t *Table) catchUp(at Position) {
	for t.plan != nil && t.plan.fetch() && t.plan.next.At.Before(at) {
		t.doStep()
	}
}

// stepsHere does the steps of the current packet: before the packet is processed, only
// those that are not late; afterwards all.
func (t *Table) stepsHere() {
	for t.plan != nil && t.plan.fetch() && t.plan.next.At == t.at && (t.late || !t.plan.next.Late) {
		t.doStep()
	}
}

// FinishPlan does the steps that are left after the last packet. It is called before
// [Table.Finish].
func (t *Table) FinishPlan() {
	for t.plan != nil && t.plan.fetch() {
		t.doStep()
	}
}

// doStep does the next step of the plan.
func (t *Table) doStep() {
	s := t.plan.next
	t.plan.pending = false
	t.at, t.late = s.At, s.Late
	t.now = max(t.now, s.At.Time)
	k := key{s.Flow[0], s.Flow[1]}
	switch s.Kind {
	case StepFinish:
		t.finishPlanned(s.Order)
	case StepGiveUp:
		if pf := t.pendingByFlow[k.ordered()]; pf != nil && !pf.oneSided {
			t.giveUpPending(pf)
		} else {
			t.plan.fail("the flow that is given up at packet %d does not wait", s.At.Num)
		}
	case StepForget:
		t.timeWait.forget(k)
	default:
		t.plan.fail("no step of kind %d is known", s.Kind)
	}
}

// finishPlanned closes the connection, SYN or one-sided flow with an order.
func (t *Table) finishPlanned(order int) {
	switch x := t.byOrder[order]; {
	case x.conn != nil:
		t.finish(x.conn)
	case x.lone != 0:
		t.reportLoneSYN(x.lone)
	case x.flow != nil:
		t.rememberFlow(x.flow.key, true, order)
		t.reportOneSided(x.flow)
	default:
		t.plan.fail("connection %d in the order of their beginnings is to be closed and is not open", order)
	}
}

// setPlanned notes the connection, SYN or one-sided flow with an order.
func (t *Table) setPlanned(order int, x planned) {
	if t.plan != nil {
		t.byOrder[order] = x
	}
}

// bounded notes that a bound of the table was reached. With a plan that is a failure
// before the end of the capture: the whole capture reached no bound, or the plan has a
// step for it.
func (t *Table) bounded() {
	if t.plan != nil && !t.atEnd {
		t.plan.fail("a bound of open connections was reached that the whole capture did not reach")
	}
}

// forget removes a 4-tuple.
func (r *timeWait) forget(k key) { delete(r.known, k.ordered()) }

// stepFlow returns the 4-tuple for a [Step].
func (k key) stepFlow() [2]packet.Endpoint {
	k = k.ordered()
	return [2]packet.Endpoint{k.src, k.dst}
}

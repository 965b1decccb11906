package tracegen

import (
	"io"
	"os"
	"time"
)

// View is a place where packets are captured.
type View uint8

// The places: at either host, or half way between them.
const (
	HostA View = iota
	HostB
	Middle
	views
)

// Start is when a [Network] begins unless it is told otherwise; an arbitrary
// moment with all digits of the fraction in use.
var Start = time.Date(2026, time.March, 1, 12, 0, 0, 123456789, time.UTC)

// Network plays the scripts of any number of sessions in the order of time
// and shows each packet to the views that it passes. Scripts are written
// first; [Network.Run] plays them.
type Network struct {
	start   int64 // nanoseconds since the epoch
	now     time.Duration
	queue   queue
	sinks   [views]func(*Packet)
	watched bool
	kept    [views][]Packet
	ran     bool
}

// NewNetwork returns a network whose time 0 is start; the zero time stands for
// [Start].
func NewNetwork(start time.Time) *Network {
	if start.IsZero() {
		start = Start
	}
	return &Network{start: start.UnixNano()}
}

// Watch calls f with each packet that passes v, in the order of time, while
// the network runs. The packet is f's until it returns. A network that is
// watched keeps nothing for [Network.Packets].
func (n *Network) Watch(v View, f func(*Packet)) {
	n.sinks[v] = f
	n.watched = true
}

// At calls f at a time of the network. f may write more of the script, for
// that time or later.
func (n *Network) At(at time.Duration, f func()) {
	n.queue.push(event{at: at, leg: legCall, call: f})
}

// Now returns the time that is being played.
func (n *Network) Now() time.Duration { return n.now }

// Run plays everything that was scripted.
func (n *Network) Run() {
	n.ran = true
	for len(n.queue.events) > 0 {
		e := n.queue.pop()
		n.now = max(n.now, e.at)
		switch e.leg {
		case legArrive:
			e.sent.arrive(n)
		case legMiddle:
			n.show(Middle, e.sent, Incoming)
		case legCall:
			e.call()
		case legSend:
			e.sent.leave(n)
		}
	}
}

// show hands a packet that passes v now to who watches there.
func (n *Network) show(v View, x *Sent, side Side) {
	p := x.packet
	p.Time = n.start + int64(n.now)
	p.Side = side
	switch {
	case n.sinks[v] != nil:
		n.sinks[v](&p)
	case !n.watched:
		n.kept[v] = append(n.kept[v], p)
	}
}

// Show makes a view see a packet, for captures of which something is missing. Such a
// network is not run.
func (n *Network) Show(v View, p Packet) {
	n.ran = true
	n.kept[v] = append(n.kept[v], p)
}

// Packets returns what a view saw, in the order of time. It runs the network
// if that was not done yet.
func (n *Network) Packets(v View) []Packet {
	if !n.ran {
		n.Run()
	}
	return n.kept[v]
}

// Write writes what a view saw as a capture file.
func (n *Network) Write(w io.Writer, v View, f Format) error {
	out, err := NewWriter(w, f)
	if err != nil {
		return err
	}
	packets := n.Packets(v)
	for i := range packets {
		if err := out.Write(&packets[i]); err != nil {
			return err
		}
	}
	return out.Flush()
}

// WriteFile writes what a view saw to a file of that name.
func (n *Network) WriteFile(name string, v View, f Format) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := n.Write(file, v, f); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// What an event is: a call, or a packet at a station of its way. Of one time
// they are played in this order.
const (
	legArrive = iota
	legMiddle
	legCall
	legSend
)

// event is something that happens at a time: a packet at a station of its
// way, or a call.
type event struct {
	at    time.Duration
	order uint64 // events alike in time and kind happen in the order they were written
	leg   int
	sent  *Sent
	call  func()
}

// before orders events by time. What arrives comes before what leaves at that
// time, so that an answer may be scripted for the moment of the arrival.
func (e *event) before(o *event) bool {
	if e.at != o.at {
		return e.at < o.at
	}
	if e.leg != o.leg {
		return e.leg < o.leg
	}
	return e.order < o.order
}

// queue is a binary heap of events. Package container/heap would box each of
// them, which counts with millions of packets.
type queue struct {
	events []event
	pushed uint64
}

func (q *queue) push(e event) {
	q.pushed++
	e.order = q.pushed
	q.events = append(q.events, e)
	i := len(q.events) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !q.events[i].before(&q.events[parent]) {
			return
		}
		q.events[i], q.events[parent] = q.events[parent], q.events[i]
		i = parent
	}
}

func (q *queue) pop() event {
	top := q.events[0]
	last := len(q.events) - 1
	q.events[0] = q.events[last]
	q.events[last] = event{}
	q.events = q.events[:last]
	for i := 0; ; {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < last && q.events[child].before(&q.events[least]) {
				least = child
			}
		}
		if least == i {
			return top
		}
		q.events[i], q.events[least] = q.events[least], q.events[i]
		i = least
	}
}

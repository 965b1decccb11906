package tracegen

import (
	"container/heap"
	"io"
	"os"
	"time"
)

// View is a place where packets are captured.
type View uint8

// The places: at either host, or half of the delay away from both.
const (
	HostA View = iota
	HostB
	Middle
	views
)

// Start is the time 0 of a [Network] by default. It is arbitrary, with nine different
// digits in the fraction of the second.
var Start = time.Date(2026, time.March, 1, 12, 0, 0, 123456789, time.UTC)

// Network plays the scripts of any number of sessions in the order of time, and shows each
// packet to the views that it passes. Scripts are written first; then [Network.Run] plays
// them.
type Network struct {
	start   int64 // nanoseconds since the epoch
	now     time.Duration
	queue   queue
	sinks   [views]func(*Packet)
	watched bool
	kept    [views][]Packet
	ran     bool
}

// NewNetwork returns a network whose time 0 is start; the zero time means [Start].
func NewNetwork(start time.Time) *Network {
	if start.IsZero() {
		start = Start
	}
	return &Network{start: start.UnixNano()}
}

// Watch calls f with each packet that passes v, in the order of time, while the network
// runs. f must not keep the packet after it returns. A network with a watcher keeps nothing
// for [Network.Packets].
func (n *Network) Watch(v View, f func(*Packet)) {
	n.sinks[v] = f
	n.watched = true
}

// At calls f at a time of the network. f may add to the script, for that time or later.
func (n *Network) At(at time.Duration, f func()) {
	n.queue.push(event{at: at, leg: legCall, call: f})
}

// Now returns the time that is being played.
func (n *Network) Now() time.Duration { return n.now }

// Run plays everything that is scripted.
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

// show passes a packet that is at v now to the watcher of v, or keeps it.
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

// Show adds a packet to a view, for captures with missing packets. Such a network does not
// run.
func (n *Network) Show(v View, p Packet) {
	n.ran = true
	n.kept[v] = append(n.kept[v], p)
}

// Packets returns what a view saw, in the order of time. It runs the network if that has
// not been done.
func (n *Network) Packets(v View) []Packet {
	if !n.ran {
		n.Run()
	}
	return n.kept[v]
}

// Write writes what a view saw as a capture file. Errors are those of w.
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

// WriteFile writes what a view saw to a file of that name. Errors are those of the file
// system.
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

// Kinds of events: a call, or a packet at one of the places on its path. Events of the same
// time are played in this order.
const (
	legArrive = iota
	legMiddle
	legCall
	legSend
)

// event is something that happens at a time: a packet is at a place on its path, or a
// function is called.
type event struct {
	at    time.Duration
	order uint64 // events of equal time and kind keep the order in which they were scripted
	leg   int
	sent  *Sent
	call  func()
}

// before orders events by time. At equal times, arrivals come before departures, so that an
// answer may be scripted for the time of the arrival.
func (e *event) before(o *event) bool {
	if e.at != o.at {
		return e.at < o.at
	}
	if e.leg != o.leg {
		return e.leg < o.leg
	}
	return e.order < o.order
}

// queue holds events; the first one is played next. It is a [heap.Interface].
type queue struct {
	events []event
	pushed uint64
}

func (q *queue) push(e event) {
	q.pushed++
	e.order = q.pushed
	heap.Push(q, e)
}

func (q *queue) pop() event { return heap.Pop(q).(event) }

func (q *queue) Len() int           { return len(q.events) }
func (q *queue) Less(i, j int) bool { return q.events[i].before(&q.events[j]) }
func (q *queue) Swap(i, j int)      { q.events[i], q.events[j] = q.events[j], q.events[i] }
func (q *queue) Push(e any)         { q.events = append(q.events, e.(event)) }

func (q *queue) Pop() any {
	last := len(q.events) - 1
	e := q.events[last]
	q.events[last] = event{}
	q.events = q.events[:last]
	return e
}

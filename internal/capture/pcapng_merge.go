package capture

import "container/heap"

// Writers of several interfaces, dumpcap for one, empty one interface's kernel
// buffer after the other, so that a file holds a run of packets of one
// interface, then a run of another that was captured during the same time.
const (
	// mergeHorizon is how much earlier than the packet at hand, in
	// nanoseconds, a packet of another interface may still be that is put into
	// its place. The kernel hands over a buffer that does not fill after some
	// 100 ms; real files step back by up to 260 ms.
	mergeHorizon = nanosecond

	// mergeRoom bounds the bytes of packets that wait for their turn. A run
	// is at most what the kernel holds for an interface, by default 2 MiB.
	mergeRoom = 16 << 20
)

// ngMerger puts the packets of a pcapng file in the order of their times. The
// packets of one interface stay in the order of the file, and those of a
// section stay in front of those of the next.
//
// A packet waits while an interface of its section, also one that was silent so
// far, has no later packet waiting, unless the packet read last is further from
// it than mergeHorizon or the waiting ones take more than mergeRoom. Only with
// two or more interfaces in a section is anything copied.
type ngMerger struct {
	ng          *ngReader
	at          Raw           // the packet read last, in the reader's buffer
	held        bool          // at is of a new section and the old one has still to be delivered
	singleIface bool          // the packet delivered last was of the only interface so far
	section     int           // of the packets that wait
	waiting     ifaceHeap     // interfaces that have packets waiting
	runs        []*ifaceQueue // by interface of the section; nil before its first packet
	epochs      clockEpochs
	jump        int // packets that are still to be read until a jump of the times is over
	pool        copyPool
	out         *packetCopy // the packet delivered last, to be given back
	err         error       // what ended the reading
}

// packetCopy is a packet that waits, with a copy of its data.
type packetCopy struct {
	raw   Raw
	epoch int
	next  *packetCopy // of the same interface
	room  []byte
}

// ifaceQueue is the packets of one interface that wait, in the order of the file.
type ifaceQueue struct {
	first, last *packetCopy
	epoch       clockEpoch
}

// newNgMerger reads the file header.
func newNgMerger(in *window, compression string, reg newIface) (*ngMerger, error) {
	ng, err := newNgReader(in, compression, reg)
	return &ngMerger{ng: ng}, err
}

// next delivers the next packet. It returns what the reader under it returned
// after all that was read before.
func (m *ngMerger) next(raw *Raw) error {
	if m.singleIface {
		if m.err = m.ng.next(raw); m.err == nil && len(m.ng.ifaces) == 1 && m.ng.section == m.section {
			return nil
		}
		// Something new, or the end: as if at were of a new section.
		m.singleIface, m.held, m.at = false, m.err == nil, *raw
	}
	if m.out != nil {
		m.pool.put(m.out)
		m.out = nil
	}
	for {
		if len(m.waiting) > 0 && m.due() {
			*raw = m.pop()
			return nil
		}
		if m.err != nil {
			return m.err
		}
		if m.held {
			m.held, m.section = false, m.ng.section
			m.runs = m.runs[:0]
			m.epochs, m.jump = clockEpochs{}, 0
		} else if m.read(raw.File); m.err != nil || m.held {
			continue
		}
		if len(m.ng.ifaces) < 2 && len(m.waiting) == 0 {
			*raw = m.at
			m.singleIface = true
			return nil
		}
		m.push()
	}
}

// read reads a packet into m.at.
func (m *ngMerger) read(file int) {
	m.at.File = file
	m.err = m.ng.next(&m.at)
	m.held = m.err == nil && m.ng.section != m.section
}

// due reports whether the first of the waiting packets is to be delivered.
func (m *ngMerger) due() bool {
	switch {
	case m.err != nil, m.held, m.pool.used > mergeRoom:
		return true
	case len(m.waiting) == len(m.ng.ifaces):
		return true
	}
	// Either way round: behind a clock that was set, nothing earlier than what waits
	// is to be expected once every interface may have shown it. The difference of any
	// two times fits.
	first := m.waiting[0].first
	return m.jump == 0 && (first.epoch < m.epochs.n || uint64(max(first.raw.Time, m.at.Time)-min(first.raw.Time, m.at.Time)) > mergeHorizon)
}

// push lets a copy of m.at wait.
func (m *ngMerger) push() {
	for len(m.runs) < len(m.ng.ifaces) {
		m.runs = append(m.runs, nil)
	}
	r := m.runs[m.ng.from]
	if r == nil {
		r = new(ifaceQueue)
		m.runs[m.ng.from] = r
	}
	c := m.pool.get(&m.at)
	c.epoch = m.enter(&r.epoch)
	if r.first == nil {
		r.first, r.last = c, c
		heap.Push(&m.waiting, r)
		return
	}
	r.last.next, r.last = c, c
}

// enter returns the epoch of m.at, which is of an interface that was in e, and notes
// a jump of its times.
func (m *ngMerger) enter(e *clockEpoch) int {
	before, prev, begun := m.epochs.n, e.prev, e.begun
	m.jump = max(0, m.jump-1)
	n := m.epochs.next(e, m.at.Time, m.jump == 0)
	if m.epochs.n > before || begun && m.jump == 0 && m.at.Time-prev > mergeHorizon {
		m.jump = packetsAfterJump
	}
	return n
}

// pop takes the first of the waiting packets. It is valid until the next call
// of next.
func (m *ngMerger) pop() Raw {
	r := m.waiting[0]
	m.out = r.first
	if r.first = m.out.next; r.first == nil {
		heap.Pop(&m.waiting)
	} else {
		heap.Fix(&m.waiting, 0)
	}
	return m.out.raw
}

// count returns how many packets were read.
func (m *ngMerger) count() uint64 { return m.ng.count() }

// ifaceHeap is a heap of runs by their first packets: by epoch, by time, then by place in
// the file.
type ifaceHeap []*ifaceQueue

// Len, Less, Swap, Push and Pop implement [heap.Interface].
func (q ifaceHeap) Len() int { return len(q) }

func (q ifaceHeap) Less(i, j int) bool {
	if x, y := q[i].first.epoch, q[j].first.epoch; x != y {
		return x < y
	}
	a, b := &q[i].first.raw, &q[j].first.raw
	if a.Time != b.Time {
		return a.Time < b.Time
	}
	return a.FileNum < b.FileNum
}

func (q ifaceHeap) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *ifaceHeap) Push(x any)   { *q = append(*q, x.(*ifaceQueue)) }

func (q *ifaceHeap) Pop() any {
	last := len(*q) - 1
	r := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return r
}

package capture

import (
	"cmp"
	"container/heap"
)

// Programs that capture on several interfaces, such as dumpcap, empty the kernel buffer of one
// interface after the other. So a file has a group of packets of one interface, and then a group
// of another interface from the same time.
const (
	// mergeHorizon is how much earlier than the current packet a packet of another interface may
	// be so that it is still sorted before it, in ns. The kernel delivers a buffer that is not
	// full after some 100 ms; in real files the times go back by up to 260 ms.
	mergeHorizon = nanosecond

	// mergeRoom bounds the bytes of packets that wait. A group is at most as large as the
	// kernel's buffer for an interface, by default 2 MiB.
	mergeRoom = 16 << 20
)

// ngMerger sorts the packets of a pcapng file by time. The packets of one interface
// keep the order of the file, and those of a section stay before those of the next.
//
// A packet waits while an interface of its section, even a silent one, has no later
// packet waiting. It waits no longer when the latest packet is more than mergeHorizon
// away, or the waiting packets take more than mergeRoom. Only sections with two or more
// interfaces need copies.
type ngMerger struct {
	ng          *ngReader
	at          Raw                    // the packet that was read last, in the reader's buffer
	held        bool                   // at belongs to a new section, and packets of the old section still wait
	singleIface bool                   // the packet that was delivered last came from the only interface so far
	section     int                    // of the waiting packets
	waiting     mergeHeap[*ifaceQueue] // interfaces with waiting packets
	runs        []*ifaceQueue          // by interface of the section; nil before its first packet
	epochs      clockEpochs
	jump        int // number of packets to read until a time jump is over
	pool        copyPool
	out         *packetCopy // the copy that was delivered last; next puts it back into pool
	err         error       // the error that ended the reading
}

// packetCopy is a waiting packet with a copy of its data.
type packetCopy struct {
	raw   Raw
	epoch int
	next  *packetCopy // of the same interface
	room  []byte
}

// ifaceQueue holds the waiting packets of one interface, in the order of the file.
type ifaceQueue struct {
	first, last *packetCopy
	epoch       clockEpoch
}

// newNgMerger reads the file header.
func newNgMerger(in *window, compression string, reg newIface, comments bool) (*ngMerger, error) {
	ng, err := newNgReader(in, compression, reg)
	if ng != nil {
		ng.comments = comments
	}
	return &ngMerger{ng: ng}, err
}

// next delivers the next packet. After the last one it returns the error of the reader.
func (m *ngMerger) next(raw *Raw) error {
	if m.singleIface {
		if m.err = m.ng.next(raw); m.err == nil && len(m.ng.ifaces) == 1 && m.ng.section == m.section {
			return nil
		}
		// something new, or the end: as if at began a new section
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

// due reports whether the first waiting packet is to be delivered.
func (m *ngMerger) due() bool {
	switch {
	case m.err != nil, m.held, m.pool.used > mergeRoom:
		return true
	case len(m.waiting) == len(m.ng.ifaces):
		return true
	}
	// The distance counts in both directions: after a clock was set, nothing earlier
	// than the waiting packets will come once every interface may have shown the step.
	// The difference of any two times does not overflow.
	first := m.waiting[0].first
	return m.jump == 0 && (first.epoch < m.epochs.n || uint64(max(first.raw.Time, m.at.Time)-min(first.raw.Time, m.at.Time)) > mergeHorizon)
}

// push copies m.at and lets it wait.
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

// enter returns the epoch of m.at. e is the state of its interface. It also recognises a time
// jump.
func (m *ngMerger) enter(e *clockEpoch) int {
	before, prev, begun := m.epochs.n, e.prev, e.begun
	m.jump = max(0, m.jump-1)
	n := m.epochs.next(e, m.at.Time, m.jump == 0)
	if m.epochs.n > before || begun && m.jump == 0 && m.at.Time-prev > mergeHorizon {
		m.jump = packetsAfterJump
	}
	return n
}

// pop removes the first waiting packet. It is valid until the next call of next.
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

// compare orders queues by their first packets: by epoch, time, and position in the file.
func (q *ifaceQueue) compare(o *ifaceQueue) int {
	a, b := &q.first.raw, &o.first.raw
	return cmp.Or(cmp.Compare(q.first.epoch, o.first.epoch), cmp.Compare(a.Time, b.Time), cmp.Compare(a.FileNum, b.FileNum))
}

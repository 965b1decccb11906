package tcptrace

import (
	"math"

	"mpanalyze/internal/seq"
)

// SubflowDir is what tcptrace counts in one direction of a TCP connection. The
// counters are named as its long output labels them; times are in us.
type SubflowDir struct {
	Packets, Resets, AckPkts, PureAcks int64
	SACKPkts, DSACKPkts, MaxSACKBlocks int64
	UniqueBytes, DataPkts, DataBytes   int64
	RexmtPkts, RexmtBytes              int64 // a repeated SYN or FIN counts as a byte
	ProbePkts, ProbeBytes              int64
	OutOfOrder, Pushed                 int64
	SYNs, FINs                         int64
	AskWS, AskTS, AskSACK              bool
	WindowScale                        uint8
	UrgentPkts, UrgentBytes, MSS       int64
	MaxSegm, MinSegm                   int64
	MaxWin, MinWin, ZeroWins           int64
	MaxOwin, MinOwin                   int64
	InitialBytes, InitialPkts          int64
	TruncatedBytes, TruncatedPkts      int64
	MaxIdle, HardwareDups              int64
	RTT, RTTFull, RTTLast, RetransTime moments
	RTT3WHS, PostLossAcks, CumAcked    int64
	DupAcks, TripleDupAcks, MaxRetrans int64

	firstData, lastData int64 // us, valid with DataPkts
	last                int64 // time of the latest packet, us, valid with Packets

	syn, fin, latest seq.Wire
	ack              seq.Wire // of the latest ACK that it sent; the peer's ISN before that
	windowEnd        seq.Wire
	lastWin          int64
	winTotal         int64
	winPkts          int64 // packets since the first scaled window
	winScaled        bool
	dataAcked        bool
	wraps            int64
	visited          [4]bool

	owinTotal, owinCount int64
	owinWeighted         int64
	owinPrev, owinTime   int64

	lastRTT, fullSize int64
	space             seqSpace
	dups              dupRing
}

// dupRing holds the IP identifications of the latest packets. A duplicate that hardware in the
// network made has the same identification.
type dupRing struct {
	seen [8]struct {
		seq seq.Wire
		id  uint16
	}
	next int
}

// has reports whether the packet was seen before, and stores it if not.
func (r *dupRing) has(n seq.Wire, id uint16) bool {
	if n != 0 && id != 0 {
		for i := range r.seen {
			if r.seen[i].seq == n && r.seen[i].id == id {
				return true
			}
		}
	}
	r.seen[r.next].seq, r.seen[r.next].id = n, id
	r.next = (r.next + 1) % len(r.seen)
	return false
}

// visitQuadrants stores in which quadrants of the sequence space a packet lies. It counts a wrap
// when all four were visited and the packet passes the sequence number of the SYN.
func (d *SubflowDir) visitQuadrants(start, end seq.Wire) {
	if d.visited == [4]bool{true, true, true, true} && d.syn>>30 == end>>30 && end >= d.syn {
		d.wraps++
		d.visited = [4]bool{}
	}
	d.visited[start>>30], d.visited[end>>30] = true, true
}

// streamLength returns the bytes between SYN and FIN; ok is false without both.
func (d *SubflowDir) streamLength() (n int64, ok bool) {
	if d.SYNs == 0 || d.FINs == 0 {
		return 0, false
	}
	last := d.fin
	if d.Resets > 0 {
		last = d.latest
	}
	n = int64(last) - int64(d.syn) - 1 + d.wraps<<32
	if last <= d.syn {
		n += 1 << 32
	}
	return n, true
}

// avgSegm returns the mean size of the segments with data.
func (d *SubflowDir) avgSegm() int64 {
	return int64(float64(d.DataBytes) / (float64(d.DataPkts) + .001))
}

// avgWin returns the mean window. If both directions scale their windows, it is the mean over
// the packets since the first scaled window, else over all packets. Packets without a window
// count too.
func (d *SubflowDir) avgWin(scaled bool) int64 {
	switch {
	case d.Packets == 0:
		return 0
	case scaled:
		return d.winTotal / d.winPkts
	}
	return d.winTotal / d.Packets
}

// avgOwin returns the mean of the samples of outstanding data, bytes.
func (d *SubflowDir) avgOwin() int64 {
	if d.owinCount == 0 {
		return 0
	}
	return d.owinTotal / d.owinCount
}

// moments collects times in us as tcptrace does. The next sample replaces a minimum of 0.
type moments struct {
	n         int64
	min, max  float64
	sum, sum2 float64
}

func (m *moments) add(v float64) {
	if m.min == 0 || v < m.min {
		m.min = v
	}
	m.max = max(m.max, v)
	m.sum += v
	m.sum2 += v * v
	m.n++
}

// avg returns the mean. Like tcptrace, it adds 0.0001 to the number of samples, so that the mean
// is 0 without samples.
func (m *moments) avg() float64 { return m.sum / (float64(m.n) + .0001) }

// stdev returns the standard deviation, 0 for fewer than three samples.
func (m *moments) stdev() float64 {
	if m.n <= 2 {
		return 0
	}
	v := (m.sum2 - m.sum*m.sum/float64(m.n)) / float64(m.n-1)
	return math.Sqrt(max(0, v))
}

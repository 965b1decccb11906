package tracegen

import (
	"slices"
	"time"

	"mpanalyze/internal/seq"
)

// maxBlocks is the largest number of SACK blocks in a header (RFC 2018, Section 3).
const maxBlocks = 4

// delayedAck is how long a host with Config.AckEvery waits for more segments: the minimum
// of Linux.
const delayedAck = 40 * time.Millisecond

// arrive makes the receiver take the packet and acknowledge it.
func (x *Sent) arrive(n *Network) {
	_, to := x.sides()
	if x.spoil {
		x.packet.Payload, x.spoil = spoilt(x.packet.Payload), false
	}
	n.show(to, x, Incoming)
	if x.flags&RST != 0 {
		return
	}
	h := &x.sub.half[x.dir]
	r := x.span()
	if x.declined {
		r.End = r.Start + 1
	}
	// RFC 7323, Section 4.3: TSecr is the timestamp of the segment at which the last
	// acknowledgment sent pointed.
	if r.Start <= h.acked && !x.sub.session.cfg.NoTimestamps {
		h.tsEcho = max(h.tsEcho, x.timestamp())
	}
	x.takeData()
	if r.Empty() {
		return
	}
	gap := h.cumulative() < r.Start
	filled := h.got.Len() > 1
	if h.got.Add(r) < r.Len() {
		h.again = r // RFC 2883, Section 4: reported in the next SACK
	}
	h.note(r.Start, gap)
	if x.flags&SYN == 0 {
		h.unacked++
		x.sub.answer(x.dir, gap || filled || !h.again.Empty() || x.flags&FIN != 0)
	}
}

// spoilt returns a copy of b whose last byte is another one.
func spoilt(b []byte) []byte {
	out := slices.Clone(b)
	if n := len(out); n > 0 {
		out[n-1] ^= 0xff
	}
	return out
}

// takeData adds the data that the packet maps to the receiver's data.
func (x *Sent) takeData() {
	m := x.mapping
	if m == nil || x.spoilt && m.form == formDSS && x.sub.session.cfg.Checksum {
		return
	}
	got := &x.sub.session.data[x.dir].got
	start := m.dsn + seq.DSN(x.from)
	end := start + seq.DSN(x.n)
	if m.fin && x.from+x.n == m.n {
		end++
	}
	got.Add(seq.Range[seq.DSN]{Start: start, End: end})
}

// note records the order in which data arrived above a gap: the first SACK block has to
// contain the latest segment (RFC 2018, Section 4).
func (h *half) note(at seq.SSN, gap bool) {
	if !gap {
		return
	}
	h.recent = append([]seq.SSN{at}, h.recent...)
	h.recent = h.recent[:min(len(h.recent), 4*maxBlocks)]
}

// blocks returns up to n SACK blocks, a DSACK block first (RFC 2883), and deletes the
// DSACK.
func (h *half) blocks(isn seq.Wire, n int) (out []block) {
	block := func(r seq.Range[seq.SSN]) block {
		return block{isn + seq.Wire(r.Start), isn + seq.Wire(r.End)}
	}
	if n > 0 && !h.again.Empty() {
		out = append(out, block(h.again))
		h.again = seq.Range[seq.SSN]{}
	}
	low := h.cumulative()
	if h.got.Len() == 1 {
		h.recent = h.recent[:0]
		return out
	}
	seen := map[seq.SSN]bool{}
	for _, at := range h.recent {
		for _, r := range h.got.Ranges() {
			if r.Start > low && r.Contains(at) && !seen[r.Start] && len(out) < n {
				seen[r.Start] = true
				out = append(out, block(r))
			}
		}
	}
	return out
}

// answer acknowledges what arrived in direction d, when Config.AckEvery says so.
func (f *Subflow) answer(d Dir, now bool) {
	every, h, at := f.session.cfg.AckEvery, &f.half[d], f.session.net.now
	switch {
	case every == 0:
		return
	case now || h.unacked >= every:
	case h.unacked == 1:
		at += delayedAck
	default:
		return
	}
	f.script(Sent{dir: d.Opposite(), at: at, flags: ACK, ssn: current, auto: true})
}

package pair

// neighbours is how many packets back, in the order of sending, the delay of a
// packet is kept.
const neighbours = 256

// arrivalOrder compares each arrival of one direction with the one before it and
// with its neighbours in the order of sending.
type arrivalOrder struct {
	begun     bool
	lastDelay int64        // of the latest arrival, ns
	jitter    float64      // ns
	highest   int64        // the highest ordinal that arrived
	recent    []recent     // by ordinal, modulo a power of two; at most neighbours
	gaps      []gapArrival // the oldest overwritten; at most neighbours
	nGaps     int
}

// recent is a packet that arrived lately.
type recent struct{ ordinal, delay int64 }

// gapArrival is an arrival before which some packets that were sent earlier had
// not arrived, and its time.
type gapArrival struct{ ordinal, time int64 }

// add takes a matched packet, or a part of one.
func (o *arrivalOrder) add(d *SubflowDir, c *sentPart, arrived, delay int64) {
	if o.begun {
		diff := float64(abs(delay - o.lastDelay))
		o.jitter += (diff - o.jitter) / 16 // RFC 3550, Section 6.4.1
		d.Jitter.Add(o.jitter / 1e6)
	}
	o.lastDelay, o.begun = delay, true
	if !c.partMatched {
		o.addPacket(d, c.ordinal, delay, arrived)
	}
}

// addPacket compares a packet with others by the order of sending.
func (o *arrivalOrder) addPacket(d *SubflowDir, ordinal, delay, arrived int64) {
	// Delay variation of neighbours (RFC 3393, Section 2.2), in whatever order
	// they arrived.
	if before, ok := o.known(ordinal - 1); ok {
		d.IPDV.Add(ms(delay - before))
	}
	if after, ok := o.known(ordinal + 1); ok {
		d.IPDV.Add(ms(after - delay))
	}
	o.keep(ordinal, delay)
	if ordinal > o.highest {
		if ordinal > o.highest+1 {
			o.keepGap(gapArrival{ordinal, arrived})
		}
		o.highest = ordinal
		return
	}
	d.Reordered++
	if earliest := o.overtaken(ordinal); earliest != 0 {
		d.ReorderExtent.Add(ms(arrived - earliest))
	}
}

// overtaken returns the earliest arrival among the packets that were sent later
// than a packet and arrived before it (RFC 4737, Section 4.3, with the order of
// sending for the sequence); 0 if that is not known any more.
func (o *arrivalOrder) overtaken(ordinal int64) (earliest int64) {
	for i := o.nGaps - 1; i >= max(0, o.nGaps-neighbours); i-- { // their ordinals ascend
		x := &o.gaps[i%neighbours]
		if x.ordinal < ordinal {
			break
		}
		earliest = x.time
	}
	return earliest
}

// keepGap keeps an arrival before which packets are missing.
func (o *arrivalOrder) keepGap(g gapArrival) {
	if len(o.gaps) < neighbours {
		o.gaps = append(o.gaps, g)
	} else {
		o.gaps[o.nGaps%neighbours] = g
	}
	o.nGaps++
}

// known returns the delay of a packet that arrived lately.
func (o *arrivalOrder) known(ordinal int64) (delay int64, ok bool) {
	if ordinal <= 0 || len(o.recent) == 0 {
		return 0, false
	}
	x := &o.recent[ordinal&int64(len(o.recent)-1)]
	return x.delay, x.ordinal == ordinal
}

// keep keeps the delay of a packet. A very late packet does not replace a newer
// one.
func (o *arrivalOrder) keep(ordinal, delay int64) {
	if ordinal >= int64(len(o.recent)) && len(o.recent) < neighbours {
		o.widen(ordinal)
	}
	if x := &o.recent[ordinal&int64(len(o.recent)-1)]; x.ordinal < ordinal {
		*x = recent{ordinal, delay}
	}
}

// widen makes room, up to the bound, so that no packet replaces another one.
// The list starts small because most directions never need all of it.
func (o *arrivalOrder) widen(ordinal int64) {
	n := max(16, 2*len(o.recent))
	for int64(n) <= ordinal && n < neighbours {
		n *= 2
	}
	wide := make([]recent, n)
	for _, x := range o.recent {
		wide[x.ordinal&int64(n-1)] = x
	}
	o.recent = wide
}

// ms converts nanoseconds.
func ms(ns int64) float64 { return float64(ns) / 1e6 }

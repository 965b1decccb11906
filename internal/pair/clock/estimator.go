package clock

// End is one of the two captures.
type End uint8

// The ends: the capture at the host that sends the bulk of the data, and the
// one at its peer. Either host sends packets; the names only tell the captures
// apart.
const (
	AtSender End = iota
	AtReceiver
)

// Other returns the other capture.
func (e End) Other() End { return e ^ 1 }

// sign tells how the lead of the receiver's clock enters the delays of packets
// that this end sent: +1 if it makes them longer, -1 if it makes them shorter.
func (e End) sign() float64 {
	if e == AtSender {
		return 1
	}
	return -1
}

// MaxPaths bounds the address pairs whose delays are used for the clocks.
const MaxPaths = 64

// Estimator collects the data from which the clocks are estimated.
type Estimator struct {
	roughLead int64      // about how far the receiver's clock is ahead, ns
	origin    int64      // time of the first delay by the sender's clock, ns: times in [minBins] count from it
	paths     []*Path    // bounded by MaxPaths
	tracks    []*tsTrack // bounded by maxTracks
	samples   *sampleBudget
}

// New returns an estimator without data. The receiver's clock is about
// roughLead ahead, ns. With samples, delays can be corrected for a drift or a
// step of the clocks; without them, only for a constant lead.
func New(roughLead int64, samples bool) *Estimator {
	e := &Estimator{roughLead: roughLead}
	if samples {
		e.samples = &sampleBudget{left: maxSamples}
	}
	return e
}

// sinceOrigin returns the time of an arrival by the sender's clock, ns since the
// origin. The first one sets the origin.
func (e *Estimator) sinceOrigin(from End, arrived int64) int64 {
	if from == AtSender {
		arrived -= e.roughLead
	}
	if e.origin == 0 {
		e.origin = arrived
	}
	return max(arrived-e.origin, 0)
}

// arrivedAt is the inverse of sinceOrigin: it returns the time of an arrival by
// the clock of the capture that it arrived at.
func (e *Estimator) arrivedAt(from End, since int64) int64 {
	if from == AtSender {
		since += e.roughLead
	}
	return since + e.origin
}

// Path holds the delays between two addresses.
type Path struct {
	est     *Estimator
	addrs   [2][16]byte
	dirs    [2]oneWay // by the capture at the sending host
	ignored bool      // there were more than MaxPaths before it
}

// oneWay holds the delays of one direction of a path.
type oneWay struct {
	pureAcks  minBins // of packets without payload: these are of nearly equal size
	data      minBins // of full-sized packets
	plainAcks minFilter
	fullSized minFilter
	spacing   spacing
}

// bins returns the least delays per span of time.
func (w *oneWay) bins() [2]*minBins { return [2]*minBins{&w.pureAcks, &w.data} }

// filters returns the series in which each value is the least delay of equally
// many packets of equal size. They show slopes and steps.
func (w *oneWay) filters() [2]*minFilter { return [2]*minFilter{&w.plainAcks, &w.fullSized} }

// NewPath returns the path between two addresses. The caller asks once for each.
func (e *Estimator) NewPath(addrs [2][16]byte) *Path {
	p := &Path{est: e, addrs: addrs, ignored: len(e.paths) >= MaxPaths}
	if !p.ignored {
		e.paths = append(e.paths, p)
	}
	return p
}

// PureAck takes the delay of a packet without payload, ns, that one end sent,
// and its time of arrival. plain says that the packet has only the options that
// all packets have.
func (p *Path) PureAck(from End, arrived, delay int64, plain bool) {
	if p.ignored {
		return
	}
	w := &p.dirs[from&1]
	w.pureAcks.add(p.est.sinceOrigin(from, arrived), delay)
	if plain {
		w.plainAcks.add(arrived, delay)
	}
}

// FullSized takes the delay of a packet with a full payload.
func (p *Path) FullSized(from End, arrived, delay int64) {
	if p.ignored {
		return
	}
	w := &p.dirs[from&1]
	w.data.add(p.est.sinceOrigin(from, arrived), delay)
	w.fullSized.add(arrived, delay)
}

// Spacing takes the time that the path needs to transmit the payload of a
// full-sized packet, ns: the time between the arrivals of two packets that left
// together, less the time for the headers.
func (p *Path) Spacing(from End, payload int64) {
	if !p.ignored {
		p.dirs[from&1].spacing.add(payload)
	}
}

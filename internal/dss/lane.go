package dss

import "mpanalyze/internal/seq"

// Chunk is the life of one run of data from its first transmission - at the
// receiver: its first arrival - on. Times are nanoseconds since the Unix
// epoch; 0 is "not yet". It holds only octets that no earlier chunk carried.
type Chunk struct {
	Data      seq.Range[seq.DSN]
	SSN       seq.SSN // subflow position of Data.Start
	Acked     int64   // last octet first acknowledged or SACKed on any subflow
	DataAcked int64   // last octet covered by a DATA_ACK
	Segments  int32   // segments that it counts
	Sub       int32   // number of the subflow that carried it
	resent    bool    // some of it was sent again at its position of the subflow

	FirstSeen int64  // passed the capture point for the first time
	InOrder   int64  // every lower octet had passed too, or was DATA_ACKed unseen
	Packet    uint64 // number of the packet
}

// SubflowSpace is one direction of one subflow as its data sequence space sees it.
type SubflowSpace struct {
	// What usual data and acknowledgments touch stands together.
	ID         int   // number of the subflow
	FirstBytes int64 // octets first carried here

	onward               onward
	chunks               seq.List[Chunk] // those not settled, ascending, disjoint; bounded by maxChunks
	nextAcked, nextOrder seq.Place       // first chunk not data-acknowledged, not in order
	covered              int             // chunks before nextAcked
	works                bool            // it is one of the space's working lanes
	marked               seq.Place       // where the latest acknowledgment ended; checked before use
	seenAt               seq.Place       // where the space's seen has the run that the lane's latest data ended; checked before use
	heldAt               seq.Place       // the same in held, of the data that was acknowledged last
	maps                 mappings
	una                  seq.SSN   // what the subflow acknowledged cumulatively
	pending              []Payload // bounded by maxPending and maxPendingBytes
	pendingBytes         int
	resolved             []Payload // memory that pending was in before a mapping came

	RepeatedBytes      int64 // octets sent again at their position of the subflow, under a mapping
	ReinjectedBytes    int64
	ReinjectedSame     int64 // the part of it only sent on this lane before
	ReinjectedSegments int64
	UnmappedBytes      int64 // octets that no mapping covered to the end
	OptionsCut         bool  // the capture cut the options of payload that waited for a mapping

	mapped  bool    // any mapping was announced
	lastEnd seq.SSN // end of the highest mapping
	lastDSN seq.DSN // its data position
	base    baseGuess

	RTT        *float64    // the subflow's smoothed round trip, ns, 0 before any; nil = not known
	duplicates []duplicate // ascending, disjoint; bounded by maxDuplicates
	// arrivesLast is when the last of the copies arrives, as far as known, ns; of
	// duplicates that are gone, too.
	arrivesLast int64

	past      seq.Set[seq.DSN] // data of settled chunks; bounded by maxPast
	elsewhere seq.Set[seq.DSN] // of chunks and past, what another subflow carried too; bounded by maxSeen
}

// The bounds of a lane. Of settled chunks the runs of data stay for a while, so
// that a late reinjection finds out where its data travelled before: a
// sixteenth of what a chunk takes, and neighbours are one run.
const (
	maxChunks = 1 << 16
	maxPast   = 4096 // runs; at the bound the older half is forgotten
)

// MappedUnique returns the octets under a mapping, each position of the subflow once.
func (l *SubflowSpace) MappedUnique() int64 { return l.FirstBytes + l.ReinjectedBytes }

// MappedBytes returns the octets under a mapping, copies included.
func (l *SubflowSpace) MappedBytes() int64 { return l.MappedUnique() + l.RepeatedBytes }

// Mapped reports whether any mapping was announced on the lane.
func (l *SubflowSpace) Mapped() bool { return l.mapped }

// crowd returns how many chunks wait to be settled above what is allowed.
func (l *SubflowSpace) crowd() int { return l.chunks.Len() - maxChunks }

// endsBelow reports whether all chunks of the lane end at or below p.
func (l *SubflowSpace) endsBelow(p seq.DSN) bool {
	last := l.chunks.Back()
	return last == nil || last.Data.End <= p
}

// search returns the place of the first chunk that ends above p.
func (l *SubflowSpace) search(p seq.DSN) seq.Place {
	if l.endsBelow(p) {
		return l.chunks.End()
	}
	return l.chunks.Search(func(c *Chunk) bool { return c.Data.End > p })
}

// over calls f with the chunks that hold any of data r, in ascending order.
func (l *SubflowSpace) over(r seq.Range[seq.DSN], f func(*Chunk)) {
	for c := range l.chunks.From(l.search(r.Start)) {
		if c.Data.Start >= r.End {
			return
		}
		f(c)
	}
}

// begin makes c a chunk of lane l whose life begins with a packet. It fills
// where the chunk stands: a literal would be made elsewhere and copied.
func (c *Chunk) begin(l *SubflowSpace, segments int64, packet uint64, now int64) {
	c.Packet, c.FirstSeen, c.Acked, c.DataAcked, c.InOrder = packet, now, 0, 0, 0
	c.Sub, c.Segments, c.resent = int32(l.ID), int32(segments), false
}

// place returns the place of a chunk of data from p on, which was never seen
// before, wherever it lies. The caller fills it.
func (l *SubflowSpace) place(p seq.DSN) *Chunk {
	if !l.chunks.HasRoom() {
		by := l.chunks.Compact()
		l.nextAcked -= by
		l.nextOrder -= by
		l.marked -= by
	}
	if l.endsBelow(p) {
		return l.chunks.Push()
	}
	before := l.search(p)
	at := l.chunks.Insert(before, Chunk{})
	// The places are of the first chunk that lacks something, and the new one
	// lacks everything. It lies above all that was DATA_ACKed.
	for _, lacks := range [2]*seq.Place{&l.nextAcked, &l.nextOrder} {
		if *lacks >= before {
			*lacks = at
		} else {
			*lacks = l.chunks.Moved(*lacks)
		}
	}
	return l.chunks.At(at)
}

// retire keeps of settled chunks, whose data is r, what a late reinjection
// needs.
func (l *SubflowSpace) retire(r seq.Range[seq.DSN]) {
	l.past.Add(r)
	if l.past.Len() > maxPast && l.past.DropOldest(maxPast/2) {
		l.elsewhere.DropBelow(l.past.First().Start)
	}
}

package dss

import "mpanalyze/internal/seq"

// Chunk is a run of data at its first transmission: data of one packet that no earlier
// packet carried. In a capture at the receiver it is the first arrival. Times are
// nanoseconds; 0 is "not yet".
type Chunk struct {
	Data      seq.Range[seq.DSN]
	SSN       seq.SSN // subflow position of Data.Start
	Acked     int64   // its last byte was acknowledged or SACKed for the first time, on any subflow
	DataAcked int64   // a DATA_ACK covered its last byte
	Segments  int32   // number of segments that it counts as
	Sub       int32   // [SubflowSpace.ID] of the subflow that carried it
	resent    bool    // part of it was retransmitted on its subflow

	FirstSeen int64  // passed the capture point for the first time
	InOrder   int64  // all data below it had passed, too, or was DATA_ACKed
	Packet    uint64 // number of the packet
}

// SubflowSpace is one direction of a subflow: its sequence space, which mappings place
// in the data sequence space.
type SubflowSpace struct {
	// Fields that the fast path uses are neighbours.
	ID         int   // number of the subflow
	FirstBytes int64 // bytes whose first transmission was here

	expected                           expected
	chunks                             seq.List[Chunk] // those not settled, ascending, disjoint; bounded by maxChunks
	firstNotDataAcked, firstNotInOrder seq.Place       // the first chunk that is not DATA_ACKed, not in order
	dataAckedChunks                    int32           // number of chunks before firstNotDataAcked
	pendingBytes                       int32           // of pending
	ackedPlace                         seq.Place       // where the latest acknowledgment ended; may be out of date
	seenPlace                          seq.Place       // the range of Space.seen that the latest data extended; may be out of date
	subflowAckedPlace                  seq.Place       // the range of Space.subflowAcked that the latest acknowledgment extended; may be out of date
	maps                               mappings
	sndUna                             seq.SSN   // acknowledged cumulatively on the subflow
	pending                            []Payload // bounded by maxPending and maxPendingBytes
	sparePending                       []Payload // memory for pending, which placePending swaps

	RepeatedBytes      int64 // bytes retransmitted on the subflow, under a mapping
	ReinjectedBytes    int64
	ReinjectedSame     int64 // the part of ReinjectedBytes that no other subflow carried before
	ReinjectedSegments int64
	UnmappedBytes      int64 // bytes that no mapping covered to the end
	OptionsCut         bool  // the capture cut the options of a packet whose payload waited for a mapping

	mapped  bool    // a mapping was announced
	active  bool    // it is in Space.active
	lastEnd seq.SSN // end of the highest mapping
	lastDSN seq.DSN // its data position
	origin  originGuess

	RTT        *float64    // the subflow's smoothed round-trip time, ns, 0 before the first sample; nil = not known
	duplicates []duplicate // ascending, disjoint; bounded by maxDuplicates
	// lastArrival is when the last reinjection arrives, as far as known, ns; it counts
	// duplicates that were decided, too.
	lastArrival int64

	settledData    seq.Set[seq.DSN] // data of settled chunks; bounded by maxSettled
	reinjectedData seq.Set[seq.DSN] // the part of chunks and settledData that another subflow carried, too; bounded by maxRanges
}

// The bounds of a subflow. The data of settled chunks is remembered for a while, so
// that the kind of a late reinjection is known. That takes at most a sixteenth of the
// memory of a chunk, because neighbours become one range.
const (
	maxChunks  = 1 << 16
	maxSettled = 4096 // ranges; at the bound the older half is dropped
)

// MappedUnique returns the bytes under a mapping, each position of the subflow once.
func (sub *SubflowSpace) MappedUnique() int64 { return sub.FirstBytes + sub.ReinjectedBytes }

// MappedBytes returns the bytes under a mapping, retransmissions included.
func (sub *SubflowSpace) MappedBytes() int64 { return sub.MappedUnique() + sub.RepeatedBytes }

// Mapped reports whether any mapping was announced on the subflow.
func (sub *SubflowSpace) Mapped() bool { return sub.mapped }

// excessChunks returns how many chunks there are above the bound.
func (sub *SubflowSpace) excessChunks() int { return sub.chunks.Len() - maxChunks }

// endsBelow reports whether all chunks of the subflow end at or below p.
func (sub *SubflowSpace) endsBelow(p seq.DSN) bool {
	last := sub.chunks.Back()
	return last == nil || last.Data.End <= p
}

// findChunk returns the place of the first chunk that ends above p.
func (sub *SubflowSpace) findChunk(p seq.DSN) seq.Place {
	if sub.endsBelow(p) {
		return sub.chunks.End()
	}
	return sub.chunks.Search(func(c *Chunk) bool { return c.Data.End > p })
}

// overlapping calls f with the chunks that overlap r, in ascending order.
func (sub *SubflowSpace) overlapping(r seq.Range[seq.DSN], f func(*Chunk)) {
	for c := range sub.chunks.From(sub.findChunk(r.Start)) {
		if c.Data.Start >= r.End {
			return
		}
		f(c)
	}
}

// start sets the fields of a new chunk of sub, except for its position. It assigns
// field by field because the compiler would build a literal on the stack and copy it.
func (c *Chunk) start(sub *SubflowSpace, segments int64, packet uint64, now int64) {
	c.Packet, c.FirstSeen, c.Acked, c.DataAcked, c.InOrder = packet, now, 0, 0, 0
	c.Sub, c.Segments, c.resent = int32(sub.ID), int32(segments), false
}

// newChunk inserts a chunk of data that begins at p and was never seen before. The
// caller fills it.
func (sub *SubflowSpace) newChunk(p seq.DSN) *Chunk {
	if !sub.chunks.HasRoom() {
		by := sub.chunks.Compact()
		sub.firstNotDataAcked -= by
		sub.firstNotInOrder -= by
		sub.ackedPlace -= by
	}
	if sub.endsBelow(p) {
		return sub.chunks.Push()
	}
	before := sub.findChunk(p)
	at := sub.chunks.Insert(before, Chunk{})
	// A new chunk is neither DATA_ACKed nor in order, so it may become the first chunk
	// that is not. It lies above the highest DATA_ACK.
	for _, lacks := range [2]*seq.Place{&sub.firstNotDataAcked, &sub.firstNotInOrder} {
		if *lacks >= before {
			*lacks = at
		} else {
			*lacks = sub.chunks.Moved(*lacks)
		}
	}
	return sub.chunks.At(at)
}

// keepSettled remembers the data r of settled chunks, for late reinjections.
func (sub *SubflowSpace) keepSettled(r seq.Range[seq.DSN]) {
	sub.settledData.Add(r)
	if sub.settledData.Len() > maxSettled && sub.settledData.DropOldest(maxSettled/2) {
		sub.reinjectedData.DropBelow(sub.settledData.First().Start)
	}
}

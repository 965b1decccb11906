package dss

import "mpanalyze/internal/seq"

// MappingPacket returns the number of the packet that announced the data at p on sub; 0
// where no mapping is known that did. It assumes that the mappings of a subflow ascend
// in their data, as senders assign it, and overlooks some where they do not.
func (sub *SubflowSpace) MappingPacket(p seq.DSN) (packet uint64) {
	list := &sub.maps.list
	m := list.At(list.Search(func(m *Mapping) bool { return int64(p-m.DSN) < m.SSN.Len() }))
	if m == nil || m.DSN > p {
		return 0
	}
	return m.Packet
}

// RoomAround is [SubflowSpace.RoomAt] for data at p that sub did carry, but at a later
// position of its stream: it returns the positions between the neighbours of that
// chunk.
func (sub *SubflowSpace) RoomAround(p seq.DSN) (r seq.Range[seq.SSN]) {
	at := sub.findChunk(p)
	below, above := sub.chunks.At(sub.chunks.Prev(at)), sub.chunks.At(sub.chunks.Next(at))
	if below == nil || above == nil {
		return r
	}
	return seq.Range[seq.SSN]{Start: below.SSN + seq.SSN(below.Data.Len()), End: above.SSN}
}

// RoomAt returns the positions of the subflow's stream between the data below p and the
// data above p that it carried; none where it carried no data above.
func (sub *SubflowSpace) RoomAt(p seq.DSN) (r seq.Range[seq.SSN]) {
	at := sub.findChunk(p)
	above := sub.chunks.At(at)
	if above == nil {
		return r
	}
	r.End = above.SSN
	if below := sub.chunks.At(sub.chunks.Prev(at)); below != nil {
		r.Start = below.SSN + seq.SSN(below.Data.Len())
	}
	return r
}

package dss

import "mpanalyze/internal/seq"

// MappingPacket returns the number of the packet that announced the data at p on sub; 0
// if no known mapping covers p. It assumes that later mappings of a subflow map higher
// data, as is usual. It may miss a mapping where that is not so.
func (sub *SubflowSpace) MappingPacket(p seq.DSN) (packet uint64) {
	sub.maps.drop()
	list := &sub.maps.list
	m := list.At(list.Search(func(m *Mapping) bool { return int64(p-m.DSN) < m.SSN.Len() }))
	if m == nil || m.DSN > p {
		return 0
	}
	return m.Packet
}

// Announces reports whether a mapping announced data of the stream at p or above, and says where that ends.
func (sub *SubflowSpace) Announces(p seq.SSN) bool {
	m := sub.maps.newest()
	return m.SSN.End > p && !m.infinite()
}

// RoomAround is like [SubflowSpace.RoomAt], but for data at p that sub did carry later.
// It returns the positions between the neighbours of the chunk with that data.
func (sub *SubflowSpace) RoomAround(p seq.DSN) (r seq.Range[seq.SSN]) {
	at := sub.findChunk(p)
	below, above := sub.chunks.At(sub.chunks.Prev(at)), sub.chunks.At(sub.chunks.Next(at))
	if below == nil || above == nil {
		return r
	}
	return seq.Range[seq.SSN]{Start: below.SSN + seq.SSN(below.Data.Len()), End: above.SSN}
}

// RoomAt returns the positions of the subflow's stream between the data below p and the
// data above p. The range is empty if the subflow carried no data above p.
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

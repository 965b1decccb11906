package dss

import "mpanalyze/internal/seq"

// MappingPacket returns the number of the packet that announced the data at p for
// the lane, 0 where none is known that did. The mappings of a lane are taken to
// ascend in their data, as senders hand it out: of others some are overlooked.
func (l *SubflowSpace) MappingPacket(p seq.DSN) (packet uint64) {
	list := &l.maps.list
	m := list.At(list.Search(func(m *Mapping) bool { return int64(p-m.DSN) < m.SSN.Len() }))
	if m == nil || m.DSN > p {
		return 0
	}
	return m.Packet
}

// RoomAround is [SubflowSpace.Room] for data at p that the lane carries in the chunk there,
// at a later position of its stream: what lies between the neighbours of that chunk.
func (l *SubflowSpace) RoomAround(p seq.DSN) (r seq.Range[seq.SSN]) {
	at := l.search(p)
	below, above := l.chunks.At(l.chunks.Prev(at)), l.chunks.At(l.chunks.Next(at))
	if below == nil || above == nil {
		return r
	}
	return seq.Range[seq.SSN]{Start: below.SSN + seq.SSN(below.Data.Len()), End: above.SSN}
}

// RoomAt returns the positions of the lane's stream that lie between what it
// carried of the data below p and above; none where it carried nothing above.
func (l *SubflowSpace) RoomAt(p seq.DSN) (r seq.Range[seq.SSN]) {
	at := l.search(p)
	above := l.chunks.At(at)
	if above == nil {
		return r
	}
	r.End = above.SSN
	if below := l.chunks.At(l.chunks.Prev(at)); below != nil {
		r.Start = below.SSN + seq.SSN(below.Data.Len())
	}
	return r
}

package dss

// Bytes that an element of a list takes, about.
const (
	chunkBytes   = 128
	mappingBytes = 64
	rangeBytes   = 16
)

// Memory returns about how many bytes of memory the space holds for data that is in
// flight, is missing or waits for a mapping: what grows with the traffic.
func (sp *Space) Memory() int {
	n := rangeBytes * (sp.seen.Len() + sp.held.Len())
	for _, l := range sp.lanes {
		n += chunkBytes*l.chunks.Len() + mappingBytes*l.maps.list.Len() + l.pendingBytes +
			rangeBytes*(len(l.duplicates)+l.past.Len()+l.elsewhere.Len())
	}
	return n
}

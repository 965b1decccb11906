package dss

// About the bytes that an element of a list takes.
const (
	chunkBytes   = 128
	mappingBytes = 64
	rangeBytes   = 16
)

// Memory estimates the bytes of memory that grow with the traffic: those for data in
// flight, for holes and for payload that waits for a mapping. It drops settled chunks that wait
// first, so that the result is the same with [Space.SettleLazily].
func (sp *Space) Memory() int {
	sp.settleAll(false)
	n := rangeBytes * (sp.seen.Len() + sp.subflowAcked.Len())
	for _, sub := range sp.subflows {
		sub.maps.drop()
		n += chunkBytes*sub.chunks.Len() + mappingBytes*sub.maps.list.Len() + int(sub.pendingBytes) +
			rangeBytes*(len(sub.duplicates)+sub.settledData.Len()+sub.reinjectedData.Len())
	}
	return n
}

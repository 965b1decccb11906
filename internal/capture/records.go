package capture

// Records are consecutive packets of one file in memory. Their common values are stored once, so
// each packet takes a [Frame] of 24 bytes instead of a [Raw] of 88 bytes.
type Records struct {
	Num    uint64 // number of the first packet, as in [Raw]
	File   int
	Iface  int
	Group  int
	Link   LinkType
	Bytes  []byte  // from the first record on; after the last one there may be anything
	Frames []Frame // filled up to its capacity

	fileNum uint64 // of the first packet
	offset  int64  // of the first record in its uncompressed file
}

// Frame is one packet of [Records].
type Frame struct {
	Time    int64  // capture time in nanoseconds since the Unix epoch
	At      uint32 // offset of its captured bytes in Records.Bytes
	Len     uint32 // bytes captured
	WireLen uint32 // bytes on the wire
}

// Raw sets raw to packet i.
func (r *Records) Raw(i int, raw *Raw) {
	f := &r.Frames[i]
	*raw = Raw{
		Num: r.Num + uint64(i), FileNum: r.fileNum + uint64(i), Offset: r.offset + int64(f.At) - recordHeaderLen,
		Time: f.Time, WireLen: int(f.WireLen), File: r.File, Iface: r.Iface, Group: r.Group, Link: r.Link,
		Data: r.Bytes[f.At : f.At+f.Len],
	}
}

// addRecords counts packets that are delivered.
func (i *FileInfo) addRecords(frames []Frame) {
	if len(frames) == 0 {
		return
	}
	if i.Packets == 0 {
		i.First, i.Last = frames[0].Time, frames[0].Time
	}
	first, last, wire, cut := i.First, i.Last, uint64(0), uint64(0)
	for k := range frames {
		f := &frames[k]
		first, last = min(first, f.Time), max(last, f.Time)
		wire += uint64(f.WireLen)
		cut += snapped(int(f.Len), int(f.WireLen))
	}
	i.First, i.Last = first, last
	i.Packets += uint64(len(frames))
	i.WireBytes += wire
	i.Snapped += cut
}

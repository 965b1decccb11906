package capture

// LinkType is a link-layer header type as pcap and pcapng files number it
// (the LINKTYPE_ registry of tcpdump.org).
type LinkType uint16

// Raw is one captured packet as it is in its file.
type Raw struct {
	Num     uint64 // number of the packet within the source, from 1, in the order of delivery
	FileNum uint64 // number of the packet within its file, from 1
	Offset  int64  // offset in bytes of the packet's record in its uncompressed file
	Time    int64  // capture time in nanoseconds since the Unix epoch
	WireLen int    // bytes on the wire
	File    int    // index of the file within the source
	Iface   int    // index of the interface within the source
	Group   int    // number of the group of files: each group begins after all files of the group before ended
	Link    LinkType
	Longer  bool   // the record says that fewer bytes were on the wire than it holds; WireLen is what it holds
	Data    []byte // captured bytes, valid until the next call of Next

	// Uncountable says that the record's time is beyond [EarliestTime] and [LatestTime]. Time is
	// that of the packet before in its file, 0 before the first one with a time.
	Uncountable bool

	// Comments are the packet's comments in a pcapng file, with [Options.Comments].
	Comments []string
}

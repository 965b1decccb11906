package mutate

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// Transformation is a way in which the same packets could have been numbered, sent or captured
// otherwise. The report on a connection must not show it, but for the leaves in May.
type Transformation struct {
	Name   string
	Change func(c *Transformed) bool // of packets; false: nothing to change in such a capture. nil: no change
	Files  func(c *Capture) [][]byte // how packets are written; nil: as one pcap file
	Pack   []string                  // a command that compresses the files, from standard input to standard output
	Stdin  bool                      // whether the capture comes from a pipe
	Flags  []string                  // of every command
	May    []string                  // leaves of the document that may differ: see [Allowed]
	Except map[string]string         // sessions, by the beginnings of their names, that it does tell something, and what
}

// Transformed is a capture that a transformation changes.
type Transformed struct {
	*Capture
	Host  string            // whose capture it is: "client", "server", "" where that is not known
	Ports map[string]string // ports of the report and what replaces them
	texts map[string]string // texts of the report and what replaces them
}

// Allowed reports whether a leaf may differ. A pattern is the beginning of the name of a leaf, or
// with a star before it any part from a point on.
func (x *Transformation) Allowed(leaf string) bool {
	return slices.ContainsFunc(slices.Concat(fileLeaves, x.May), func(pattern string) bool {
		if end, ok := strings.CutPrefix(pattern, "*"); ok {
			return strings.HasSuffix(leaf, end) || strings.Contains(leaf, end+".")
		}
		return leaf == pattern || strings.HasPrefix(leaf, pattern+".")
	})
}

// fileLeaves are the leaves that say how a file was written, and not what was on the network.
var fileLeaves = []string{"captures.file", "captures.format", "captures.snaplen", "captures.bytes", "captures.sha256"}

// Leaves that several transformations may change.
var (
	linkLeaves = []string{"captures.link_types", "*.vantage_evidence"}
	// ipLeaves change where the link layer holds IP alone.
	ipLeaves  = slices.Concat(linkLeaves, packetLeaves)
	timeNames = []string{"captures.first", "captures.last", "*.start"}
	// packetLeaves change where a capture has more packets.
	packetLeaves = []string{"captures.packets", "captures.skipped", "captures.snapped_packets", "captures.first", "captures.last", "*.packet"}
)

// optionLeaves change where options take other room of a segment (RFC 9293, Section 3.7.1).
var optionLeaves = []string{"*.cwnd_estimate_mss", "*.cwnd_decisions"}

// Transformations is the table of what no report may show. A new line is tried on every session.
var Transformations = []Transformation{
	{Name: "rewritten"},
	{Name: "pcap, big endian", Files: as(Format{Nano: true, BigEndian: true})},
	{Name: "pcap, microseconds", Change: wholeMicroseconds, Files: as(Format{})},
	{Name: "pcapng", Files: as(Format{NG: true})},
	{Name: "pcapng, big endian", Files: as(Format{NG: true, BigEndian: true})},
	{Name: "pcapng, microseconds", Change: wholeMicroseconds, Files: as(Format{NG: true, Resolution: 6})},
	{Name: "pcapng, picoseconds", Files: as(Format{NG: true, Resolution: 12})},
	{Name: "pcapng, 2^-40 s", Files: as(Format{NG: true, Resolution: 0x80 | 40})},
	{Name: "pcapng, interfaces", Change: interfaceOfPath, Files: as(Format{NG: true}), May: []string{"captures.link_types"}},
	{Name: "pcapng, sections and other blocks", Files: blocksBetween},
	{Name: "gzip", Pack: []string{"gzip", "-c"}},
	{Name: "zstd", Pack: []string{"zstd", "-c"}},
	{Name: "xz", Pack: []string{"xz", "-1", "-c"}},
	{Name: "lz4", Pack: []string{"lz4", "-c"}},
	{Name: "a pipe", Stdin: true},
	{Name: "a pipe, pcapng, zstd", Files: as(Format{NG: true}), Pack: []string{"zstd", "-c"}, Stdin: true},
	{Name: "2 files", Change: inOrder, Files: parts(2), May: []string{"captures"}},
	{Name: "5 files in another order", Change: inOrder, Files: shuffled(parts(5)), May: []string{"captures"}, Except: halves},
	{Name: "a file for each path", Change: apart(interfaceOfPath), Files: byInterface, May: []string{"captures"}},
	{Name: "a file for each direction", Change: apart(every(interfaceOfDirection)), Files: byInterface, May: []string{"captures"}},

	{Name: "from 0 on", Change: startAt(0), May: timeNames},
	{Name: "from 1970 on", Change: startAt(1), May: timeNames},
	{Name: "from 2038 on", Change: startAt(1<<31 - 1), May: timeNames},
	{Name: "in 2100", Change: startAt(4102444799), May: timeNames},
	{Name: "before 1970", Change: startAt(-1), Files: as(Format{NG: true}), May: timeNames},

	{Name: "as Linux cooked v1", Change: link(linkSLL), May: linkLeaves, Except: knowsHost},
	{Name: "as Linux cooked v2", Change: link(linkSLL2), May: linkLeaves, Except: knowsHost},
	{Name: "as raw IP", Change: link(linkRaw), May: ipLeaves},
	{Name: "as raw IP, BSD", Change: link(12), May: ipLeaves},
	{Name: "as IPv4 or IPv6 alone", Change: oneFamily, May: ipLeaves},
	{Name: "as null", Change: link(0), May: ipLeaves},
	{Name: "as loopback", Change: link(108), May: ipLeaves},
	{Name: "as PPP", Change: link(9), May: ipLeaves},
	{Name: "other MAC addresses", Change: ethernetPackets(macAddresses)},
	{Name: "VLAN tag", Change: ethernet(tagged(0x8100, 100))},
	{Name: "two VLAN tags", Change: ethernet(func(b []byte) []byte { return tagged(0x88a8, 7)(tagged(0x8100, 100)(b)) })},
	{Name: "MPLS", Change: ethernet(labelled)},
	{Name: "PPPoE", Change: ethernet(overPPPoE)},
	{Name: "LLC and SNAP", Change: ethernet(overLLC)},
	{Name: "padded to 60 bytes", Change: ethernetPackets(padded)},
	{Name: "frame check sequence", Change: ethernetPackets(checkSequence), May: []string{"captures.snapped_packets"}},

	{Name: "IP in IP", Change: tunnelled(inIP), Flags: decap, May: tunnelLeaves},
	{Name: "IP in IPv6", Change: tunnelled(inIPv6), Flags: decap, May: tunnelLeaves},
	{Name: "GRE", Change: tunnelled(inGRE), Flags: decap, May: tunnelLeaves},
	{Name: "Ethernet in GRE", Change: tunnelled(inGREBridged), Flags: decap, May: tunnelLeaves},
	{Name: "VXLAN", Change: tunnelled(overUDP(4789, 8, 0, 0, 0, 0, 0, 7, 0)), Flags: decap, May: tunnelLeaves},
	{Name: "Geneve", Change: tunnelled(overUDP(6081, 0, 0, 0x65, 0x58, 0, 0, 7, 0)), Flags: decap, May: tunnelLeaves},
	{Name: "GTP-U", Change: tunnelled(inGTPU), Flags: decap, May: tunnelLeaves},
	{Name: "fragments", Change: fragmented, May: packetLeaves},
	{Name: "fragments, the last one first", Change: func(c *Transformed) bool { return cutUp(c, slices.Reverse[[]Packet]) }, May: packetLeaves},

	{Name: "other addresses", Change: addresses(false)},
	{Name: "addresses in the opposite order", Change: addresses(true)},
	{Name: "IPv4 as IPv6", Change: asIPv6},
	{Name: "other ports", Change: ports},
	{Name: "sequence numbers wrap", Change: sequences(1 << 32)},
	{Name: "sequence numbers pass 2^31", Change: sequences(1 << 31)},
	{Name: "timestamps wrap", Change: tcpTimestamps(1 << 32)},
	{Name: "timestamps pass 2^31", Change: tcpTimestamps(1 << 31)},
	{Name: "other keys: DSNs wrap at 2^32", Change: otherKeys, May: []string{"*.token_a", "*.token_b"}},
	{Name: "IP identifications", Change: identifications},
	{Name: "time to live", Change: every(timeToLive)},
	{Name: "DSCP and flow labels", Change: every(trafficClass)},
	{Name: "IP options and extension headers", Change: every(ipOptions)},
	{Name: "NOPs before the options", Change: every(paddedOptions), May: optionLeaves},
	{Name: "an option that nobody knows", Change: every(unknownOption), May: optionLeaves},
	{Name: "checksums left to the card", Change: checksumsOfCard},

	{Name: "snapped to headers", Change: snapped, May: []string{"captures.snapped_packets"}, Except: wholePayload},
	{Name: "foreign packets", Change: foreign, May: packetLeaves},
	{Name: "a foreign TCP connection", Change: foreignTCP, May: slices.Concat(packetLeaves, []string{"tcp", "summary"}), Except: copies},
	{Name: "a second connection", Change: secondConnection, May: slices.Concat(packetLeaves, []string{"connections[1]", "summary", "tcp", "warnings"}), Except: copies},
	{Name: "each packet again with a VLAN tag", Change: again, May: slices.Concat(packetLeaves, []string{"warnings.copies_on_one_interface", "*.packets_twice"}), Except: copies},
	{Name: "packets of two processors out of order in the file", Change: fileOrder, May: []string{"*.packet"}},
}

var (
	decap        = []string{"--decap"}
	tunnelLeaves = []string{"made_by.options.decap", "captures.snapped_packets"}

	knowsHost = map[string]string{"sessions/v1/o-tso-veth": "handshakes within microseconds do not show the host; a cooked header does"}
	copies    = map[string]string{"cases/twice": "how many of the packets are copies is said in percent"}
	// halves are captures in which the end of a file parts a packet from its copy. Such a copy counts as
	// a second packet: files are interfaces of their own.
	halves = map[string]string{"cases/twice": "copies in two files"}
	// wholePayload are captures whose payload shows a wrong DSS checksum.
	wholePayload = map[string]string{
		"cases/mp-capable-24-bytes": "a checksum that fails", "sessions/v1/h-csum-flip-two": "checksums that fail",
	}
)

// Excepted reports whether a transformation is not tried on a session.
func (x *Transformation) Excepted(session string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(x.Except)), func(name string) bool { return strings.HasPrefix(session, name) })
}

// ReadAll reads the captures of one host.
func ReadAll(paths ...string) (*Capture, error) {
	all := &Capture{}
	for i, path := range paths {
		one, err := Read(path, 0, math.MaxInt)
		if err != nil {
			return nil, err
		}
		for _, p := range one.Packets {
			p.Iface += i
			all.Packets = append(all.Packets, p)
		}
		all.Link = one.Link
	}
	if len(paths) > 1 {
		all.sort()
	}
	return all, nil
}

// sort puts packets in the order of their times; those of equal times stay in their order.
func (c *Capture) sort() {
	slices.SortStableFunc(c.Packets, func(a, b Packet) int { return cmp.Compare(a.Time, b.Time) })
}

// Clone returns a capture whose packets have bytes of their own.
func (c *Capture) Clone() *Capture {
	out := c.with(nil)
	for _, p := range c.Packets {
		out.Packets = append(out.Packets, p.clone())
	}
	return out
}

// Replacer returns what replaces the texts of the report: the longest of them first.
func (c *Transformed) Replacer() *strings.Replacer {
	var all []string
	for _, old := range slices.SortedFunc(maps.Keys(c.texts), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }) {
		all = append(all, old, c.texts[old])
	}
	return strings.NewReplacer(all...)
}

// replaced enters a text of the report and what replaces it.
func (c *Transformed) replaced(old, by string) {
	if c.texts == nil {
		c.texts = map[string]string{}
	}
	c.texts[old] = by
}

// Written returns the files of the capture.
func (x *Transformation) Written(c *Capture) [][]byte {
	if x.Files == nil {
		return as(Format{Nano: true})(c)
	}
	return x.Files(c)
}

// ordered reports whether no time is before that of the packet before. Captures of clocks that were
// set cannot be sorted.
func (c *Capture) ordered() bool {
	return slices.IsSortedFunc(c.Packets, func(a, b Packet) int { return cmp.Compare(a.Time, b.Time) })
}

// each calls change with every TCP packet. It reports whether there was one.
func (c *Capture) each(change func(h *header)) (any bool) {
	for i := range c.Packets {
		if h, ok := find(c.Link, &c.Packets[i]); ok {
			change(&h)
			any = true
		}
	}
	return any
}

// every returns a function that changes each TCP packet.
func every(change func(h *header)) func(*Transformed) bool {
	return func(c *Transformed) bool { return c.each(change) }
}

// flow is a direction of a TCP connection: addresses and ports.
type flow struct{ src, dst, ports string }

func (h *header) flow() flow {
	from, to := h.addresses()
	return flow{string(from), string(to), string(h.bytes()[:4])}
}

// back returns the other direction.
func (f flow) back() flow { return flow{f.dst, f.src, f.ports[2:] + f.ports[:2]} }

// outgoing returns the addresses of the host whose capture it is: Linux opens every subflow of the
// bundled sessions at the client.
func (c *Transformed) outgoing() map[string]bool {
	if c.Host == "" {
		return nil
	}
	own := map[string]bool{}
	c.each(func(h *header) {
		if h.has(syn) && !h.has(ack) {
			from, to := h.addresses()
			own[string(map[string][]byte{"client": from, "server": to}[c.Host])] = true
		}
	})
	return own
}

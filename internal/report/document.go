package report

// SchemaName is the value of [Document.Schema].
const SchemaName = "mpanalyze/1"

// Document is the report on one analysis: everything that was read, and every
// connection found in it.
type Document struct {
	// Name and version of this format. Fields may be added within a version; none is renamed and none changes its unit.
	Schema string `json:"schema"`
	// What made this report; null in reports of versions that did not say so.
	MadeBy *MadeBy `json:"made_by" null:"none"`
	// Plain TCP connections that were not asked for (analyze --tcp none).
	LeftOutTCP int `json:"-"`
	// The files that were read, in the order in which they were given.
	Captures List[Capture] `json:"captures"`
	// The Multipath TCP connections, by the time of their first packet; attempts that never got further than their first handshake in the short form.
	Connections List[Connection] `json:"connections"`
	// The TCP connections that are not Multipath TCP, by the time of their first packet; those that never carried data in the short form (analyze --tcp).
	TCP List[TCP] `json:"tcp"`
	// How the clocks of two captures differ; null in a report on the capture of one host.
	Clock *Clock `json:"clock" null:"none"`
	// Multipath TCP compared with plain TCP on the same paths (--extra fairness); null unless it was asked for.
	Fairness *Fairness `json:"fairness" null:"none"`
	// Records of the hosts that were read beside the captures (--evidence).
	Hosts List[HostRecords] `json:"hosts"`
	// What was odd in the captures, counted by kind.
	Warnings List[Warning] `json:"warnings"`
}

// Capture is one file as it was read.
type Capture struct {
	// Name of the file as given; "-" is standard input.
	File string `json:"file"`
	// Whose capture it is in a report on both ends: "sender" or "receiver" of most of the data; null in a report on the capture of one host.
	Host *Host `json:"host" null:"none"`
	// SHA-256 of the file as it is on disk, in hexadecimal digits; null unless --tables hash asks for it; null for a pipe.
	SHA256 *string `json:"sha256" null:"none"`
	// Format of the file, "pcap" or "pcapng", with the compression around it, as in "pcapng+zstd".
	Format string `json:"format"`
	// Link types of the interfaces in the file, by the names of the tcpdump registry without "LINKTYPE_".
	LinkTypes List[string] `json:"link_types"`
	// Largest number of bytes kept of a packet; 0 where the file names no limit.
	SnapLen int64 `json:"snaplen"`
	// Packets read.
	Packets int64 `json:"packets"`
	// Bytes of these packets on the wire, link-layer headers included.
	Bytes int64 `json:"bytes"`
	// Time of the earliest packet, RFC 3339 with nanoseconds; null if there is none.
	First *Time `json:"first" null:"none"`
	// Time of the latest packet, RFC 3339 with nanoseconds; null if there is none.
	Last *Time `json:"last" null:"none"`
	// Whether the file ends inside a packet or is damaged: the report then holds everything before that point.
	Truncated bool `json:"truncated"`
	// Where and why reading stopped; null for a sound file.
	Damage *Damage `json:"damage" null:"none"`
	// Packets that the snapshot length cut. That is not damage: only figures that need the payload are missing.
	Snapped int64 `json:"snapped_packets"`
	// Packets that were left out of the analysis, by reason.
	Skipped Skipped `json:"skipped"`
}

// Damage is the place at which a capture file stops making sense.
type Damage struct {
	// Number of the last packet that was read whole, from 1; 0 if there was none.
	Packet int64 `json:"packet"`
	// Offset in bytes into the uncompressed file at which the unreadable part begins.
	Offset int64 `json:"offset"`
	// What is wrong there.
	Message string `json:"message"`
}

// Skipped counts the packets of a capture that the analysis left out.
type Skipped struct {
	// Packets that are neither IPv4 nor IPv6.
	NotIP int64 `json:"not_ip"`
	// IP packets of another protocol than TCP.
	NotTCP int64 `json:"not_tcp"`
	// IP fragments whose datagram was never complete in the capture.
	Fragments int64 `json:"fragments"`
	// Packets whose IP or TCP header is cut off or contradicts itself.
	Malformed int64 `json:"malformed"`
	// Second copies of a packet that the capture saw on several interfaces, or of most packets on one (warning copies_on_one_interface).
	Duplicates int64 `json:"duplicates"`
	// Packets that the filter expression did not match.
	Filtered int64 `json:"filtered"`
	// TCP packets that no connection of the report counts: RSTs of which the capture has nothing else, and packets of connections that had ended.
	NoConnection int64 `json:"no_connection"`
}

// Codes of warnings about the command line.
const (
	WarnExchanged = "hosts_exchanged" // the captures of both hosts were given in the wrong order
	WarnUnused    = "label_unused"    // labels fit no address
)

// Warning is one kind of oddity with its first occurrence.
type Warning struct {
	// Stable name of the kind, for programs.
	Code string `json:"code"`
	// The same for people, with what to do about it.
	Message string `json:"message"`
	// Number of the first packet concerned, from 1; null where no single packet is.
	Packet *int64 `json:"packet" null:"none"`
	// How many packets or connections are concerned.
	Count int64 `json:"count"`
	// Seconds from the first TCP packet of the host's captures to that packet, steps of the clock left out, below zero where its time lies before that packet; null but for clock_stepped, packets_out_of_order and times_out_of_order.
	TS *float64 `json:"t_s" null:"none"`
	// By how much the clock was set forward before that packet, below zero for back, seconds; of packets out of order the most that the time of one is before its place, or below zero behind it; null for other kinds.
	StepS *float64 `json:"step_s" null:"none"`
	// Name of the file that the packet number counts in; null where the warning concerns no single file.
	File *string `json:"file" null:"none"`
	// Id of the connection concerned; null where it concerns none, or several.
	Connection *int `json:"connection" null:"none"`
}

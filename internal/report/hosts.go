package report

// HostRecords is what the records of one host say (analyze --evidence), and which files they are.
type HostRecords struct {
	// End of the connections that the host is, as its rows show it, else as the user named it; null where neither tells.
	Host *Side `json:"host" null:"none"`
	// The paths that were given.
	From List[string] `json:"from"`
	// Release of its kernel; null where no file has it.
	Kernel *string `json:"kernel" null:"none"`
	// Version of iproute2; null where no file has it.
	IPRoute *string `json:"iproute" null:"none"`
	// The files that were read.
	Files List[RecordFile] `json:"files"`
	// How the stamps in its files stand to the time of the capture.
	Clock RecordClock `json:"clock"`
	// What ip mptcp limits says; null where no file has it.
	Limits *RecordLimits `json:"limits" null:"none"`
	// What ip mptcp endpoint lists, before the session where several files have it; null where no file has it.
	Endpoints *List[RecordEndpoint] `json:"endpoints" null:"none"`
	// Settings of the kernel, by name.
	Sysctl Reasons `json:"sysctl"`
	// Counters of the whole host, by name: their value after less that before. Other connections that ran meanwhile count, too.
	Counters *Counts `json:"counters"`
	// Its devices.
	Interfaces List[RecordInterface] `json:"interfaces"`
	// Why a value is null, by its name.
	Unavailable Reasons `json:"unavailable"`
}

// RecordFile is a file of records, or a part of a bundle.
type RecordFile struct {
	// Name of the file without its folder.
	File string `json:"file"`
	// What it holds: ss, monitor, nstat, endpoints, limits, sysctl, qdisc, link, addr, route, uname, offload, firewall, tcpdump, trace, proc_mptcp or bundle; null where its content is not known.
	Kind *string `json:"kind" null:"none"`
	// Command of the part of a bundle; null for a whole file.
	Part *string `json:"part" null:"none"`
	// Samples in it: stamps with at least one row.
	Samples int64 `json:"samples"`
	// Rows of sockets in any state, or lines of other kinds that can be read.
	Rows int64 `json:"rows"`
	// Rows that join no connection of the captures, or that nobody can use, and lines that cannot be read.
	RowsUnused int64 `json:"rows_unused"`
	// Fields of rows that are not known, and were ignored.
	UnknownFields int64 `json:"unknown_fields"`
	// The first stamp in it, as it stands there; null where it has none.
	First *Time `json:"first" null:"none"`
	// The last stamp in it; null where it has none.
	Last *Time `json:"last" null:"none"`
	// How much of it was used.
	Status RecordStatus `json:"status"`
	// Why it was not used, or only in part; null where all was used.
	Reason *string `json:"reason" null:"none"`
}

// RecordStatus says how much of a file was used.
type RecordStatus string

// The statuses.
const (
	RecordUsed   RecordStatus = "used"
	RecordPartly RecordStatus = "partly"
	RecordUnused RecordStatus = "unused"
)

// RecordClock is how the stamps of a host's records stand to the time of the capture.
type RecordClock struct {
	// How the times were found.
	Method ClockMethod `json:"method"`
	// What is added to a stamp to get the time of the capture, ms.
	OffsetMS *float64 `json:"offset_ms"`
	// Half the time in which the counters of a row and of the packets are equal, ms: the median over rows.
	UncertaintyMS *float64 `json:"uncertainty_ms"`
	// Rows whose counters fit the packets.
	Rows int64 `json:"rows"`
	// Why a value is null, by its name.
	Unavailable Reasons `json:"unavailable"`
}

// ClockMethod says how the times of records were found.
type ClockMethod string

// The methods: the host captured, and no counter tells more; by counters that packets have, too;
// by the clocks of two captures; none.
const (
	ClockSame     ClockMethod = "same"
	ClockCounters ClockMethod = "counters"
	ClockPair     ClockMethod = "pair"
	ClockNone     ClockMethod = "none"
)

// RecordLimits is what ip mptcp limits says.
type RecordLimits struct {
	// Most further subflows of a connection.
	Subflows int64 `json:"subflows"`
	// Most announced addresses that the host joins.
	AddAddrAccepted int64 `json:"add_addr_accepted"`
}

// RecordEndpoint is an address that the host uses for further subflows, or announces.
type RecordEndpoint struct {
	// Its address.
	Address string `json:"address"`
	// Its port; null where it has none.
	Port *int `json:"port" null:"none"`
	// Its address id.
	ID int `json:"id"`
	// Its flags.
	Flags List[string] `json:"flags"`
	// Its device; null where it has none.
	Dev *string `json:"dev" null:"none"`
}

// RecordInterface is a device of a host. Numbers are those of the later file less those of the
// earlier one, where there are two.
type RecordInterface struct {
	// Its name.
	Dev string `json:"dev"`
	// Its addresses.
	Addresses List[string] `json:"addresses"`
	// Whether it is up, in the last file; null where no file says it.
	Up *bool `json:"up" null:"none"`
	// Its queue; null where no file has it.
	Qdisc *string `json:"qdisc" null:"none"`
	// Packets that it sent; null where no file counts them.
	SentPackets *int64 `json:"sent_packets" null:"none"`
	// Packets that it received; null where no file counts them.
	ReceivedPackets *int64 `json:"received_packets" null:"none"`
	// Packets that it dropped instead of sending; null where no file counts them.
	TxDropped *int64 `json:"tx_dropped" null:"none"`
	// Packets that it dropped when they came; null where no file counts them.
	RxDropped *int64 `json:"rx_dropped" null:"none"`
	// Packets that its queue dropped; null where no file counts them.
	QdiscDropped *int64 `json:"qdisc_dropped" null:"none"`
	// Times that its queue held a packet back because of a limit on the rate; null where no file counts them.
	QdiscOverlimits *int64 `json:"qdisc_overlimits" null:"none"`
	// Bytes in its queue when the last file was made; null where no file counts them.
	QdiscBacklog *int64 `json:"qdisc_backlog_bytes" null:"none"`
}

// Counts are numbers by name.
type Counts map[string]int64

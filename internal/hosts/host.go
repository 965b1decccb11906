package hosts

import (
	"net/netip"
	"slices"
	"strings"

	"mpanalyze/internal/report"
	"mpanalyze/internal/storage"
)

// A Source is a path that the user gave: a file or a folder.
type Source struct {
	End  report.Side // of the connections that its host is; empty if the user did not name it
	Path string
}

// File is one file as it was read, or one part of a bundle.
type File struct {
	Path    string // as it was opened
	Name    string // the last element of Path
	Kind    Kind
	Part    string // of a part of a bundle: its command; else empty
	Samples int64  // samples with at least one row
	Rows    int64  // rows of sockets, lines or entries of other kinds
	First   int64  // first stamp, ns since the Unix epoch; NoStamp if there is none
	Last    int64  // last stamp
	Status  report.RecordStatus
	Reason  string // why it is not used, or only in part; else empty
	Strange bool   // it is not used, and nothing explains what it is

	Cut           int // the first line in which a row ends too early; 0 for none
	CutRows       int64
	RowsUnused    int64 // rows that nobody can use
	Unread        int64 // lines that cannot be read
	UnknownFields int64 // fields of rows that are not known
	Resolution    int64 // of the stamps, ns; 0 if there is none

	stamped     bool // its first lines have stamps
	firstUnread string
	files       *storage.Files // see [Read]
}

// NoStamp is the stamp of a row without time.
const NoStamp = -1 << 63

// Ref is a place in a file.
type Ref struct {
	File *File
	Line int // from 1
}

// Host is what the files of one host say about it.
type Host struct {
	End    report.Side
	From   []string // the paths that the user gave
	Files  []*File
	Kernel string // release of the kernel; empty if no file has it
	Tools  string // version of iproute2; empty if no file has it

	Records    map[Kind][]*Record // in the order of their files
	States     map[Thing]State    // of what has a state
	Interfaces []*Interface       // in the order of their first record
	Listeners  []Listener         // bounded by maxLines

	Events []*Event // of ip mptcp monitor; bounded by maxEvents

	take    func(*Row)      // takes the rows of ss
	seen    map[string]bool // paths
	sampled bool            // a file of ss with stamps was read
}

// Interface is a device that files about links, addresses and queues tell of; its states are records of
// the kinds Link and Qdisc with its name.
type Interface struct {
	Dev       string
	Addresses []netip.Addr
}

// device returns the device with a name; it adds one if there is none.
func (h *Host) device(name string) *Interface {
	for _, i := range h.Interfaces {
		if i.Dev == name {
			return i
		}
	}
	if len(h.Interfaces) >= maxLines {
		return new(Interface)
	}
	i := &Interface{Dev: name}
	h.Interfaces = append(h.Interfaces, i)
	return i
}

// addAddress adds 10.2.1.1/24.
func (i *Interface) addAddress(text string) {
	text, _, _ = strings.Cut(text, "/")
	a, ok := parseAddr([]byte(text))
	if ok && len(i.Addresses) < maxLines && !slices.Contains(i.Addresses, a) {
		i.Addresses = append(i.Addresses, a)
	}
}

// DeviceOf returns the name of the device that has an address; empty if no file tells it.
func (h *Host) DeviceOf(a netip.Addr) string {
	for _, i := range h.Interfaces {
		if slices.Contains(i.Addresses, a) {
			return i.Dev
		}
	}
	return ""
}

// Listener is a socket that waits for connections.
type Listener struct {
	Ref
	Port  int
	MPTCP bool
	Sure  bool // the file tells whether it is one of Multipath TCP
}

// Kind is what a file holds.
type Kind string

// The kinds of file that code asks for; Unknown is none of them. forms.txt has all.
const (
	Unknown   Kind = ""
	SS        Kind = "ss"
	Monitor   Kind = "monitor"
	Nstat     Kind = "nstat"
	Endpoints Kind = "endpoints"
	Limits    Kind = "limits"
	Sysctl    Kind = "sysctl"
	Qdisc     Kind = "qdisc"
	Link      Kind = "link"
	Addr      Kind = "addr"
	Route     Kind = "route"
	Firewall  Kind = "firewall"
	Tcpdump   Kind = "tcpdump"
	ProcMPTCP Kind = "proc_mptcp"
	Bundle    Kind = "bundle"
)

package hosts

import (
	"net/netip"
	"slices"

	"mpanalyze/internal/report"
)

// A Source is a path that the user gave: a file or a folder.
type Source struct {
	End  report.Side // of the connections that its host is; empty if the user did not name it
	Path string
}

// Host is what the files of one host say about it.
type Host struct {
	End    report.Side
	From   []string // the paths that the user gave
	Files  []*File
	Kernel string // release of the kernel; empty if no file has it
	Tools  string // version of iproute2; empty if no file has it

	Records map[Kind][]*Record // in the order of their files
	States  map[Thing]State    // of what has a state

	take    func(*Row) // takes the rows of ss
	sampled bool       // a file of ss with stamps was read
}

// First returns the first record of a kind that fits; nil for none.
func (h *Host) First(k Kind, fits func(*Record) bool) *Record {
	for _, r := range h.Records[k] {
		if fits(r) {
			return r
		}
	}
	return nil
}

// Device returns what is kept of a device with its addresses; nil if no file tells of it.
func (h *Host) Device(name string) *Record {
	return h.First(Addr, func(r *Record) bool { return r.Name == name })
}

// DeviceOf returns the name of the device that has an address; empty if no file tells it.
func (h *Host) DeviceOf(a netip.Addr) string {
	if r := h.First(Addr, func(r *Record) bool { return slices.Contains(r.Addresses, a) }); r != nil {
		return r.Name
	}
	return ""
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
	Listener  Kind = "listener" // of no file: sockets of the rows of ss that wait for connections
)

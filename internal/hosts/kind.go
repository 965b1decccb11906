package hosts

// Kind is what a file holds.
type Kind string

// The kinds of file; Unknown is none of them.
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
	Uname     Kind = "uname"
	Offload   Kind = "offload"
	Firewall  Kind = "firewall"
	Tcpdump   Kind = "tcpdump"
	Trace     Kind = "trace"
	ProcMPTCP Kind = "proc_mptcp"
	Bundle    Kind = "bundle"
)

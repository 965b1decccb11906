package remedy

import "mpanalyze/internal/report"

// Places in the menus of OpenMPTCProuter, v0.64; the interface has one setting in both
// places. Sources: luci-app-mptcp/docs/mptcp-guide.md and
// luci-app-openmptcprouter/docs/wizard-guide.md of github.com/Ysurac/openmptcprouter-feeds.
const (
	menu      = "Network > MPTCP"
	perWAN    = "Network > MPTCP > Interfaces Settings, or System > OpenMPTCProuter, step WAN: Multipath TCP of that interface"
	scheduler = "Multipath TCP scheduler in " + menu + " (it decides on uploads; the VPS decides on downloads)"
)

// router has what OpenMPTCProuter sets in its own menus. Its scripts write endpoints and
// limits anew when an interface changes, so a command does not last there. Verdicts without
// a text here get the settings of Linux.
var router = map[report.VerdictCode]string{
	report.VerdictNotRequested: menu + ": Multipath TCP, enable; only what goes through its proxy or VPN gets Multipath TCP",
	report.VerdictSYNDropped:   "System > OpenMPTCProuter, step WAN: MPTCP over VPN for a link whose provider drops the option; " + menu + ", with kernel 6.18: Blackhole timeout, 0 switches that off",

	report.VerdictJoinRefused:  menu + ": Max subflows, at least the number of links; the same on the VPS, ip mptcp limits set subflow N",
	report.VerdictJoinAborted:  menu + ": Max subflows, at least the number of links; the same on the VPS, ip mptcp limits set subflow N",
	report.VerdictJoinStripped: "System > OpenMPTCProuter, step WAN: MPTCP over VPN for the link that removes the option",
	report.VerdictSinglePath:   perWAN + " enabled, for one of them master; " + menu + ": Max subflows, at least the number of links",

	report.VerdictAddAddrNotEchoed: menu + ": Control message timeout is the time after which ADD_ADDR is repeated at the latest (120 s by default)",
	report.VerdictAddAddrNotJoined: menu + ": Max add address and Max subflows (the kernel accepts no address by default)",

	report.VerdictPathDied:     perWAN + " disabled withdraws its address; Retransmission intervals in " + menu + " (4 by default): fewer give up a subflow without answers sooner, but lossy subflows, too",
	report.VerdictBackup:       perWAN + " enabled, in place of backup",
	report.VerdictPathUnused:   perWAN + " shows whether it is a backup; " + scheduler + ": default takes the path whose queue will be sent first",
	report.VerdictPathIdle:     scheduler + ": default takes the path whose queue will be sent first, bpf_rr all in turn, slow ones too, bpf_first one alone",
	report.VerdictCopies:       scheduler + ": bpf_red (redundant on kernels before 6) sends copies on purpose; default does not",
	report.VerdictUnequalPaths: perWAN + " backup; " + scheduler + ": bpf_red sends all data over each path, for the least delay but no sum of rates",
	report.VerdictHoLBlocked:   perWAN + " backup; " + scheduler + ": bpf_red sends all data over each path, for the least delay but no sum of rates",
	report.VerdictStalled:      "Retransmission intervals in " + menu + " (4 by default): with fewer, the data of a subflow without answers is sent sooner on another one",
	report.VerdictChecksum:     menu + ": Multipath TCP checksum, enable, turns them on",
}

package remedy

import "strings"

// setting is a command or a sysctl of the texts. In a command, N stands for a number, ADDRESS
// for an address of the host, INTERFACE for its interface, NAME and PROGRAM for names.
type setting struct {
	text    string
	since   release // first release of mainline Linux that is known to have it; zero for what every kernel has
	without string  // what a kernel that lacks it does or takes instead, a clause; empty for nothing
	module  string  // the kernel module that has it; empty for the kernel itself
	foreign bool    // mainline Linux does not have it
	source  string  // where it is described, and which release has it
}

// Names of sources.
const (
	sysctlDoc  = "Documentation/networking/mptcp-sysctl.rst of Linux "
	ipManual   = "ip-mptcp(8)"
	tcpDoc     = "Documentation/networking/ip-sysctl.rst"
	oldCode    = "net/mptcp/mptcp_ctrl.c of github.com/multipath-tcp/mptcp"
	oldGuide   = "multipath-tcp.org, Users/ConfigureMPTCP"
	routerCode = "github.com/Ysurac/openmptcprouter-feeds, luci-app-mptcp"
)

// settings has every command and every sysctl of the texts. Tests run those that the
// kernel has.
var settings = []setting{
	{text: "sysctl -w net.mptcp.enabled=1", since: release{5, 6}, source: sysctlDoc + "5.15; with the first part of Multipath TCP in 5.6"},
	{text: "mptcpize run PROGRAM", since: release{5, 6}, source: "mptcpize(8), package mptcpd"},
	{text: "ip mptcp endpoint show", since: release{5, 7}, source: ipManual + "; path manager of 5.7"},
	{text: "ip mptcp endpoint add ADDRESS dev INTERFACE subflow", since: release{5, 7}, source: ipManual + "; path manager of 5.7"},
	{text: "ip mptcp endpoint add ADDRESS dev INTERFACE subflow fullmesh", since: release{5, 15}, source: ipManual + "; commit 2843ff6f36db of August 2021, for 5.15"},
	{
		text: "ip mptcp endpoint add ADDRESS dev INTERFACE laminar", since: release{6, 18},
		without: "which local address a subflow to an announced address gets is up to the routes, or to fullmesh endpoints, which all try it",
		source:  ipManual + " of newer iproute2, not of 6.14; net/mptcp/pm_kernel.c of 6.18",
	},
	{text: "ip mptcp endpoint add ADDRESS signal", since: release{5, 7}, source: ipManual + "; path manager of 5.7"},
	{text: "ip mptcp endpoint delete id N", since: release{5, 7}, source: ipManual + "; path manager of 5.7"},
	{text: "ip mptcp endpoint change id N backup", since: release{5, 12}, source: ipManual + "; MP_PRIO came with 5.12"},
	{text: "ip mptcp endpoint change id N nobackup", since: release{5, 12}, source: ipManual + "; MP_PRIO came with 5.12"},
	{text: "ip mptcp limits set subflow N", since: release{5, 7}, source: ipManual + "; path manager of 5.7"},
	{text: "ip mptcp limits set subflow 2", since: release{5, 7}, source: ipManual + "; path manager of 5.7"},
	{text: "ip mptcp limits set add_addr_accepted 2", since: release{5, 7}, source: ipManual + "; path manager of 5.7"},
	{text: "ip mptcp limits set add_addr_accepted N subflow N", since: release{5, 7}, source: ipManual + "; path manager of 5.7"},
	{text: "net.mptcp.add_addr_timeout", since: release{5, 15}, source: sysctlDoc + "5.15"},
	{text: "sysctl -w net.mptcp.allow_join_initial_addr_port=1", since: release{5, 15}, source: sysctlDoc + "5.15"},
	{text: "net.mptcp.checksum_enabled=1", since: release{5, 15}, source: sysctlDoc + "5.15"},
	{text: "net.mptcp.stale_loss_cnt", since: release{5, 15}, source: sysctlDoc + "5.15; commit ff5a0b421cb2"},
	{text: "sysctl -w net.mptcp.scheduler=default", since: release{6, 6}, source: "net/mptcp/ctrl.c of 6.6, not of 6.3"},
	{text: "sysctl net.mptcp.available_schedulers", since: release{6, 11}, source: sysctlDoc + "6.11, not of 6.8"},
	{
		text: "net.mptcp.blackhole_timeout", since: release{6, 12},
		without: "each new connection asks for Multipath TCP again, so let the program use plain TCP to that server while the firewall stays",
		source:  sysctlDoc + "6.12, not of 6.11",
	},
	{
		text: "net.mptcp.syn_retrans_before_tcp_fallback", since: release{6, 14},
		without: "6.12 and 6.13 leave the option out after 2 repeated SYNs, older kernels repeat it to the end, and no setting changes that",
		source:  "net/mptcp/ctrl.c of 6.14, " + sysctlDoc + "6.15; commit 6982826fe5e5, for 6.12",
	},

	{text: "nstat -az TcpExtPruneCalled TcpExtRcvPruned", source: "nstat(8); net/ipv4/proc.c"},
	{text: "nstat -az 'MPTcpExt*'", source: "nstat(8); net/mptcp/mib.c"},
	{text: "ip rule add from ADDRESS table N", source: "ip-rule(8)"},
	{text: "tcpdump -i any", source: "tcpdump(1)"},
	{text: "tcpdump -B 65536", source: "tcpdump(1)"},
	{text: "tcpdump -s 128", source: "tcpdump(1)"},
	{text: "net.ipv4.tcp_rmem", source: tcpDoc + "; mptcp_rcv_space_adjust in net/mptcp/protocol.c takes its third number, too"},
	{text: "net.ipv4.tcp_wmem", source: tcpDoc},
	{text: "net.ipv4.tcp_shrink_window=0", since: release{6, 5}, source: tcpDoc + "; commit b650d953cd39 of June 2023, for 6.5"},
	{text: "net.ipv4.tcp_keepalive_time", source: tcpDoc},
	{text: "net.netfilter.nf_conntrack_tcp_timeout_established", module: "nf_conntrack", source: "Documentation/networking/nf_conntrack-sysctl.rst"},
	{text: "net.core.wmem_max", source: "Documentation/admin-guide/sysctl/net.rst; socket(7), SO_SNDBUF"},
	{text: "net.core.rmem_max", source: "Documentation/admin-guide/sysctl/net.rst; socket(7), SO_RCVBUF"},
	{text: "sysctl -w net.ipv4.tcp_congestion_control=bbr", source: tcpDoc + "; module tcp_bbr"},

	{text: "bpf_red", foreign: true, source: routerCode + "; selftests/bpf of the export branch of github.com/multipath-tcp/mptcp_net-next"},
	{text: "bpf_first", foreign: true, source: routerCode + "; selftests/bpf of the export branch of github.com/multipath-tcp/mptcp_net-next"},
	{text: "bpf_bkup", foreign: true, source: "mptcp_bpf_bkup.c in selftests/bpf of the export branch of github.com/multipath-tcp/mptcp_net-next"},
	{text: "bpf_rr", foreign: true, source: routerCode + "; selftests/bpf of the export branch of github.com/multipath-tcp/mptcp_net-next"},
	{text: "bpf_burst", foreign: true, source: routerCode + ", which says that it is as the default; selftests/bpf of the export branch of github.com/multipath-tcp/mptcp_net-next"},
	{text: "sysctl -w net.mptcp.mptcp_enabled=1", foreign: true, source: oldCode + "; " + oldGuide},
	{text: "sysctl -w net.mptcp.mptcp_version=1", foreign: true, source: oldCode + ", from 0.96 on"},
	{text: "net.mptcp.mptcp_syn_retries", foreign: true, source: oldCode},
	{text: "net.mptcp.mptcp_checksum=1", foreign: true, source: oldCode + "; " + oldGuide},
	{text: "sysctl -w net.mptcp.mptcp_path_manager=fullmesh", foreign: true, source: oldCode + "; " + oldGuide},
	{text: "sysctl -w net.mptcp.mptcp_scheduler=blest", foreign: true, source: oldGuide},
	{text: "sysctl -w net.mptcp.mptcp_scheduler=default", foreign: true, source: oldGuide},
	{text: "sysctl net.mptcp.mptcp_scheduler", foreign: true, source: oldGuide},
	{text: "ip link set dev INTERFACE multipath backup", foreign: true, source: oldGuide + ", with the iproute2 of that project"},
	{text: "ip link set dev INTERFACE multipath off", foreign: true, source: oldGuide + ", with the iproute2 of that project"},
	{text: "ip link set dev INTERFACE multipath on", foreign: true, source: oldGuide + ", with the iproute2 of that project"},
}

// needs returns the first release that has all settings of a clause, and what holds for
// kernels before it.
func needs(clause string) (since release, without string) {
	for i := range settings {
		if s := &settings[i]; since.before(s.since) && strings.Contains(clause, s.text) {
			since, without = s.since, s.without
		}
	}
	return since, without
}

package remedy

import "mpanalyze/internal/report"

// Parts that several texts have in common.
const (
	another     = "let it pass, or try another port or a tunnel"
	serveBoth   = "on b, sysctl -w net.mptcp.enabled=1, and a server whose socket has IPPROTO_MPTCP (mptcpize run PROGRAM sets that for a program that does not)"
	serveOld    = "on b, sysctl -w net.mptcp.mptcp_enabled=1"
	slowAsSpare = "ip mptcp endpoint change id N backup on the host that has the slow interface makes it a backup at once, by MP_PRIO; \"default\", the only scheduler of mainline Linux up to 6.18, takes the path whose queue will be sent first; " +
		"sysctl net.mptcp.available_schedulers shows whether this kernel has others (in BPF: OpenMPTCProuter, export branch of MPTCP): bpf_red sends all data over each path, for the least delay but no sum of rates, bpf_first takes the first path alone, bpf_bkup the first that is no backup"
	spareOld = "sysctl -w net.mptcp.mptcp_scheduler=blest (or ecf) on the host that sends, or ip link set dev INTERFACE multipath backup"
)

// keepAlive says what keeps the mapping of a translator, or the state of a firewall.
const keepAlive = "Send keep-alives more often than the translator or firewall forgets (SO_KEEPALIVE and net.ipv4.tcp_keepalive_time, 7200 s by default, or messages of the application), or raise its time-out for idle connections " +
	"(net.netfilter.nf_conntrack_tcp_timeout_established in Linux): RFC 5382 asks for 2 h 4 min at least."

// sendBuffer says which settings raise the send buffer; both kernels have the same.
const sendBuffer = "on the host that sends, raise the third number of net.ipv4.tcp_wmem; if the program sets SO_SNDBUF, which stops the automatic growth, raise that and net.core.wmem_max"

// Buffer says which settings raise the receive buffer; both kernels have the same.
const Buffer = "on the receiver, raise the third number of net.ipv4.tcp_rmem to twice the window that is needed, because the overhead of each packet counts, too; if the program sets SO_RCVBUF, which stops the automatic growth, raise that and net.core.rmem_max"

// all has the advice for each code. docs/remedies.md has the sources of the commands and sysctls in it.
var all = map[report.VerdictCode]advice{
	// Verdicts on the handshake of a connection and on the capture
	report.VerdictNotGranted: {
		"Capture at b. If the SYN arrives there with MP_CAPABLE, let the server speak Multipath TCP; if not, something on the way removes TCP option 30: " + another + ".",
		serveBoth, serveOld,
	},
	report.VerdictPeerPlain: {"Let the server at b speak Multipath TCP: the SYN reached it with the option, so nothing on the way is the cause.", serveBoth, serveOld},
	report.VerdictVersion: {
		"Use the same version on both hosts: Linux 5.6 and later speaks version 1 only, the kernel 0.9x of multipath-tcp.org version 0 unless it is told otherwise.",
		"it cannot speak version 0; change the other host", "0.96 speaks version 1 with sysctl -w net.mptcp.mptcp_version=1; older ones do not",
	},
	report.VerdictFlags: {
		"Update the host that sends these flags, or report it to its maker: peers have to ignore such an MP_CAPABLE (RFC 8684, Section 3.1). Captures at both hosts show whether a middlebox changed them.",
		"", "",
	},
	report.VerdictSYNDropped: {
		"Find the firewall that drops SYNs with TCP option 30: " + another + ". A single case may be loss by chance.",
		"net.mptcp.syn_retrans_before_tcp_fallback is how many repeated SYNs keep the option (2 by default); after such a fallback net.mptcp.blackhole_timeout keeps Multipath TCP off (3600 s by default, longer where it fails again), 0 switches that off",
		"net.mptcp.mptcp_syn_retries is how many SYNs keep the option (3 by default)",
	},
	report.VerdictUnanswered: {"Check that b is up, and routes and firewalls on the way there. If b answers a SYN without the option, something drops SYNs with TCP option 30: " + another + ".", "", ""},
	report.VerdictRefused:    {"Start the server, or correct its address and port. If it does listen, look for a firewall that answers with RST.", "", ""},
	report.VerdictNotRequested: {
		"Have the client ask for Multipath TCP. If it does, a capture at a shows whether the option is removed on the way.",
		"on a, sysctl -w net.mptcp.enabled=1, and a socket with IPPROTO_MPTCP (mptcpize run PROGRAM sets that for a program that does not)",
		"on a, sysctl -w net.mptcp.mptcp_enabled=1; with 2 a program has to ask for each socket",
	},
	report.VerdictSetupSlow: {"Look for loss on the path of the first subflow, and begin connections on the path that loses least: each SYN that is lost costs a timeout of 1 s and more.", "", ""},
	report.VerdictCaptureGap: {
		"Capture again with a larger buffer (tcpdump -B 65536), less of each packet (-s 128) and a faster disk, or find the missing part of the file. Do not use figures of counts and bytes of this capture: they lack these packets.", "", "",
	},
	report.VerdictOneDirection: {
		"Capture where both directions pass: at a host, on every interface of it (tcpdump -i any, or a file for each), with both lines of a tap, and without a filter for one source (host ADDRESS, not src host ADDRESS). Give the files of both directions together.", "", "",
	},
	report.VerdictLateStart: {"Start the capture before the connection. Where the place of the capture is not known, say it: --vantage a, b or middle.", "", ""},
	report.VerdictTwice:     {"Capture at one place and one interface: not on a mirror port that shows both directions of a link twice, nor on both sides of a router in one file. Give the captures of two hosts as --sender and --receiver.", "", ""},
	report.VerdictUncaptured: {
		"Capture on every interface of the host (tcpdump -i any, or a file for each), and give all files together. Do not use the figures of this capture: they lack that path.", "", "",
	},
	report.VerdictMalformed:  {"Find out who writes these options: compare them in a capture at the host that sends them. If they are whole there, a middlebox on the path changes them; else the stack of that host does.", "", ""},
	report.VerdictOptionsCut: {"Capture 128 bytes or more of each packet (tcpdump -s 128), 256 in a tunnel: that holds all TCP options behind any usual header.", "", ""},
	report.VerdictEndsEarly:  {"Nothing is known to be wrong. To find out, let the next capture run longer, up to the end of the connection.", "", ""},

	// Verdicts on further subflows and addresses
	report.VerdictJoinRefused: {
		"Look at the host that sent the RST: it has to know the token of the connection (behind a load balancer the join may reach another host), to listen at that address and port, and to allow one more subflow.",
		"there, ip mptcp limits set subflow N (2 by default) with N at least the number of further subflows", "",
	},
	report.VerdictJoinNotGranted: {"Capture at the host that answers. If MP_JOIN does not arrive there, something on this path removes TCP option 30: " + another + " over that path.", "", ""},
	report.VerdictJoinStripped:   {"Find the middlebox on that path that removes TCP option 30: " + another + " (a VPN) over that path. It is between a and the capture.", "", ""},
	report.VerdictJoinUnanswered: {
		"Check that packets from that address leave through its own interface (ip rule add from ADDRESS table N, and a default route in table N), that the peer can be reached from there, and that no firewall on that path drops SYNs with TCP option 30.", "", "",
	},
	report.VerdictJoinAborted: {
		"Look at the host that sent the RST, at the reason that it gives and at its limits of subflows.",
		"ip mptcp limits set subflow N (2 by default) on both hosts; nstat -az 'MPTcpExt*' counts why joins failed", "",
	},
	report.VerdictJoinSlow: {"Look for loss on that path: each SYN with MP_JOIN that is lost costs a timeout of 1 s and more, and the path is not used before.", "", ""},
	report.VerdictSinglePath: {
		"Give the connection a second path: an address on another interface with a route of its own (ip rule add from ADDRESS table N), and a path manager that uses it.",
		"on a, ip mptcp endpoint add ADDRESS dev INTERFACE subflow, and ip mptcp limits set subflow 2; where b has the second address, ip mptcp endpoint add ADDRESS signal on b, and ip mptcp limits set add_addr_accepted 2 on a (0 by default); where both have several, ip mptcp endpoint add ADDRESS dev INTERFACE subflow fullmesh on a tries each with each; ip mptcp endpoint add ADDRESS dev INTERFACE laminar on a takes each local address once, for addresses that b announces",
		"sysctl -w net.mptcp.mptcp_path_manager=fullmesh on both hosts; ndiffports opens all subflows over one path",
	},
	report.VerdictEndpointUnused: {
		"Let the host open the subflow: its limit has to allow one more, the device of the endpoint has to be up, and packets from its address need a route of their own (ip rule add from ADDRESS table N).",
		"ip mptcp limits set subflow N (2 by default); nstat -az 'MPTcpExt*' counts attempts and errors (MPTcpExtMPJoinSynTx)", "",
	},
	report.VerdictJoinForbidden: {
		"Nothing, if a load balancer is in front of that address. Else let the host accept joins to its first address, or have it announce another one.",
		"sysctl -w net.mptcp.allow_join_initial_addr_port=1 on the host that set flag C, or ip mptcp endpoint add ADDRESS signal there", "",
	},
	report.VerdictAddAddrNotEchoed: {
		"Capture at the host that got no ADD_ADDR, or did not confirm it: if the option does not arrive there, something on the way removes it; if it does, its path manager ignores it.",
		"a host repeats ADD_ADDR after net.mptcp.add_addr_timeout at the latest (120 s by default), never with 0", "",
	},
	report.VerdictAddAddrNotJoined: {
		"Let the host that got the address open a subflow to it, and check that it can be reached from there: a private address behind a translator cannot.",
		"on the host that got the address, ip mptcp limits set add_addr_accepted N subflow N (add_addr_accepted is 0 by default), or with mptcpd its plugin; ip mptcp endpoint add ADDRESS dev INTERFACE laminar there says from which address it joins",
		"sysctl -w net.mptcp.mptcp_path_manager=fullmesh on the host that got the address",
	},
	report.VerdictTooShort: {
		"The subflow itself needs no repair: it takes two round trips or more before it carries data, and the transfer ended before. Whether the paths lose data or are slow is in other verdicts, and over many short connections in the verdict on the path. To use several paths, send more over one connection (keep it open for several requests, or use a tunnel).", "", "",
	},

	// Verdicts on the use of paths
	report.VerdictPathDied: {
		"Look at the link of that path at that time. To lose less time, withdraw the address as soon as the link goes down, so that the peer learns it by REMOVE_ADDR.",
		"ip mptcp endpoint delete id N does that; a smaller net.mptcp.stale_loss_cnt (4 by default) gives up a subflow without answers sooner, but lossy subflows, too",
		"ip link set dev INTERFACE multipath off does that",
	},
	report.VerdictAllStopped: {"Look at what all paths share at that time: the gateway or access network, the link of either host, a host that stood still. If they share a part of the way, take paths that do not.", "", ""},
	report.VerdictBlackHole: {
		"Find the link of that path whose MTU is too small, and the firewall that filters ICMP \"fragmentation needed\" (IPv6: packet too big): let it pass, so that path MTU discovery works. Or clamp the MSS on the router before that link (TCPMSS --clamp-mss-to-pmtu of iptables), or lower the MTU of the interface. " +
			"With sysctl -w net.ipv4.tcp_mtu_probing=1 the host that sends finds a smaller size after some timeouts.", "", "",
	},
	report.VerdictPathRemoved: {"Nothing, if the interface was meant to go. Else find what withdrew its address: a DHCP lease, a network manager, a change of endpoints.", "", ""},
	report.VerdictBackup: {
		"Nothing, if the path is meant as a backup. Else remove the flag.",
		"ip mptcp endpoint change id N nobackup tells open connections by MP_PRIO, too", "ip link set dev INTERFACE multipath on",
	},
	report.VerdictPathUnused: {
		"Find out why the scheduler does not use it: others had room for all the data, or it is slower than they are. Send more at once, with a send buffer that fills all paths (third number of net.ipv4.tcp_wmem).",
		"ip mptcp endpoint show shows whether it is a backup; nstat -az 'MPTcpExt*' counts subflows that were declared stale (MPTcpExtSubflowStale)", "sysctl net.mptcp.mptcp_scheduler shows the scheduler; default takes the path with the shortest round trip that has room",
	},
	report.VerdictPathIdle: {
		"Nothing, if the other paths carry all the data. Else send more at once, with a send buffer that fills all paths (third number of net.ipv4.tcp_wmem), and look whether the path is slow or lossy: the scheduler then prefers others.",
		"\"default\", the only scheduler of mainline Linux up to 6.18, takes the path whose queue will be sent first; sysctl net.mptcp.available_schedulers shows whether this kernel has others (in BPF: OpenMPTCProuter, export branch of MPTCP): bpf_burst is as the default, bpf_rr takes all paths in turn, slow ones too, bpf_first and bpf_bkup take one alone", "sysctl net.mptcp.mptcp_scheduler shows the scheduler; default takes the path with the shortest round trip that has room",
	},
	report.VerdictGone:      {"Look at the link of that path at that time. If it works, a translator or firewall forgot the idle subflow. " + keepAlive, "", ""},
	report.VerdictRebinding: {keepAlive, "", ""},
	report.VerdictCopies: {
		"Nothing, if the copies are wanted, for the least delay. Else stop them: they take the place of other data.",
		"mainline Linux up to 6.18 has no redundant scheduler, so copies come from paths that are declared stale and recover: look at loss and at net.mptcp.stale_loss_cnt; with bpf_red (OpenMPTCProuter, export branch of MPTCP) copies are meant: sysctl -w net.mptcp.scheduler=default ends that for new sockets", "sysctl -w net.mptcp.mptcp_scheduler=default in place of redundant",
	},
	report.VerdictHeavyLoss: {
		"Look at the link of that path: radio, duplex, a policer. Without a cause there, try a congestion control that does not treat each loss as congestion.",
		"sysctl -w net.ipv4.tcp_congestion_control=bbr on the host that sends; each subflow has its own", "sysctl -w net.ipv4.tcp_congestion_control=bbr, or olia or balia, on the host that sends; bbr does not couple the paths",
	},
	report.VerdictUnequalPaths: {"Nothing, if the sum of the paths is what is wanted. If data is to arrive in time, make the slow path a backup, or give the receiver a buffer for the longest round trip.", slowAsSpare, spareOld},
	report.VerdictAggregates:   {"Nothing: the paths carry the data together.", "", ""},

	// Verdicts on the flow of data
	report.VerdictHoLBlocked: {"Make the path that data waits for quicker (less loss, shorter queues), or make it a backup.", slowAsSpare, spareOld},
	report.VerdictWindowClosed: {
		"Raise the receive buffer to the sum of the rates of all paths times the longest round trip, better twice that (RFC 6182, Section 5.3), or let the application read faster.",
		Buffer, Buffer,
	},
	report.VerdictShrunk: {
		"Look at the host that receives at that time: its memory ran short, its buffer was made smaller while data came, or something on the way rewrites windows. A host should not take back window that it offered (RFC 9293, Section 3.8.6).",
		"there, nstat -az TcpExtPruneCalled TcpExtRcvPruned show a lack of memory; net.ipv4.tcp_shrink_window=0 (the default) keeps the kernel from shrinking windows", "",
	},
	report.VerdictApplication: {"Nothing on the network: the application offers less than the paths carry. Let it send more at once, or ask for more at a time.", "", ""},
	report.VerdictSenderLimited: {
		"Raise the send buffer of the host that sends, or let the program leave SO_SNDBUF alone, so that the kernel sizes it: it has to hold the rates of all paths together times the longest round trip, and the data that waits for a slower path.",
		sendBuffer, sendBuffer,
	},
	report.VerdictLossLimited: {
		"Remove the losses of that path, or use a congestion control that does not treat each loss as congestion.",
		"sysctl -w net.ipv4.tcp_congestion_control=bbr on the host that sends; each subflow has its own", "sysctl -w net.ipv4.tcp_congestion_control=bbr on the host that sends; bbr does not couple the paths",
	},
	report.VerdictPathFull: {"Nothing is wrong: more needs paths with more bandwidth, or further paths.", "", ""},
	report.VerdictSlowStart: {
		"Nothing, for a single transfer. For many short ones keep the connection open for several requests, so that the congestion window is kept, too, or raise the initial window on the host that sends (initcwnd of its routes).",
		"", "",
	},
	report.VerdictRateFell: {
		"Look at the link of that path at that time: radio, other traffic, a limit of the provider. If it comes and goes, take the path as a backup while it is slow.",
		"", "",
	},
	report.VerdictStalled: {
		"Look at what happened at that time: a path died, the receiver stopped reading, or DATA_ACKs lost their option. Other verdicts on this connection say which.",
		"with a smaller net.mptcp.stale_loss_cnt (4 by default), the data of a subflow without answers is sent sooner on another one", "",
	},

	// Verdicts on fallback and on the end of a connection
	report.VerdictStrippedHandshake: {
		"Find the middlebox that removes TCP option 30 behind the SYNs: " + another + ". Captures at both hosts show on which side it is.", "", "",
	},
	report.VerdictStrippedData: {
		"Find the middlebox that begins to remove TCP option 30 (a proxy or an inspection that takes the connection over): " + another + ". Captures at both hosts show on which side it is.", "", "",
	},
	report.VerdictChecksum: {
		"Find the middlebox that changes payload on that path, as a gateway for FTP or SIP does: try another port, or encrypt (TLS). Leave the checksums on: without them the changed bytes would reach the application.",
		"net.mptcp.checksum_enabled=1 turns them on", "net.mptcp.mptcp_checksum=1 turns them on",
	},
	report.VerdictInfinite: {
		"Find out why that host gave up: data whose checksum failed, or options that stopped. Capture there.",
		"nstat -az 'MPTcpExt*' on that host counts the causes", "",
	},
	report.VerdictFallback: {
		"Look at fallback_code: mpanalyze explain fallback_code says what each code means. Capture at both hosts to see which of them gave up, and what it had received.",
		"nstat -az 'MPTcpExt*' on both hosts counts the causes", "",
	},
	report.VerdictUnmapped:   {"Look at the stack of the host that sends this payload: each byte needs a mapping, with a length that covers all of it. A capture at that host shows whether a middlebox changed the lengths or split the packets.", "", ""},
	report.VerdictFINUnacked: {"Look at the stack of the peer: it has to answer a DATA_FIN with a DATA_ACK above it. In a capture at the peer look whether the DATA_FIN arrives.", "", ""},
	report.VerdictAborted:    {"Nothing on the network: the application ended the connection before all data was read.", "", ""},
	report.VerdictReset:      {"Look at which host sent the RSTs. It may be neither: firewalls and translators reset connections that were idle for long, which keep-alives prevent.", "", ""},
}

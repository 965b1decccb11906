#!/bin/sh
# Records what the kernel of this host says about Multipath TCP, beside a capture.
#
#   sh record.sh [-i INTERFACE] DIR [SECONDS]
#
# It writes into the new folder DIR until SECONDS are over, or until it gets a signal (Ctrl-C).
# Each tool that is missing is a line in DIR/missing.txt. It needs only a POSIX shell.
# Status 1: a file cannot be written, or a tool ended before the record did.
#
# Nobody else can read DIR, because it holds secrets. Look at these before you pass it on:
#   capture.pcap                 keys of MP_CAPABLE, and the first bytes of the payload of packets
#   ss.txt, mptcp.txt            tokens, addresses and users of all TCP sockets
#   monitor.txt                  tokens and addresses
#   nft.before, nft.after        firewall rules
#   addr.txt, route.txt, rule.txt, endpoints.*, link.*, qdisc.*
#                                addresses, networks and interfaces of this host
# The rest has no secrets: nstat.*, mptcp_snmp.*, limits.* (counters), sysctl.txt, uname.txt,
# ss_version.txt, offload.txt (settings), missing.txt, tcpdump.log.
set -u
umask 077

interface=any
if [ "${1:-}" = -i ]; then
	interface=${2:?name an interface behind -i}
	shift 2
fi
dir=${1:-}
seconds=${2:-0}
if [ -z "$dir" ]; then
	echo "usage: sh record.sh [-i INTERFACE] DIR [SECONDS]" >&2
	exit 1
fi
case $seconds in
*[!0-9]* | "")
	echo "record: $seconds is no number of seconds" >&2
	exit 1
	;;
esac
if ! mkdir -- "$dir" 2>/dev/null; then
	echo "record: cannot make the folder $dir; name one that does not exist" >&2
	exit 1
fi
CDPATH='' cd -- "$dir" || exit 1

have() { command -v "$1" >/dev/null 2>&1; }

capture= monitor= sampler= sleeper= # processes
status=0

# stop ends the other processes.
stop() {
	trap '' TERM INT HUP
	# shellcheck disable=SC2086 # those that run
	kill $capture $monitor $sampler $sleeper 2>/dev/null
	wait 2>/dev/null
}

# full FILE ends the record, because a file cannot be written. What a tool prints goes through cat,
# whose status says so: most tools do not notice.
full() {
	stop
	echo "record: cannot write $dir/$1: make room on the disk, and record again; what is in $dir is not complete" >&2
	exit 1
}

# missing NAME WHY notes a tool that is not here, once.
missing() {
	[ -e missing.txt ] || echo "# missing tools" | cat >missing.txt || full missing.txt
	grep -q "^$1: " missing.txt || echo "$1: $2" | cat >>missing.txt || full missing.txt
}

# ended NAME WHY notes a tool that ended before the record did.
ended() {
	missing "$1" "it ended: $2"
	echo "record: $1 ended: $2; the rest is recorded" >&2
	status=1
}

# save FILE COMMAND... writes what a command prints, if it is here and works.
save() {
	file=$1
	shift
	if ! have "$1"; then
		missing "$1" "not installed"
		return
	fi
	said=$({ { "$@" 2>&3 || echo "record: status $?" >&3; } | cat >"$file"; } 3>&1) || full "$file"
	case $said in
	*"record: status "*)
		missing "$*" "failed: $(echo "$said" | head -n 1)"
		[ -s "$file" ] || rm -f "$file"
		;;
	esac
}

# counters WHEN writes what is counted before and after.
counters() {
	if have nstat; then
		save "nstat.$1" nstat -asz
	else
		missing nstat "not installed; /proc/net has the same counters"
		cat /proc/net/snmp /proc/net/netstat 2>/dev/null | cat >"nstat.$1" || full "nstat.$1"
	fi
	[ ! -r /proc/net/mptcp_net/snmp ] || cat /proc/net/mptcp_net/snmp >"mptcp_snmp.$1" || full "mptcp_snmp.$1"
	save "qdisc.$1" tc -s qdisc show
	save "link.$1" ip -s link show
	save "endpoints.$1" ip mptcp endpoint show
	save "limits.$1" ip mptcp limits show
	if have nft; then save "nft.$1" nft list ruleset; fi
}

# settings writes what does not change.
settings() {
	save uname.txt uname -a
	save addr.txt ip addr show
	save route.txt ip route show table all
	save rule.txt ip rule show
	save ss_version.txt ss -V
	if have sysctl; then
		sysctl net.mptcp net.ipv4.tcp_congestion_control net.ipv4.tcp_available_congestion_control \
			net.ipv4.tcp_rmem net.ipv4.tcp_wmem net.ipv4.tcp_moderate_rcvbuf net.ipv4.tcp_sack net.ipv4.tcp_timestamps \
			net.ipv4.tcp_notsent_lowat net.ipv4.tcp_window_scaling net.core.rmem_max net.core.wmem_max 2>/dev/null | cat >sysctl.txt || full sysctl.txt
	else
		missing sysctl "not installed"
	fi
	if have ethtool; then
		for device in /sys/class/net/*; do
			ethtool -k "${device##*/}" 2>/dev/null | grep -E "^Features|segmentation-offload|receive-offload"
		done | cat >offload.txt || full offload.txt
	else
		missing ethtool "not installed; it says whether segments are merged"
	fi
}

# pause waits 0.2 s, or 1 s where sleep takes no fractions.
pause() {
	sleep 0.2 2>/dev/null || sleep 1
}

# here reports whether the script still runs: a loop must not go on alone and fill the disk.
here() { kill -0 $$ 2>/dev/null; }

# give_up STATUS ends with status 1 where the last command failed, but with 0 where a signal ended it.
give_up() {
	[ "$1" -le 128 ] || exit 0
	exit 1
}

# samples writes rows of all sockets again and again, each time with a stamp. It ends where it cannot.
samples() {
	trap 'exit 0' TERM
	trap '' INT
	while here; do
		{
			date +%s.%N
			ss -tinemH 2>/dev/null
			ss -MainemH 2>/dev/null
		} | cat >>ss.txt || give_up $?
		pause
	done
}

# proc_samples does the same where there is no ss.
proc_samples() {
	trap 'exit 0' TERM
	trap '' INT
	while here; do
		[ ! -r /proc/net/mptcp_net/mptcp ] || cat /proc/net/mptcp_net/mptcp >>mptcp.txt || give_up $?
		pause
	done
}

# watch looks whether the processes still run. A number is not used again once its process has ended:
# it may be given to another one.
watch() {
	if [ -n "$capture" ] && ! kill -0 "$capture" 2>/dev/null; then
		capture=
		ended tcpdump "$(grep -v '^tcpdump: listening' tcpdump.log | head -n 1)"
	fi
	if [ -n "$monitor" ] && ! kill -0 "$monitor" 2>/dev/null; then
		monitor=
		ended "ip mptcp monitor" "no more events are recorded"
	fi
	if ! kill -0 "$sampler" 2>/dev/null; then
		sampler=
		full "$samples"
	fi
}

finish() {
	trap '' TERM INT HUP
	kill "$sampler" 2>/dev/null
	wait "$sampler" 2>/dev/null
	[ $? -ne 1 ] || full "$samples"
	stop
	counters after
	# The folder is of whoever called sudo.
	[ -z "${SUDO_UID:-}" ] || chown -R "$SUDO_UID:${SUDO_GID:-}" . 2>/dev/null
	echo "record: $dir is written" >&2
	exit $status
}

settings
counters before
trap finish TERM INT HUP

if have tcpdump; then
	# -p: the interface need not take packets for others.
	tcpdump -p -i "$interface" -s 128 -n -U -w capture.pcap tcp 2>tcpdump.log &
	capture=$!
else
	missing tcpdump "not installed; there is no capture"
fi
if ! have ip; then
	missing ip "not installed"
elif ip mptcp limits show >/dev/null 2>&1; then
	ip -ts mptcp monitor >monitor.txt 2>/dev/null &
	monitor=$!
else
	missing "ip mptcp" "this ip cannot do it, or the kernel has no Multipath TCP"
fi
if have ss; then
	samples=ss.txt
	samples &
else
	missing ss "not installed"
	samples=mptcp.txt
	proc_samples &
fi
sampler=$!

echo "record: writing into $dir; Ctrl-C ends it" >&2
past=0
while [ "$seconds" -eq 0 ] || [ "$past" -lt "$seconds" ]; do
	sleep 1 &
	sleeper=$!
	wait $sleeper
	sleeper=
	past=$((past + 1))
	watch
done
finish

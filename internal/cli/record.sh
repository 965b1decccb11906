#!/bin/sh
# Records what the kernel of this host says about Multipath TCP, beside a capture.
#
#   sh record.sh [-i INTERFACE] DIR [SECONDS]
#
# It writes into the new folder DIR until SECONDS are over, or until it gets a signal (Ctrl-C).
# Each tool that is missing is a line in DIR/missing.txt. It needs only a POSIX shell.
set -u

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
if ! mkdir "$dir" 2>/dev/null; then
	echo "record: cannot make the folder $dir; name one that does not exist" >&2
	exit 1
fi
cd "$dir" || exit 1

have() { command -v "$1" >/dev/null 2>&1; }

# missing NAME WHY notes a tool that is not here, once.
missing() {
	[ -e missing.txt ] || echo "# missing tools" >missing.txt
	grep -q "^$1: " missing.txt || echo "$1: $2" >>missing.txt
}

# save FILE COMMAND... writes what a command prints, if it is here and works.
save() {
	file=$1
	shift
	if ! have "$1"; then
		missing "$1" "not installed"
		return
	fi
	if ! "$@" >"$file" 2>error.txt; then
		missing "$*" "failed: $(head -n 1 error.txt)"
		[ -s "$file" ] || rm -f "$file"
	fi
	rm -f error.txt
}

# counters WHEN writes what is counted before and after.
counters() {
	if have nstat; then
		save "nstat.$1" nstat -asz
	else
		missing nstat "not installed; /proc/net has the same counters"
		cat /proc/net/snmp /proc/net/netstat >"nstat.$1" 2>/dev/null
	fi
	[ ! -r /proc/net/mptcp_net/snmp ] || cat /proc/net/mptcp_net/snmp >"mptcp_snmp.$1"
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
			net.ipv4.tcp_notsent_lowat net.ipv4.tcp_window_scaling net.core.rmem_max net.core.wmem_max >sysctl.txt 2>/dev/null
	else
		missing sysctl "not installed"
	fi
	if have ethtool; then
		for device in /sys/class/net/*; do
			ethtool -k "${device##*/}" 2>/dev/null | grep -E "^Features|segmentation-offload|receive-offload"
		done >offload.txt
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

# samples writes rows of all sockets again and again, each time with a stamp.
samples() {
	trap 'exit 0' TERM INT
	while here; do
		date +%s.%N
		ss -tinemH 2>/dev/null
		ss -MainemH 2>/dev/null
		pause
	done >>ss.txt
}

# proc_samples does the same where there is no ss.
proc_samples() {
	trap 'exit 0' TERM INT
	while here && [ -r /proc/net/mptcp_net/mptcp ]; do
		cat /proc/net/mptcp_net/mptcp
		pause
	done >>mptcp.txt
}

children=
sleeper=
finish() {
	trap '' TERM INT HUP
	# shellcheck disable=SC2086 # a list of numbers
	kill $children $sleeper 2>/dev/null
	wait 2>/dev/null
	counters after
	echo "record: $dir is written" >&2
	exit 0
}

settings
counters before
trap finish TERM INT HUP

if have tcpdump; then
	# -p: the interface need not take packets for others.
	tcpdump -p -i "$interface" -s 128 -n -U -w capture.pcap tcp 2>tcpdump.log &
	children=$!
	sleep 1
	if ! kill -0 "$children" 2>/dev/null; then
		children=
		missing tcpdump "it ended: $(head -n 1 tcpdump.log)"
	fi
else
	missing tcpdump "not installed; there is no capture"
fi
if ! have ip; then
	missing ip "not installed"
elif ip mptcp limits show >/dev/null 2>&1; then
	ip -ts mptcp monitor >monitor.txt 2>/dev/null &
	children="$children $!"
else
	missing "ip mptcp" "this ip cannot do it, or the kernel has no Multipath TCP"
fi
if have ss; then
	samples &
	children="$children $!"
else
	missing ss "not installed"
	proc_samples &
	children="$children $!"
fi

echo "record: writing into $dir; Ctrl-C ends it" >&2
while :; do
	sleep "$([ "$seconds" -gt 0 ] && echo "$seconds" || echo 3600)" &
	sleeper=$!
	wait $sleeper
	sleeper= # its number may be given to another process
	[ "$seconds" -eq 0 ] || break
done
finish

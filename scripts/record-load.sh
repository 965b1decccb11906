#!/usr/bin/env bash
# Records long downloads to measure the program with: two network namespaces, two
# paths through a third one whose queues are short, so that some packets are lost,
# and several connections at once. tcpdump at the sender writes FILE; it keeps
# 128 bytes of each packet, and no packets are merged.
#
#   sudo scripts/record-load.sh [-n PACKETS] [-c CONNECTIONS] [-r MBITS] [-t SECONDS] FILE
#     -n  packets (default 2000000)
#     -c  downloads at once (default 4)
#     -r  rate of the first path, Mbit/s (default 200); the second has half of it
#     -t  longest time, seconds (default 300)
#
# Needs root, Linux 5.6 or later with CONFIG_MPTCP, ip, tc, tcpdump and python3.
set -euo pipefail

packets=2000000 connections=4 rate=200 limit=300
usage() { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 1; }
while getopts 'n:c:r:t:h' opt; do
  case $opt in
    n) packets=$OPTARG ;;
    c) connections=$OPTARG ;;
    r) rate=$OPTARG ;;
    t) limit=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -eq 1 ] || usage
file=$(realpath "$1")

die() { echo "record-load: $*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || die "must run as root: it makes network namespaces"
for tool in ip tc tcpdump python3; do
  command -v $tool >/dev/null || die "$tool is missing: install iproute2, tcpdump and python3"
done
[ "$(cat /proc/sys/net/mptcp/enabled 2>/dev/null)" = 1 ] ||
  die "this kernel has no Multipath TCP, or it is off: sysctl -w net.mptcp.enabled=1"

client=mpa-client-$$ router=mpa-router-$$ server=mpa-server-$$
started=()
cleanup() {
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  for ns in $client $router $server; do ip netns del $ns 2>/dev/null || true; done
}
trap cleanup EXIT

for ns in $client $router $server; do
  ip netns add $ns
  ip -n $ns link set lo up
done
ip netns exec $router sysctl -qw net.ipv4.ip_forward=1
# A link has an address at both ends: link NAMESPACE ADDRESS NAMESPACE ADDRESS NAME. Each
# segment is a packet.
link() {
  ip link add "$5" netns "$1" type veth peer name "r$5" netns "$3"
  ip -n "$1" addr add "$2/24" dev "$5"
  ip -n "$3" addr add "$4/24" dev "r$5"
  ip -n "$1" link set "$5" gso_max_segs 1 up
  ip -n "$3" link set "r$5" gso_max_segs 1 up
}
link $server 10.78.0.1 $router 10.78.0.2 s
ip -n $server route add default via 10.78.0.2
for path in 1 2; do
  link $client 10.77.$path.1 $router 10.77.$path.2 c$path
  ip -n $client route add default via 10.77.$path.2 dev c$path table $path
  ip -n $client rule add from 10.77.$path.1 table $path
  mbits=$((rate / path))
  # A queue of 20 ms.
  ip netns exec $router tc qdisc add dev rc$path root tbf rate ${mbits}mbit burst 20kb limit $((mbits * 2500))
done
ip -n $client route add default via 10.77.1.2
for ns in $client $server; do
  ip netns exec $ns sysctl -qw net.mptcp.enabled=1
  ip -n $ns mptcp limits set subflow 2 add_addr_accepted 2
done
ip -n $client mptcp endpoint add 10.77.2.1 id 1 dev c2 subflow

ip netns exec $server tcpdump -i s -B 65536 -s 128 -c "$packets" -Z root -w "$file" tcp port 5001 2>"$file.log" &
capturing=$!
started+=("$capturing")
for _ in $(seq 100); do
  grep -qs 'listening on' "$file.log" && break
  sleep 0.05
done

# host ROLE: the server sends until it is stopped; the client reads CONNECTIONS streams.
host() {
  ip netns exec "$1" python3 -c '
import socket, sys, threading
role, n = sys.argv[1], int(sys.argv[2])
def listen():
    s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("0.0.0.0", 5001))
    s.listen(64)
    return s
def send(c):
    while True:
        c.sendall(bytes(1 << 18))
def read():
    c = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
    c.connect(("10.78.0.1", 5001))
    while c.recv(1 << 18):
        pass
if role == "server":
    s = listen()
    while True:
        threading.Thread(target=send, args=(s.accept()[0],), daemon=True).start()
for t in [threading.Thread(target=read) for _ in range(n)]:
    t.start()
' "$2" "$connections" &
  started+=($!)
}
host $server server
sleep 1 # until it listens
host $client client
for _ in $(seq "$limit"); do
  kill -0 $capturing 2>/dev/null || break
  sleep 1
done
kill -INT $capturing 2>/dev/null || true
wait $capturing || true
ip netns exec $router tc -s qdisc show | grep -A3 tbf >&2
cat "$file.log" >&2
rm -f "$file.log"

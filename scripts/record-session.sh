#!/usr/bin/env bash
# Records a real Multipath TCP session of this machine's kernel: two network
# namespaces joined by two virtual cables, a client and a server in Python,
# tcpdump at both. Leaves client.pcap, server.pcap and session.json, which says
# how many bytes each application wrote and read and their SHA-256.
#
#   sudo scripts/record-session.sh [-n BYTES] [-s SNAPLEN] [-u] DIR
#     -n  bytes of the transfer (default 2000000)
#     -s  bytes kept of each packet (default 0: all)
#     -u  upload instead of download
#
# Needs root, Linux 5.6 or later with CONFIG_MPTCP, ip, tcpdump and python3.
set -euo pipefail

bytes=2000000 snaplen=0 mode=download
usage() { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 1; }
while getopts 'n:s:uh' opt; do
  case $opt in
    n) bytes=$OPTARG ;;
    s) snaplen=$OPTARG ;;
    u) mode=upload ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -eq 1 ] || usage
mkdir -p "$1"
dir=$(cd "$1" && pwd)

die() { echo "record-session: $*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || die "must run as root: it makes network namespaces"
for tool in ip tcpdump python3; do
  command -v $tool >/dev/null || die "$tool is missing: install iproute2, tcpdump and python3"
done
[ "$(cat /proc/sys/net/mptcp/enabled 2>/dev/null)" = 1 ] ||
  die "this kernel has no Multipath TCP, or it is off: sysctl -w net.mptcp.enabled=1"

client=mpa-client-$$ server=mpa-server-$$
started=()
cleanup() {
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  ip netns del $client 2>/dev/null || true
  ip netns del $server 2>/dev/null || true
}
trap cleanup EXIT

# Two paths: 10.77.1.0/24 and 10.77.2.0/24, the client .1, the server .2.
for ns in $client $server; do
  ip netns add $ns
  ip -n $ns link set lo up
  ip netns exec $ns sysctl -qw net.mptcp.enabled=1
  ip -n $ns mptcp limits set subflow 2 add_addr_accepted 2
done
for path in 1 2; do
  ip link add c$path netns $client type veth peer name s$path netns $server
  ip -n $client addr add 10.77.$path.1/24 dev c$path
  ip -n $server addr add 10.77.$path.2/24 dev s$path
  ip -n $client link set c$path up
  ip -n $server link set s$path up
done
# The server announces its second address (ADD_ADDR); the client joins it.
ip -n $server mptcp endpoint add 10.77.2.2 id 1 signal

# listen NAMESPACE FILE captures until it is told to stop.
listen() {
  ip netns exec "$1" tcpdump -i any -B 32768 -s "$snaplen" -Z root -w "$2" tcp port 5001 2>"$2.log" &
  started+=($!)
  for _ in $(seq 100); do
    grep -qs 'listening on' "$2.log" && return
    sleep 0.05
  done
  die "tcpdump did not start: $(cat "$2.log")"
}
listen $client "$dir/client.pcap"
listen $server "$dir/server.pcap"

host=$dir/host.py
cat >"$host" <<'PYTHON'
import hashlib, json, socket, sys, time

role, mode, size, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
IPPROTO_MPTCP = 262
BLOCK = 1 << 18  # more than one congestion window, so that both paths carry data

def block(i):
    """A stream that is the same each time: SHA-256 of the block's number, repeated."""
    return hashlib.sha256(b"block %d" % i).digest() * (BLOCK // 32)

def write(conn, size):
    digest, sent = hashlib.sha256(), 0
    while sent < size:
        data = block(sent // BLOCK)[:size - sent]
        conn.sendall(data)
        digest.update(data)
        sent += len(data)
        time.sleep(0.02)
    return {"bytes": sent, "sha256": digest.hexdigest()}

def read(conn):
    digest, got = hashlib.sha256(), 0
    while data := conn.recv(1 << 16):
        digest.update(data)
        got += len(data)
    return {"bytes": got, "sha256": digest.hexdigest()}

sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
if role == "server":
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(("0.0.0.0", 5001))  # joins come to the other address
    sock.listen()
    open(out, "w").close()  # says that the server listens
    conn, peer = sock.accept()
    read_, written = read(conn), write(conn, size if mode == "download" else 0)
    result = {"a2b_read": read_, "b2a_written": written, "client": "%s:%d" % peer}
else:
    conn = sock
    conn.connect(("10.77.1.2", 5001))
    time.sleep(0.1)  # time for the join
    written = write(conn, size if mode == "upload" else 512)
    conn.shutdown(socket.SHUT_WR)
    result = {"a2b_written": written, "b2a_read": read(conn)}
conn.close()
with open(out, "w") as f:
    json.dump(result, f)
PYTHON

rm -f "$dir/server.json"
ip netns exec $server python3 "$host" server $mode "$bytes" "$dir/server.json" &
serving=$!
started+=("$serving")
for _ in $(seq 100); do
  [ -e "$dir/server.json" ] && break
  sleep 0.05
done
ip netns exec $client python3 "$host" client $mode "$bytes" "$dir/client.json"
wait $serving
sleep 2 # the last ACKs; tcpdump sees what the kernel has gathered up to a second later
for pid in "${started[@]:0:2}"; do
  kill -INT "$pid"
  wait "$pid" || true
done
for log in "$dir"/*.pcap.log; do
  # What tcpdump had not yet seen when it was stopped is received, not captured.
  awk '/packets? captured$/ { captured = $1 }
    /packets? received by filter$/ { received = $1 }
    /packets? dropped by kernel$/ { dropped = $1 }
    END { exit !(captured > 0 && captured == received && dropped == "0") }' "$log" ||
    die "${log%.log} is not complete, record again: $(tr '\n' ';' <"$log")"
done

python3 - "$dir" "$(uname -r)" "$mode" <<'PYTHON'
import json, os, sys
folder, kernel, mode = sys.argv[1:]
out = {"kernel": kernel, "mode": mode, "server": "10.77.1.2:5001"}
for role in "client", "server":
    path = os.path.join(folder, role + ".json")
    with open(path) as f:
        out.update(json.load(f))
    os.remove(path)
for d in "a2b", "b2a":
    if out[d + "_written"] != out[d + "_read"]:
        sys.exit("record-session: what was read in direction %s is not what was written" % d)
with open(os.path.join(folder, "session.json"), "w") as f:
    json.dump(out, f, indent=1, sort_keys=True)
    f.write("\n")
PYTHON
rm -f "$host" "$dir"/*.pcap.log
[ -z "${SUDO_UID:-}" ] || chown -R "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" "$dir"
echo "record-session: client.pcap, server.pcap and session.json are in $dir"

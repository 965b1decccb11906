package hosts

import (
	"bytes"
	"net/netip"
	"strings"
)

// factReaders return what reads the lines of a kind into the facts about a host. Of other kinds
// nothing is read, and their lines count.
var factReaders = map[Kind]func(h *Host, f *File, rank int) func(n int, line []byte) bool{
	Nstat: (*Host).counterReader, Endpoints: (*Host).endpointReader, Limits: (*Host).limitsReader, Sysctl: (*Host).settingReader,
	Link: (*Host).linkReader, Addr: (*Host).addrReader, Qdisc: (*Host).queueReader, Route: (*Host).routeReader,
	Firewall: (*Host).firewallReader, Tcpdump: (*Host).captureReader, Uname: (*Host).unameReader,
}

func (h *Host) factReader(f *File, rank int) func(n int, line []byte) bool {
	if read := factReaders[f.Kind]; read != nil {
		return read(h, f, rank)
	}
	return func(int, []byte) bool { return true }
}

// limitsReader reads "add_addr_accepted 4 subflows 4".
func (h *Host) limitsReader(f *File, rank int) func(int, []byte) bool {
	return func(n int, line []byte) bool {
		r := &Record{Ref: Ref{f, n}, Thing: Thing{Kind: Limits}, rank: rank}
		list := words(line)
		for _, name := range []string{"add_addr_accepted", "subflows"} {
			if v, ok := number(wordAfter(list, name)); ok {
				r.set(name, v, n)
			}
		}
		if len(r.Values) > 0 {
			h.add(r)
		}
		return len(r.Values) > 0
	}
}

// endpointReader reads lines "10.2.2.1 port 99 id 2 subflow backup dev p2". A file without one is a list,
// too.
func (h *Host) endpointReader(f *File, rank int) func(int, []byte) bool {
	list := h.add(&Record{Ref: Ref{f, 1}, Thing: Thing{Kind: Endpoints}, rank: rank})
	return func(n int, line []byte) bool {
		word, rest := nextWord(line)
		a, ok := parseAddr(word)
		if !ok || len(list.List) >= maxLines {
			return false
		}
		e := &Record{Ref: Ref{f, n}, Thing: Thing{Endpoints, a.String()}}
		for {
			if word, rest = nextWord(rest); len(word) == 0 {
				break
			}
			switch name := string(word); name {
			case "port", "id":
				word, rest = nextWord(rest)
				if v, ok := number(word); ok {
					e.set(name, v, n)
				}
			case "dev":
				word, rest = nextWord(rest)
				e.Text = string(word)
			case "rawflags":
				_, rest = nextWord(rest)
			default:
				if len(e.Flags) < 16 {
					e.Flags = append(e.Flags, name)
				}
			}
		}
		_, _, ok = e.Value("id")
		if ok {
			list.List = append(list.List, e)
		}
		return ok
	}
}

// settingReader reads "net.mptcp.enabled = 1".
func (h *Host) settingReader(f *File, rank int) func(int, []byte) bool {
	return func(n int, line []byte) bool {
		if !isSetting(line) || len(h.Records[Sysctl]) >= maxLines {
			return false
		}
		name, value, _ := bytes.Cut(line, []byte("="))
		h.add(&Record{Ref: Ref{f, n}, Thing: Thing{Sysctl, string(bytes.TrimSpace(name))}, Text: strings.Join(strings.Fields(string(value)), " "), rank: rank})
		return true
	}
}

// unameReader reads "Linux host 6.18.44 #1 SMP ...", and the text of /proc/version.
func (h *Host) unameReader(*File, int) func(int, []byte) bool {
	return func(_ int, line []byte) bool {
		words := strings.Fields(string(line))
		if _, version, found := strings.Cut(string(line), " utility, iproute2-"); found {
			h.Tools, _, _ = strings.Cut(version, ",")
			return true
		}
		if len(words) < 3 || words[0] != "Linux" || h.Kernel != "" {
			return len(words) > 2
		}
		h.Kernel = words[2]
		return true
	}
}

// routeReader keeps routes and rules as text.
func (h *Host) routeReader(f *File, _ int) func(int, []byte) bool {
	return func(n int, line []byte) bool {
		if !isRoute(nextWord(line)) {
			return isIndented(line)
		}
		h.add(&Record{Ref: Ref{f, n}, Thing: Thing{Kind: Route}, Text: string(line)})
		return true
	}
}

// captureReader reads what tcpdump says when it ends.
func (h *Host) captureReader(f *File, _ int) func(int, []byte) bool {
	return func(n int, line []byte) bool {
		first, rest := nextWord(line)
		if v, ok := number(first); ok && bytes.HasSuffix(bytes.TrimSpace(rest), []byte(Dropped)) {
			r := &Record{Ref: Ref{f, n}, Thing: Thing{Kind: Tcpdump}}
			r.set(Dropped, v, n)
			h.add(r)
		}
		return true
	}
}

// Dropped is what tcpdump calls the packets that it did not take in time.
const Dropped = "dropped by kernel"

// firewallReader keeps rules with counters, of nft list ruleset and iptables -L -v.
func (h *Host) firewallReader(f *File, _ int) func(int, []byte) bool {
	return func(n int, line []byte) bool {
		list := words(line)
		if len(list) == 0 || len(h.Records[Firewall]) >= maxLines {
			return len(list) == 0
		}
		r := &Record{Ref: Ref{f, n}, Thing: Thing{Kind: Firewall}, Text: strings.TrimSpace(string(line))}
		for _, w := range list {
			switch string(w) {
			case "drop", "DROP", "reject", "REJECT":
				r.Flags = []string{drops}
			}
		}
		v, ok := number(wordAfter(list, RulePackets)) // counter packets 3 bytes 180
		if !ok && len(list) > 3 {                     // 3 180 DROP tcp
			v, ok = number(list[0])
		}
		if ok {
			r.set(RulePackets, v, n)
			h.add(r)
		}
		return true
	}
}

// RulePackets is the counter of a rule.
const RulePackets = "packets"

// drops is the flag of a rule that drops or rejects.
const drops = "drop"

// procEnd reads an end as /proc prints it: 0101020A:1389, IPv4 in the byte order of a little
// host.
func procEnd(text []byte) (netip.AddrPort, bool) {
	host, port, found := bytes.Cut(text, []byte(":"))
	p, ok := hexadecimal(bytes.ToLower(port))
	if !found || !ok || p > 65535 || len(host) != 8 && len(host) != 32 {
		return netip.AddrPort{}, false
	}
	var raw [16]byte
	for word := 0; word*8 < len(host); word++ {
		v, ok := hexadecimal(bytes.ToLower(host[word*8 : word*8+8]))
		if !ok {
			return netip.AddrPort{}, false
		}
		for i := range 4 {
			raw[word*4+i] = byte(v >> (8 * i))
		}
	}
	if len(host) == 8 {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(raw[:4])), uint16(p)), true
	}
	return netip.AddrPortFrom(netip.AddrFrom16(raw).Unmap(), uint16(p)), true
}

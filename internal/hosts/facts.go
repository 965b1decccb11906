package hosts

import (
	"bytes"
	"net/netip"
	"slices"
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
		r := &LimitsRecord{Ref: Ref{f, n}}
		found := false
		for pair := range slices.Chunk(words(line), 2) { // a name without a value is no number
			v, ok := number(pair[len(pair)-1])
			switch name := string(pair[0]); {
			case ok && name == "subflows":
				r.Subflows, found = v, true
			case ok && name == "add_addr_accepted":
				r.Accepted, found = v, true
			}
		}
		if found && (h.Limits == nil || rank >= h.limitsRank) {
			h.Limits, h.limitsRank = r, rank
		}
		return found
	}
}

// endpointReader reads "10.2.2.1 port 99 id 2 subflow backup dev p2".
func (h *Host) endpointReader(f *File, rank int) func(int, []byte) bool {
	list := &EndpointList{Ref: Ref{f, 1}}
	h.lists = append(h.lists, rankedList{list, rank})
	return func(n int, line []byte) bool {
		e, ok := parseEndpoint(line)
		if !ok || len(list.List) >= maxLines {
			return false
		}
		e.Ref = Ref{f, n}
		list.List = append(list.List, e)
		return true
	}
}

type rankedList struct {
	list *EndpointList
	rank int
}

// settleEndpoints finds out which lists are the first and the last.
func (h *Host) settleEndpoints() {
	first, last := -1, -1
	for i, l := range h.lists {
		if first < 0 || l.rank < h.lists[first].rank {
			first = i
		}
		if last < 0 || l.rank > h.lists[last].rank || l.rank == h.lists[last].rank && l.rank == after {
			last = i
		}
	}
	if first < 0 {
		return
	}
	h.Endpoints = h.lists[first].list
	if last != first && h.lists[last].rank > h.lists[first].rank {
		h.After = h.lists[last].list
	}
}

func parseEndpoint(line []byte) (e Endpoint, ok bool) {
	word, rest := nextWord(line)
	if e.Addr, ok = parseAddr(word); !ok {
		return e, false
	}
	ok = false
	for {
		if word, rest = nextWord(rest); len(word) == 0 {
			return e, ok
		}
		switch string(word) {
		case "port":
			word, rest = nextWord(rest)
			n, _ := number(word)
			e.Port = int(n)
		case "id":
			word, rest = nextWord(rest)
			n, isNumber := number(word)
			e.ID, ok = int(n), isNumber
		case "dev":
			word, rest = nextWord(rest)
			e.Dev = string(word)
		case "rawflags":
			_, rest = nextWord(rest)
		default:
			if len(e.Flags) < 16 {
				e.Flags = append(e.Flags, string(word))
			}
		}
	}
}

// settingReader reads "net.mptcp.enabled = 1".
func (h *Host) settingReader(f *File, _ int) func(int, []byte) bool {
	return func(n int, line []byte) bool {
		if !isSetting(line) || len(h.Settings) >= maxLines {
			return false
		}
		name, value, _ := bytes.Cut(line, []byte("="))
		s := Setting{Ref{f, n}, string(bytes.TrimSpace(name)), strings.Join(strings.Fields(string(value)), " ")}
		for i := range h.Settings {
			if h.Settings[i].Name == s.Name {
				if f.Part == "" {
					h.Settings[i] = s
				}
				return true
			}
		}
		h.Settings = append(h.Settings, s)
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

// addrReader reads the brief form "p1 UP 10.2.1.1/24" and the long form.
func (h *Host) addrReader(*File, int) func(int, []byte) bool {
	var dev *Interface
	return func(_ int, line []byte) bool {
		first, rest := nextWord(line)
		switch {
		case isLink(line):
			name, _ := nextWord(rest)
			dev = h.device(deviceName(name))
		case isBriefAddr(first, rest):
			dev = h.device(deviceName(first))
			_, rest = nextWord(rest)
			for _, word := range words(rest) {
				dev.addAddress(word)
			}
		case string(first) == "inet" || string(first) == "inet6":
			word, _ := nextWord(rest)
			if dev != nil {
				dev.addAddress(word)
			}
		default:
			return len(line) > 0 && (line[0] == ' ' || line[0] == '\t')
		}
		return true
	}
}

// deviceName returns a name without colon and without the device at the other end: "p1@if7:".
func deviceName(word []byte) string {
	word = bytes.TrimSuffix(word, []byte(":"))
	name, _, _ := bytes.Cut(word, []byte("@"))
	return string(name)
}

// addAddress adds 10.2.1.1/24.
func (i *Interface) addAddress(word []byte) {
	text, _, _ := bytes.Cut(word, []byte("/"))
	a, ok := parseAddr(text)
	if ok && len(i.Addresses) < maxLines && !slices.Contains(i.Addresses, a) {
		i.Addresses = append(i.Addresses, a)
	}
}

// routeReader keeps routes and rules as text.
func (h *Host) routeReader(f *File, _ int) func(int, []byte) bool {
	return func(n int, line []byte) bool {
		first, rest := nextWord(line)
		if !isRoute(first, rest) {
			return len(line) > 0 && (line[0] == ' ' || line[0] == '\t')
		}
		if len(h.Routes) < maxLines {
			h.Routes = append(h.Routes, Line{Ref{f, n}, string(line)})
		}
		return true
	}
}

// captureReader reads what tcpdump says when it ends.
func (h *Host) captureReader(f *File, _ int) func(int, []byte) bool {
	log := -1
	return func(n int, line []byte) bool {
		if log < 0 {
			if len(h.Captures) >= maxLines {
				return false
			}
			log = len(h.Captures)
			h.Captures = append(h.Captures, CaptureLog{Ref{f, n}, -1, 0})
		}
		c := &h.Captures[log]
		first, rest := nextWord(line)
		if v, ok := number(first); ok && bytes.HasSuffix(bytes.TrimSpace(rest), []byte("dropped by kernel")) {
			c.Dropped, c.DroppedLine = v, n
		}
		return true
	}
}

// firewallReader keeps rules with counters, of nft list ruleset and iptables -L -v.
func (h *Host) firewallReader(f *File, _ int) func(int, []byte) bool {
	return func(n int, line []byte) bool {
		text := strings.TrimSpace(string(line))
		if text == "" || len(h.Firewall) >= maxLines {
			return text == ""
		}
		r := Rule{Line: Line{Ref{f, n}, text}}
		words := strings.Fields(text)
		for i, w := range words {
			switch w {
			case "drop", "DROP", "reject", "REJECT":
				r.Drops = true
			case "packets": // counter packets 3 bytes 180
				if i+1 < len(words) {
					r.Packets, r.HasCount = number([]byte(words[i+1]))
				}
			}
		}
		if v, ok := number([]byte(words[0])); ok && len(words) > 3 && !r.HasCount { // 3 180 DROP tcp
			r.Packets, r.HasCount = v, true
		}
		if r.HasCount {
			h.Firewall = append(h.Firewall, r)
		}
		return true
	}
}

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

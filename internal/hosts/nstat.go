package hosts

import (
	"strconv"
	"strings"
)

// jsonCounters finds the counters in {"kernel":{"IpInReceives":699}}.
var jsonCounters = pattern(`"(\w+)" *: *(-?\d+)`)

// counterReader reads counters in any form: nstat and its JSON, files of /proc/net with a line
// of names and a line of values, and "Name value".
func (h *Host) counterReader(f *File, rank int) func(*lines) bool {
	s := h.add(&Record{Ref: Ref{f, 1}, Thing: Thing{Kind: Nstat}, Values: map[string]Value{}, rank: rank})
	var names []string // the words of the line before, in files of /proc/net
	return func(l *lines) bool {
		n, line := l.n, l.text
		words := strings.Fields(string(line))
		if len(words) == 0 || words[0][0] == '#' {
			return true
		}
		group, named := strings.CutSuffix(words[0], ":")
		switch {
		case line[0] == '{':
			s.json = true
			return s.readJSON(n, line)
		case !named || len(words) == 1 || line[0] == ' ': // "    MPCapableSYNRX: 1" of netstat -s
			v, ok := int64(0), false
			if len(words) > 1 {
				v, ok = number([]byte(words[1]))
			}
			if ok {
				s.set(counterName(group), v, n)
			}
			return ok
		case len(names) == 0 || names[0] != words[0]: // "TcpExt: SyncookiesSent ..."
			names = words
			return true
		}
		for i := 1; i < min(len(words), len(names)); i++ { // "TcpExt: 0 ..."
			if v, ok := number([]byte(strings.TrimPrefix(words[i], "-"))); ok {
				s.set(group+names[i], v, n)
			}
		}
		names = nil
		return true
	}
}

// counterName adds the group to a name of /proc/net/mptcp_net/snmp.
func counterName(name string) string {
	if strings.HasPrefix(name, "MPCapable") || strings.HasPrefix(name, "MPJoin") {
		return "MPTcpExt" + name
	}
	return name
}

// readJSON reads {"kernel": {name: value}}.
func (s *Record) readJSON(n int, line []byte) bool {
	all := jsonCounters().FindAllSubmatch(line, -1)
	for _, m := range all {
		if v, err := strconv.ParseInt(string(m[2]), 10, 64); err == nil {
			s.set(string(m[1]), v, n)
		}
	}
	return len(all) > 0
}

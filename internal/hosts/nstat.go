package hosts

import (
	"bytes"
	"encoding/json"
	"strings"
)

// counterReader reads counters in any form: nstat and its JSON, files of /proc/net with a line
// of names and a line of values, and "Name value".
func (h *Host) counterReader(f *File, rank int) func(int, []byte) bool {
	s := h.add(&Record{Ref: Ref{f, 1}, Thing: Thing{Kind: Nstat}, Values: map[string]Value{}, rank: rank})
	var names []string // of the line before, in files of /proc/net
	var group string
	return func(n int, line []byte) bool {
		first, rest := nextWord(line)
		switch {
		case len(first) == 0 || first[0] == '#':
			return true
		case first[0] == '{':
			s.json = true
			return s.readJSON(n, line)
		case first[len(first)-1] == ':' && len(rest) > 0 && line[0] != ' ':
			return s.pairOfLines(n, string(first[:len(first)-1]), rest, &group, &names)
		}
		value, _ := nextWord(rest)
		if i := len(first) - 1; first[i] == ':' { // "    MPCapableSYNRX: 1" of netstat -s
			first = first[:i]
		}
		v, ok := number(value)
		if ok {
			s.set(counterName(string(first)), v, n)
		}
		return ok
	}
}

// counterName adds the group to a name of /proc/net/mptcp_net/snmp.
func counterName(name string) string {
	if strings.HasPrefix(name, "MPCapable") || strings.HasPrefix(name, "MPJoin") {
		return "MPTcpExt" + name
	}
	return name
}

// pairOfLines reads "TcpExt: SyncookiesSent ..." and the line "TcpExt: 0 ..." behind it.
func (s *Record) pairOfLines(n int, group string, rest []byte, last *string, names *[]string) bool {
	words := strings.Fields(string(rest))
	if group != *last || len(*names) == 0 {
		*last, *names = group, words
		return true
	}
	for i, w := range words[:min(len(words), len(*names))] {
		v, ok := number([]byte(strings.TrimPrefix(w, "-")))
		if ok {
			s.set(group+(*names)[i], v, n)
		}
	}
	*names = nil
	return true
}

// readJSON reads {"kernel": {name: value}}.
func (s *Record) readJSON(n int, line []byte) bool {
	var doc map[string]map[string]json.Number
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if dec.Decode(&doc) != nil {
		return false
	}
	for _, group := range doc {
		for name, v := range group {
			if x, err := v.Int64(); err == nil {
				s.set(name, x, n)
			}
		}
	}
	return true
}

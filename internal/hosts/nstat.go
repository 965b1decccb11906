package hosts

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// counterPattern finds a counter: in {"kernel":{"IpInReceives":699}}, or the one of a line like
// "IpInReceives 699 0.0", or "    MPCapableSYNRX: 1" of netstat -s.
var counterPattern = pattern(`"(\w+)" *: *(-?\d+)|^\s*([^\s{]\S*?):?\s+(\d{1,19})(?:\s|$)`)

// counterReader reads counters in any form: nstat and its JSON, files of /proc/net with a line
// of names and a line of values, and "Name value". Names of /proc/net/mptcp_net/snmp lack their group.
func (h *Host) counterReader(f *File, rank int) func(*lines) bool {
	s := h.add(&Record{Ref: Ref{f, 1}, Thing: Thing{Kind: Nstat}, Values: map[string]Value{}, rank: rank})
	var names []string // the words of the line before, in files of /proc/net
	return func(l *lines) bool {
		words := strings.Fields(string(l.text))
		if len(words) == 0 || words[0][0] == '#' || len(words) > 1 && words[1] == "-" { // mpanalyze counters --all has no value there
			return true
		}
		group, named := strings.CutSuffix(words[0], ":")
		switch {
		case !named || len(words) == 1 || l.text[0] == ' ':
			s.json = s.json || l.text[0] == '{'
			all := counterPattern().FindAllStringSubmatch(string(l.text), -1)
			for _, m := range all {
				name := m[1] + m[3]
				if strings.HasPrefix(name, "MPCapable") || strings.HasPrefix(name, "MPJoin") {
					name = "MPTcpExt" + name
				}
				if v, err := strconv.ParseInt(m[2]+m[4], 10, 64); err == nil {
					s.set(name, v, l.n)
				}
			}
			return (len(all) > 0 || bytes.Contains(l.text, []byte("{}"))) && (l.text[0] != '{' || json.Valid(l.text))
		case len(names) == 0 || names[0] != words[0]: // "TcpExt: SyncookiesSent ..."
			names = words
			return true
		}
		for i := 1; i < min(len(words), len(names)); i++ { // "TcpExt: 0 ..."
			if v, ok := number([]byte(strings.TrimPrefix(words[i], "-"))); ok {
				s.set(group+names[i], v, l.n)
			}
		}
		names = nil
		return true
	}
}

package hosts

import (
	"bytes"
	"net/netip"
)

// Event is a line of ip mptcp monitor. Its values are the fields that are decimal numbers.
type Event struct {
	Record
	Stamp    int64 // ns since the Unix epoch, as if the local time were UTC; NoStamp without -ts
	Token    uint32
	HasToken bool
	Local    netip.AddrPort
	Remote   netip.AddrPort
}

// The values of events.
const (
	RemoteID    = "remid"
	Backup      = "backup"
	Error       = "error"
	ResetReason = "reset_reason"
)

// eventNames are the names of events.
var eventNames = []string{
	"CREATED", "ESTABLISHED", "CLOSED", "ANNOUNCED", "REMOVED", "SF_ESTABLISHED", "SF_CLOSED", "SF_PRIO",
	"LISTENER_CREATED", "LISTENER_CLOSED",
}

// eventOf splits a line of the monitor into stamp, name and fields. name is empty if the line
// is none.
func eventOf(line []byte) (stamp int64, name string, rest []byte) {
	stamp = NoStamp
	for range 2 {
		if len(line) == 0 || line[0] != '[' {
			return 0, "", nil
		}
		end := bytes.IndexByte(line, ']')
		if end < 0 {
			return 0, "", nil
		}
		inside := bytes.TrimSpace(line[1:end])
		line = bytes.TrimLeft(line[end+1:], " ")
		if at, _, _, ok := isoStamp(inside); ok {
			stamp = at
			continue
		}
		return stamp, eventName(inside), line
	}
	return 0, "", nil
}

// eventName returns the name of an event. iproute2 6.1 prints the number of events about
// listeners.
func eventName(text []byte) string {
	switch string(text) {
	case "UNKNOWN 15":
		return "LISTENER_CREATED"
	case "UNKNOWN 16":
		return "LISTENER_CLOSED"
	}
	if bytes.HasPrefix(text, []byte("UNKNOWN ")) {
		return "UNKNOWN"
	}
	return oneOf(eventNames, text)
}

func isEvent(line []byte) bool {
	_, name, _ := eventOf(line)
	return name != ""
}

// parseEvent reads a line of the monitor; it is not ok if the line is none.
func parseEvent(line []byte, e *Event) bool {
	stamp, name, rest := eventOf(line)
	if name == "" {
		return false
	}
	*e = Event{Record: Record{Ref: e.Ref, Thing: Thing{Monitor, name}}, Stamp: stamp}
	var local, remote netip.Addr
	for _, word := range words(rest) {
		key, value, _ := bytes.Cut(word, []byte("="))
		switch string(key) {
		case "token":
			v, ok := hexadecimal(value)
			e.Token, e.HasToken = uint32(v), ok && v < 1<<32
		case "saddr4", "saddr6":
			local, _ = parseAddr(value)
		case "daddr4", "daddr6":
			remote, _ = parseAddr(value)
		default:
			if n, ok := number(value); ok {
				e.set(string(key), n, e.Line)
			}
		}
	}
	if local.IsValid() {
		e.Local = netip.AddrPortFrom(local, uint16(e.Values["sport"].N))
	}
	if remote.IsValid() {
		e.Remote = netip.AddrPortFrom(remote, uint16(e.Values["dport"].N))
	}
	return true
}

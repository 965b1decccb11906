package hosts

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
)

// Event is a line of ip mptcp monitor. Its values are the fields that are decimal numbers, its flags those without a value.
type Event struct {
	Record
	Stamp  int64  // ns since the Unix epoch, with -ts as if the local time were UTC; NoStamp without any
	Token  string // in the form of reports; empty for none
	Local  netip.AddrPort
	Remote netip.AddrPort
}

// The values of events.
const (
	RemoteID    = "remid"
	Backup      = "backup"
	Error       = "error"
	ResetReason = "reset_reason"
)

// DenyJoin is the flag of an event whose peer takes no further subflow at its first address (flag C of MP_CAPABLE),
// by its name in the kernel's specification.
const DenyJoin = "deny-join-id0"

// eventHead is how an event begins: a stamp with -ts, and its name. iproute2 6.1 prints the number of events
// about listeners.
const eventHead = `^(?:\[([^\]]*\d)\] *)?\[ *(CREATED|ESTABLISHED|CLOSED|ANNOUNCED|REMOVED|SF_ESTABLISHED|SF_CLOSED|SF_PRIO|LISTENER_CREATED|LISTENER_CLOSED|UNKNOWN) *\d*\]`

var eventPattern = pattern(eventHead)

// eventReader reads ip mptcp monitor.
func (h *Host) eventReader(f *File) func(*lines) bool {
	return func(l *lines) bool {
		e := parseEvent(l.text, l.stamp, Ref{f, l.n})
		switch {
		case e == nil:
			return false
		case l.broken:
			f.cut(l.n)
		case len(h.Events) < maxEvents:
			h.Events = append(h.Events, e)
		}
		f.stamp(e.Stamp)
		return true
	}
}

// TokenText returns a token in the form of reports.
func TokenText(token uint32) string { return fmt.Sprintf("0x%08x", token) }

// parseEvent reads a line of the monitor; it returns nil if the line is none. stamp is of what wrote the line without -ts.
func parseEvent(line []byte, stamp int64, at Ref) *Event {
	head := eventPattern().FindSubmatch(line)
	if head == nil {
		return nil
	}
	e := &Event{Record: Record{Ref: at, Thing: Thing{Monitor, string(head[2])}}, Stamp: stamp}
	if at, _, _, ok := stampOf(head[1]); ok {
		e.Stamp = at
	}
	var local, remote netip.Addr
	for word := range bytes.FieldsSeq(line[len(head[0]):]) {
		key, value, valued := bytes.Cut(word, []byte("="))
		switch string(key) {
		case "token":
			if v, ok := hexadecimal(value); ok && v < 1<<32 {
				e.Token = TokenText(uint32(v))
			}
		case "saddr4", "saddr6":
			local, _ = parseAddr(value)
		case "daddr4", "daddr6":
			remote, _ = parseAddr(value)
		case "flags": // of iproute2 that has no words for them: 1 or 0x1
			v, _ := hexadecimal(bytes.TrimPrefix(value, []byte("0x")))
			if v&1 != 0 {
				e.Flags = append(e.Flags, DenyJoin)
			}
		default:
			if n, ok := number(value); ok {
				e.set(string(key), n, e.Line)
			} else if !valued {
				e.Flags = append(e.Flags, strings.ReplaceAll(string(key), "_", "-"))
			}
		}
	}
	e.Local = netip.AddrPortFrom(local, uint16(e.Values["sport"].N))
	e.Remote = netip.AddrPortFrom(remote, uint16(e.Values["dport"].N))
	return e
}

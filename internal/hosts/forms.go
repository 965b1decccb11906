package hosts

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// A lineForm is what a line of a kind of file looks like. Files are recognised by these forms, and those of most
// kinds are read by them: a line counts if a form of its kind fits, and the first that fits counts.
//
// Groups of the pattern say what the line tells: "name", "text" and "flags" of a record, "stamp" and "pairs" of an event,
// "dev" and "addresses" of a device, "kernel" and "tools" of the host. A group with another name is the value of that
// name, and an empty one is 0. The value of a line below "of:" has a name that begins with "of". What
// "heading" has stands before the next line.
type lineForm struct {
	kind    Kind
	tells   string // the kind of a text: "sure" if no other kind has such a line, "maybe" if most lines must be so; else empty
	effect  string // it begins a "record", also of an "event", or a "line" of the list that the file is; it may "end" the record; else it adds to that
	pattern lazily
}

// The names of values that forms give, but for those of counters.
const (
	SentPackets     = "TX packets"
	ReceivedPackets = "RX packets"
	SentDropped     = "TX dropped"
	ReceivedDropped = "RX dropped"
	Dropped         = "dropped" // of a queue, or by the kernel before tcpdump took them
	QueueOverlimits = "overlimits"
	QueueBacklog    = "backlog" // bytes that wait
	RulePackets     = "packets" // of a rule
	RemoteID        = "remid"   // this one and the following are of events
	Backup          = "backup"
	Error           = "error"
	ResetReason     = "reset_reason"
)

// DenyJoin is the flag of an event whose peer takes no further subflow at its first address (flag C of MP_CAPABLE),
// by its name in the kernel's specification.
const DenyJoin = "deny-join-id0"

// What many patterns have in common: an address, and the name of a device without the one at its other end.
const (
	anAddress = `[\da-fA-F]*[.:][\da-fA-F.:]*`
	aDevice   = `(?P<dev>[^\s@]{1,33}?)(?:@\S*|:)?`
)

// forms are the forms of all kinds.
var forms = sync.OnceValue(func() (all []lineForm) {
	parts := strings.NewReplacer("{address}", anAddress, "{device}", aDevice)
	for _, row := range table("forms.txt") {
		all = append(all, lineForm{Kind(row[0]), row[1], row[2], pattern(parts.Replace(row[3]))})
	}
	return all
})

// formReader reads the lines of a file by the forms of its kind.
type formReader struct {
	host    *Host
	at      Ref
	rank    int
	list    *Record // of the file, if it is a list
	record  *Record // begun last; nil for none
	dev     *Record
	heading string
}

// formReader returns what reads the lines of a file, and reports whether each counts.
func (h *Host) formReader(f *File, rank int) func(*lines) bool {
	r := &formReader{host: h, rank: rank}
	if f.Kind == Endpoints { // a file without one is a list, too
		r.list = h.add(&Record{Ref: Ref{f, 1}, Thing: Thing{Kind: f.Kind}, rank: rank})
	}
	return func(l *lines) bool {
		text := r.heading + string(l.text)
		r.heading, r.at = "", Ref{f, l.n}
		for _, x := range forms() {
			if x.kind != f.Kind {
				continue
			}
			if groups := x.pattern().FindStringSubmatchIndex(text); groups != nil {
				r.take(x, text, groups, l)
				return true
			}
		}
		return false
	}
}

// take takes a line that has a form.
func (r *formReader) take(x lineForm, text string, groups []int, l *lines) {
	switch x.effect {
	case "record", "line", "event":
		r.record = &Record{Ref: r.at, Thing: Thing{Kind: x.kind}, Stamp: l.stamp, rank: r.rank}
	case "end":
		r.record = nil
	}
	of := ""
	for i, name := range x.pattern().SubexpNames() {
		if name == "" || groups[2*i] < 0 {
			continue
		}
		switch part := text[groups[2*i]:groups[2*i+1]]; name {
		case "of":
			of = part + " "
		case "heading":
			r.heading = part
		default:
			r.group(of, name, part)
		}
	}
	switch {
	case x.effect == "record":
		r.host.add(r.record)
	case x.effect == "line" && len(r.list.List) < maxLines:
		r.list.List = append(r.list.List, r.record)
	case x.effect == "event":
		if r.at.File.stamp(r.record.Stamp); l.broken {
			r.at.File.cut(l.n)
		} else {
			r.host.add(r.record)
		}
	}
}

// group takes what a group of a line has.
func (r *formReader) group(of, name, text string) {
	switch name {
	case "kernel":
		r.host.Kernel = cmp.Or(r.host.Kernel, text)
	case "tools":
		r.host.Tools = text
	case "dev":
		if r.dev = r.host.Device(text); r.dev == nil {
			r.dev = r.host.add(&Record{Ref: r.at, Thing: Thing{Addr, text}})
		}
		if r.record != nil {
			r.record.Name = r.dev.Name
		}
	case "addresses":
		for word := range strings.FieldsSeq(text) {
			address, _, _ := strings.Cut(word, "/")
			if a, ok := parseAddr([]byte(address)); ok && r.dev != nil && len(r.dev.Addresses) < maxLines && !slices.Contains(r.dev.Addresses, a) {
				r.dev.Addresses = append(r.dev.Addresses, a)
			}
		}
	case "name":
		r.record.Name = text
	case "text":
		r.record.Text = strings.Join(strings.Fields(text), " ")
	case "flags":
		r.record.Flags = strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(", \t", c) })
	case "stamp":
		if at, _, _, ok := stampOf([]byte(text)); ok {
			r.record.Stamp = at
		}
	case "pairs":
		r.record.pairs(text)
	default:
		if r.record != nil {
			r.record.set(of+name, sized(text), r.at.Line)
		}
	}
}

// pairs reads the words of an event: names with values, of which it keeps the decimal numbers, and flags.
func (r *Record) pairs(text string) {
	var local, remote netip.Addr
	for word := range strings.FieldsSeq(text) {
		name, value, valued := strings.Cut(word, "=")
		switch name {
		case "token":
			if v, ok := hexadecimal([]byte(value)); ok && v < 1<<32 {
				r.Token = TokenText(uint32(v))
			}
		case "saddr4", "saddr6":
			local, _ = parseAddr([]byte(value))
		case "daddr4", "daddr6":
			remote, _ = parseAddr([]byte(value))
		case "flags": // of iproute2 that has no words for them: 1 or 0x1
			if v, _ := hexadecimal([]byte(strings.TrimPrefix(value, "0x"))); v&1 != 0 {
				r.Flags = append(r.Flags, DenyJoin)
			}
		default:
			if n, ok := number([]byte(value)); ok {
				r.set(name, n, r.Line)
			} else if !valued {
				r.Flags = append(r.Flags, strings.ReplaceAll(name, "_", "-"))
			}
		}
	}
	r.Local = netip.AddrPortFrom(local, uint16(r.Values["sport"].N))
	r.Remote = netip.AddrPortFrom(remote, uint16(r.Values["dport"].N))
}

// sized reads a number, or 12K and the like: powers of 1024.
func sized(text string) int64 {
	stem := strings.TrimRight(text, "KM")
	v, _ := number([]byte(stem))
	return v << map[string]int{"K": 10, "M": 20}[text[len(stem):]]
}

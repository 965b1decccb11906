package hosts

import (
	"bytes"
	"slices"
	"strings"
)

// The counters of a device and of its queue, by the names in reports.
const (
	SentPackets     = "TX packets"
	ReceivedPackets = "RX packets"
	SentDropped     = "TX dropped"
	ReceivedDropped = "RX dropped"
	QueueDropped    = "dropped"
	QueueOverlimits = "overlimits"
	QueueBacklog    = "backlog" // bytes that wait
)

// linkReader reads ip -s link: of each device its flags, and its counters.
func (h *Host) linkReader(f *File, rank int) func(int, []byte) bool {
	var dev *Interface
	var state *Record
	var way string // "RX" or "TX" when the next line has the counters of that way
	return func(n int, line []byte) bool {
		first, rest := nextWord(line)
		switch {
		case isLink(line):
			name, rest := nextWord(rest)
			flags, _ := nextWord(rest)
			dev, way = h.device(deviceName(name)), ""
			state = h.add(&Record{Ref: Ref{f, n}, Thing: Thing{Link, dev.Dev}, Flags: strings.Split(strings.Trim(string(flags), "<>"), ","), rank: rank})
		case state == nil:
			return false
		case isAddress(first):
			dev.addAddress(rest)
		case string(first) == "RX:" || string(first) == "TX:":
			way = string(first[:2])
		case way != "":
			state.count(way, n, line)
			way = ""
		}
		return true
	}
}

// count reads a line of counters: bytes, packets, errors, dropped.
func (r *Record) count(way string, n int, line []byte) {
	list := words(line)
	if len(list) < 4 {
		return
	}
	packets, ok := number(list[1])
	dropped, ok2 := number(list[3])
	if ok && ok2 {
		r.set(way+" packets", packets, n)
		r.set(way+" dropped", dropped, n)
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
		case isAddress(first):
			if dev != nil {
				dev.addAddress(rest)
			}
		default:
			return isIndented(line)
		}
		return true
	}
}

// isAddress reports whether a line of ip begins an address.
func isAddress(first []byte) bool { return string(first) == "inet" || string(first) == "inet6" }

// isIndented reports whether a line carries on the one before.
func isIndented(line []byte) bool { return len(line) > 0 && (line[0] == ' ' || line[0] == '\t') }

// deviceName returns a name without colon and without the device at the other end: "p1@if7:".
func deviceName(word []byte) string {
	word = bytes.TrimSuffix(word, []byte(":"))
	name, _, _ := bytes.Cut(word, []byte("@"))
	return string(name)
}

// addAddress adds the first word of a text, 10.2.1.1/24.
func (i *Interface) addAddress(text []byte) {
	word, _ := nextWord(text)
	word, _, _ = bytes.Cut(word, []byte("/"))
	a, ok := parseAddr(word)
	if ok && len(i.Addresses) < maxLines && !slices.Contains(i.Addresses, a) {
		i.Addresses = append(i.Addresses, a)
	}
}

// queueReader reads tc -s qdisc. A device may have several queues; the root is counted, and
// drops of its children are in its own.
func (h *Host) queueReader(f *File, rank int) func(int, []byte) bool {
	var q *Record
	return func(n int, line []byte) bool {
		first, rest := nextWord(line)
		switch {
		case string(first) == "qdisc":
			kind, rest := nextWord(rest)
			list := words(rest)
			dev := wordAfter(list, "dev")
			roots := 0 // a device may have the name root
			for _, w := range append(list, dev) {
				if string(w) == "root" {
					roots++
				}
			}
			q = nil
			if dev != nil && roots%2 == 1 {
				q = h.add(&Record{Ref: Ref{f, n}, Thing: Thing{Qdisc, h.device(string(dev)).Dev}, Text: string(kind), rank: rank})
				q.set(QueueDropped, 0, n) // as long as no line says more
				q.set(QueueOverlimits, 0, n)
			}
		case q == nil:
		case string(first) == "Sent": // 1961306 bytes 1341 pkt (dropped 0, overlimits 1315 requeues 0)
			list := words(bytes.Map(withoutMarks, line))
			for _, name := range []string{QueueDropped, QueueOverlimits} {
				if v, ok := number(wordAfter(list, name)); ok {
					q.set(name, v, n)
				}
			}
		case string(first) == "backlog":
			word, _ := nextWord(rest)
			q.set(QueueBacklog, sized(word), n)
		}
		return true
	}
}

// withoutMarks turns brackets and commas into blanks.
func withoutMarks(r rune) rune {
	if strings.ContainsRune("(),", r) {
		return ' '
	}
	return r
}

// wordAfter returns the word behind a word; nil if there is none.
func wordAfter(list [][]byte, name string) []byte {
	for i := range len(list) - 1 {
		if string(list[i]) == name {
			return list[i+1]
		}
	}
	return nil
}

// sized reads 0b, 12Kb and the like, bytes.
func sized(word []byte) int64 {
	word = bytes.TrimSuffix(word, []byte("b"))
	scale := int64(1)
	if n := len(word); n > 0 {
		switch word[n-1] {
		case 'K':
			word, scale = word[:n-1], 1<<10
		case 'M':
			word, scale = word[:n-1], 1<<20
		}
	}
	v, _ := number(word)
	return v * scale
}

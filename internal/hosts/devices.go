package hosts

import (
	"bytes"
	"slices"
	"strings"
)

// linkReader reads ip -s link: of each device whether it is up, and its counters.
func (h *Host) linkReader(f *File, rank int) func(int, []byte) bool {
	var dev *Interface
	var state *LinkState
	var row byte // 'R' or 'T' when the next line has the counters of that way
	return func(n int, line []byte) bool {
		first, rest := nextWord(line)
		switch {
		case isLink(line):
			name, rest := nextWord(rest)
			flags, _ := nextWord(rest)
			dev, state, row = h.device(deviceName(name)), &LinkState{Ref: Ref{f, n}}, 0
			state.Up = hasFlag(flags, "UP")
			dev.addLink(state, rank)
		case state == nil:
			return false
		case string(first) == "inet" || string(first) == "inet6":
			word, _ := nextWord(rest)
			dev.addAddress(word)
		case string(first) == "RX:" || string(first) == "TX:":
			row = first[0]
		case row != 0:
			state.count(row, n, line)
			row = 0
		}
		return true
	}
}

// hasFlag reports whether <BROADCAST,UP,LOWER_UP> has a flag.
func hasFlag(flags []byte, name string) bool {
	return slices.Contains(strings.Split(strings.Trim(string(flags), "<>"), ","), name)
}

// count reads a line of counters: bytes, packets, errors, dropped.
func (s *LinkState) count(row byte, n int, line []byte) {
	list := words(line)
	if len(list) < 4 {
		return
	}
	var v [4]int64
	for i := range v {
		var ok bool
		if v[i], ok = number(list[i]); !ok {
			return
		}
	}
	s.HasCounters = true
	if row == 'R' {
		s.Received, s.RxDropped, s.RxLine = v[1], v[3], n
	} else {
		s.Sent, s.TxDropped, s.TxLine = v[1], v[3], n
	}
}

// addLink enters a state as the one before or after. Of two files without a name that tells, the
// counters do.
func (i *Interface) addLink(s *LinkState, rank int) {
	untold := enter(&i.Before, &i.After, &i.afterRank, s, rank)
	if untold && i.Before.Sent+i.Before.Received > s.Sent+s.Received {
		i.Before, i.After = s, i.Before
	}
}

// enter enters what is known of a device as the state before or after. It reports whether no name
// of a file tells which of two states is the first.
func enter[T any](first, last **T, lastRank *int, x *T, rank int) (untold bool) {
	switch {
	case rank == before:
		*first = x
	case rank == after || *last == nil:
		if *last != nil && *lastRank < rank && *first == nil {
			*first = *last
		}
		*last, *lastRank = x, rank
	case *lastRank == after:
		if *first == nil {
			*first = x
		}
	default:
		*first, *last = *last, x
		return true
	}
	return false
}

// queueReader reads tc -s qdisc. A device may have several queues; the root is counted, and
// drops of its children are in its own.
func (h *Host) queueReader(f *File, rank int) func(int, []byte) bool {
	var q *QueueState
	return func(n int, line []byte) bool {
		first, rest := nextWord(line)
		switch {
		case string(first) == "qdisc":
			q = h.queue(f, n, rest, rank)
		case q == nil:
			return true
		case string(first) == "Sent":
			q.count(n, line)
		case string(first) == "backlog":
			word, _ := nextWord(rest)
			q.Backlog = sized(word)
		}
		return true
	}
}

// queue begins a queue; nil for one that is not the root of a device.
func (h *Host) queue(f *File, n int, rest []byte, rank int) *QueueState {
	kind, rest := nextWord(rest)
	dev, root, last := "", false, ""
	for _, word := range words(rest) {
		switch {
		case last == "dev":
			dev, word = string(word), nil // a device may have the name root
		case string(word) == "root":
			root = true
		}
		last = string(word)
	}
	if dev == "" || !root {
		return nil
	}
	q, i := &QueueState{Ref: Ref{f, n}, Qdisc: string(kind)}, h.device(dev)
	enter(&i.QueueBefore, &i.QueueAfter, &i.queueRank, q, rank)
	return q
}

// count reads "Sent 1961306 bytes 1341 pkt (dropped 0, overlimits 1315 requeues 0)".
func (q *QueueState) count(n int, line []byte) {
	q.CountLine = n
	var last []byte
	for _, word := range words(line) {
		word = bytes.Trim(word, "(),")
		v, ok := number(word)
		switch {
		case ok && string(last) == "dropped":
			q.Dropped = v
		case ok && string(last) == "overlimits":
			q.Overlimits = v
		}
		last = word
	}
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

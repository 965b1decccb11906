package conn

import (
	"cmp"
	"slices"
)

// Warnings counts anomalies by kind.
type Warnings struct {
	list []Warning  // one entry for each kind
	lost int64      // segments that were acknowledged but are not in the capture
	seen directions // of the connections that have ended
}

// Warning is one kind of anomaly.
type Warning struct {
	Code, Message string
	Packet        uint64 // the first packet that shows it; 0 where no packet does
	Count         int64
}

func (w *Warnings) add(n Warning) {
	for i := range w.list {
		if old := &w.list[i]; old.Code == n.Code {
			old.Count += n.Count
			if n.Packet < old.Packet { // packets may be processed out of order: see [Table.SegmentsByConn]
				old.Packet = n.Packet
			}
			return
		}
	}
	w.list = append(w.list, n)
}

// warn counts an anomaly that a packet shows; 0 where no packet does.
func (t *Table) warn(code, message string, packet uint64) {
	t.Warnings.add(Warning{code, message, packet, 1})
}

// List returns the warnings in the order of their first packets, and then those without
// a packet.
func (w *Warnings) List() []Warning {
	list := slices.Clone(w.list)
	slices.SortStableFunc(list, func(a, b Warning) int { return cmp.Compare(a.Packet-1, b.Packet-1) }) // 0 comes last
	if x, ok := w.seen.warning(); ok {
		list = append(list, x)
	}
	if w.lost == 0 {
		return list
	}
	return append(list, Warning{
		Code: "capture_lost_packets", Count: w.lost,
		Message: "segments were acknowledged and are missing from the capture, not lost in the network: figures of these subflows lack them (not_captured_bytes, capture_gaps)",
	})
}

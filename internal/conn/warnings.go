package conn

import "slices"

// Warnings count anomalies by kind.
type Warnings struct {
	list []Warning // one entry for each kind
	lost int64     // segments that were acknowledged and are not in the capture
}

// Warning is one kind of anomaly.
type Warning struct {
	Code, Message string
	Packet        uint64 // the first packet that shows it; 0 where none does
	Count         int64
}

func (w *Warnings) add(n Warning) {
	for i := range w.list {
		if w.list[i].Code == n.Code {
			w.list[i].Count += n.Count
			return
		}
	}
	w.list = append(w.list, n)
}

// warn counts an anomaly that a packet shows; 0 where none does.
func (t *Table) warn(code, message string, packet uint64) {
	t.Warnings.add(Warning{code, message, packet, 1})
}

// List returns the warnings in the order of their first packets, and behind them
// what no packet shows.
func (w *Warnings) List() []Warning {
	if w.lost == 0 {
		return w.list
	}
	return append(slices.Clip(w.list), Warning{
		Code: "capture_lost_packets", Count: w.lost,
		Message: "segments were acknowledged and are not in the capture, which lost their packets: figures of these subflows lack them (not_captured_bytes)",
	})
}

package conn

// Warnings count anomalies by kind.
type Warnings struct{ list []Warning } // one entry for each kind

// Warning is one kind of anomaly.
type Warning struct {
	Code, Message string
	Packet        uint64 // the first packet that shows it; 0 where none does
	Count         int64
}

func (w *Warnings) add(code, message string, packet uint64) {
	for i := range w.list {
		if w.list[i].Code == code {
			w.list[i].Count++
			return
		}
	}
	w.list = append(w.list, Warning{code, message, packet, 1})
}

// List returns the warnings in the order of their first packets.
func (w *Warnings) List() []Warning { return w.list }

package subflow

import "mpanalyze/internal/seq"

// Clear makes f an empty flow. It keeps the memory of short lists.
func (f *Flow) Clear() {
	*f = Flow{Senders: f.Senders}
	for side := range f.Senders {
		f.Senders[side].clear()
	}
}

func (snd *Sender) clear() {
	stamps, queue, sacked := seq.Reuse(snd.timestamps.buf), snd.rtxQueue.list.Reuse(), snd.sacked.Reuse()
	missing, rexmits := snd.holes.list.Reuse(), seq.Reuse(snd.Loss.rexmits)
	*snd = Sender{}
	snd.timestamps.buf, snd.rtxQueue.list, snd.sacked, snd.holes.list, snd.Loss.rexmits = stamps, queue, sacked, missing, rexmits
}

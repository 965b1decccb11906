package subflow

import "mpanalyze/internal/seq"

// Clear makes f an empty flow. It keeps the memory of short lists.
func (f *Flow) Clear() {
	a, b := f.Senders[A].recycledLists(), f.Senders[B].recycledLists()
	*f = Flow{}
	f.Senders[A].useLists(a)
	f.Senders[B].useLists(b)
}

// recycledLists are the emptied lists of a Sender.
type recycledLists struct {
	stamps   []timestamp
	inflight seq.List[rtxEntry]
	sacked   seq.Set[seq.SSN]
	holes    seq.List[hole]
	copies   []rexmitCopy
}

func (snd *Sender) recycledLists() recycledLists {
	return recycledLists{
		seq.Reuse(snd.timestamps.buf), snd.rtxQueue.list.Reuse(), snd.sacked.Reuse(),
		snd.holes.list.Reuse(), seq.Reuse(snd.Loss.copies),
	}
}

func (snd *Sender) useLists(l recycledLists) {
	snd.timestamps.buf, snd.rtxQueue.list, snd.sacked, snd.holes.list, snd.Loss.copies = l.stamps, l.inflight, l.sacked, l.holes, l.copies
}

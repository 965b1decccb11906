package fill

import "mpanalyze/internal/report"

// Sums adds up what the subflows of a connection carried of the data that a side sends, 0 for
// A. known says whether the bytes of the connection are known. If they are not, or those of a
// subflow are not, Sums leaves what follows from bytes as it is, and returns false.
func (m *Memory) Sums(out *report.ConnDir, subs []report.Subflow, from int, known bool) bool {
	out.Segments, out.RetransmittedSegments, out.RetransmittedBytes = 0, 0, 0
	var bytes, segments, reinjected, same int64
	for i := range subs {
		s := subs[i].Dirs()[from]
		out.Segments += s.Segments
		out.RetransmittedSegments += s.RetransmittedSegments
		out.RetransmittedBytes += s.RetransmittedBytes
		if s.BytesUnique == nil || s.ReinjectedBytes == nil {
			known = false
			continue
		}
		bytes += first(s)
		segments += *s.ReinjectedSegments
		reinjected += *s.ReinjectedBytes
		same += *s.ReinjectedSameSubflowBytes
	}
	if known {
		out.Bytes, out.ReinjectedSegments, out.ReinjectedBytes, out.ReinjectedSameSubflowBytes = m.Ints.Of(bytes), m.Ints.Of(segments), m.Ints.Of(reinjected), m.Ints.Of(same)
	}
	return known
}

// first returns the bytes of data that the subflow was the first to carry.
func first(d *report.SubDir) int64 { return *d.BytesUnique - *d.ReinjectedBytes }

// PathSums adds up, by path, what the subflows carried of the data that a side sends. known says
// whether all their bytes are known.
func (m *Memory) PathSums(subs []report.Subflow, from int, known bool) report.List[report.PathShare] {
	at := m.Index() // the place of a path in the list
	out := report.List[report.PathShare](m.Paths.List(len(subs))[:0])
	for i := range subs {
		s, name := subs[i].Dirs()[from], subs[i].Path
		k, ok := at[name]
		if !ok {
			k = len(out)
			at[name] = k
			out = append(out, report.PathShare{Path: name, Subflows: m.Small.List(1)[:0]})
			if known {
				out[k].Bytes, out[k].FirstBytes, out[k].ReinjectedBytes = m.Ints.Of(0), m.Ints.Of(0), m.Ints.Of(0)
			}
		}
		p := &out[k]
		p.Subflows = append(p.Subflows, subs[i].ID)
		p.RetransmittedBytes += s.RetransmittedBytes
		if !known {
			continue
		}
		*p.Bytes += *s.Bytes
		*p.FirstBytes += first(s)
		*p.ReinjectedBytes += *s.ReinjectedBytes
	}
	return out
}

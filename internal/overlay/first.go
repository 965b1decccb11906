package overlay

import "mpanalyze/internal/report"

// FirstPacket returns the time of the first packet of the captures, to which relative times of a
// file refer. With captures of both hosts it is the sender's, as times of the report are by its
// clock. Without any it is the given time.
func FirstPacket(doc *report.Document, start int64) int64 {
	first := start
	for i := range doc.Captures {
		c := &doc.Captures[i]
		if c.First != nil && (c.Host == nil || *c.Host == report.SenderHost) {
			first = min(first, int64(*c.First))
		}
	}
	return first
}

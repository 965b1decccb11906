package engine

import (
	"fmt"

	"mpanalyze/internal/decode"
	"mpanalyze/internal/report"
)

// Copies that were kept are told of only if there are at least fewCopies, and one in
// tellCopies of all packets: a network duplicates less.
const tellCopies = 20

// copyWarnings returns the warnings of packets that were captured more than once.
func (r *reader) copyWarnings() (out []report.Warning) {
	counts := r.decoder.Counts()
	seen := counts.Outcome(decode.Duplicate)
	if seen.Count > 0 {
		out = append(out, warning("duplicate_sight", "packets seen at a second interface were counted once", seen.First, int64(seen.Count)))
	}
	c := &r.copies
	all := int64(counts.Outcome(decode.TCP).Count)
	if c.count > 0 {
		text := fmt.Sprintf("packets were captured twice at one interface, as a mirror port, a bond or a router shows them, and counted once: %s of the TCP packets are copies", share(c.count, all))
		out = append(out, warning("copies_on_one_interface", text, c.first, c.count))
	}
	if c.kept >= fewCopies && c.kept*tellCopies >= all {
		text := fmt.Sprintf("packets repeat an earlier packet in all numbers: %s of the TCP packets; it is not certain that the capture has them twice, so they count as sent again", share(c.kept, all))
		out = append(out, warning("packets_repeated", text, c.firstKept, c.kept))
	}
	if c.twoPlaces {
		text := fmt.Sprintf("packets were captured at two places with a path of at least %.1f ms between them; connections that go on after this packet have no figures of time; give the capture of each place alone", float64(c.leastDelay)/1e6)
		out = append(out, warning("captured_at_two_places", text, c.placesFrom, c.count+int64(seen.Count)))
	}
	return out
}

// share returns part of all as a percentage, for people.
func share(part, all int64) string {
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(max(all, 1)))
}

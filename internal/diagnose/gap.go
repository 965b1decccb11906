package diagnose

import (
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// gapMuch is how many percent of the data must be missing from the capture for a warning.
const gapMuch = 1.0

// gaps judges a capture that lacks packets of the connection. Everything else that is said is
// of the packets that are there, so this comes first.
func (j *judge) gaps() {
	list, omitted, missing := j.m.Conn.Gaps()
	if len(list) == 0 {
		return
	}
	longest := &list[0]
	for i := range list {
		if g := &list[i]; g.Duration() > longest.Duration() {
			longest = g
		}
	}
	captured := int64(0)
	for _, s := range j.m.Subs {
		captured += s.Sub.Senders[conn.A].Bytes + s.Sub.Senders[conn.B].Bytes
	}
	share := percent(missing, missing+captured)
	where := "in one place"
	if n := int64(len(list)) + omitted; n > 1 {
		where = fmt.Sprintf("in %d places", n)
	}
	text := fmt.Sprintf("packets are missing from the capture %s, not from the network: %s of data was acknowledged and is not in the file, %.1f %% of all. The longest time in which packets are missing is %s, from packet %d to packet %d. No time was measured across such a place",
		where, bytesText(float64(missing)), share, durationText(longest.Duration()), longest.Before.Packet, longest.After.Packet)
	v := j.add(report.VerdictCaptureGap, warningIf(share >= gapMuch), text,
		number("data not captured", float64(missing), "bytes"), number("longest gap", float64(longest.Duration())/1e6, "ms"),
		j.packet("packet before it", symptoms.PacketRef(longest.Before), -1), j.packet("packet after it", symptoms.PacketRef(longest.After), -1))
	concernsBytes(v, missing)
}

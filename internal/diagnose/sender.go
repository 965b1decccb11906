package diagnose

import (
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// sendBufferMuch is the part of the time of a direction from which on the sender limits it,
// percent.
const sendBufferMuch = 25.0

// senderLimited judges a sender that limits itself: what is outstanding does not grow although
// the paths and the receive window have room.
func (j *judge) senderLimited(from conn.Side, d *report.ConnDir) {
	x := senderAccount(d)
	if j.has(report.VerdictStrippedData) { // without DATA_ACKs the send buffer stays full
		return
	}
	if x == nil || x.Window.Percent < sendBufferMuch || x.Window.MS*1e6 < noticeable {
		return
	}
	v := j.add(report.VerdictSenderLimited, report.Major,
		fmt.Sprintf("%s itself limited what was outstanding for %.0f %% of the time, although the receive window and the paths had room: its send buffer was full, or its congestion window has a limit",
			side(from), x.Window.Percent))
	v.Certainty = report.Likely
	costs(v, x.Window.Percent, int64(x.Window.MS*1e6))
}

// senderAccount returns the account of a capture at the sender; nil if there is none. Elsewhere
// most of the time is undetermined, so that a small share says nothing.
func senderAccount(d *report.ConnDir) *report.TimeAccount {
	if x := d.TimeAccount; x != nil && x.SeenAt == report.SeenAtSender {
		return x
	}
	return nil
}

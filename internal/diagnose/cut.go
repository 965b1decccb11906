package diagnose

import (
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// cutMuch is a percentage of the packets: if the capture cut the options of so many, the
// figures are wrong enough for a warning.
const cutMuch = 1.0

// cut judges a capture whose snapshot length cut TCP options: there the absence of an option
// proves nothing.
func (j *judge) cut() {
	var n, shown int64
	var first report.Proof
	note := func(k report.Proof, count int64) {
		if n += count; first.What == "" || k.Packet != nil && *k.Packet < *first.Packet {
			first = k
		}
	}
	for _, s := range j.subflows() {
		for side := range s.Sub.Senders {
			t := s.OptionUse(conn.Side(side))
			if shown += t.Packets; t.Cut > 0 {
				note(j.packet("the first of them", t.FirstCut, s.Sub.ID), t.Cut)
			}
		}
		if s.Handshake.SYNACKCut {
			note(j.packet("the first of them", s.Handshake.SYNACK, s.Sub.ID), 1)
		}
		if s.Handshake.SYNCut {
			note(j.packet("the first of them", s.Handshake.SYN, s.Sub.ID), 1)
		}
	}
	if n == 0 {
		return
	}
	what := "what they mapped and acknowledged is missing from the figures"
	if j.c == nil {
		what = "they do not show whether MPTCP was requested and granted"
	}
	j.add(report.VerdictOptionsCut, warningIf(percent(n, n+shown) >= cutMuch),
		fmt.Sprintf("the snapshot length of the capture cut the TCP options of %s: %s; capture at least 128 bytes of each packet, 256 in a tunnel", plural(n, "packet"), what),
		number("packets", float64(n), "count"), first)
}

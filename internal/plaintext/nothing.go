package plaintext

import (
	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// nothingFound says that the captures have no TCP connection, and what may be the cause.
func nothingFound(head *report.Document) string {
	captures := head.Captures
	if n := head.LeftOutTCP; n > 0 {
		return "No MPTCP connection found; " + leftOut(n) + "."
	}
	var packets, filtered, notTCP int64
	for i := range captures {
		c := &captures[i]
		packets += c.Packets
		filtered += c.Skipped.Filtered
		notTCP += c.Skipped.NotIP + c.Skipped.NotTCP
	}
	text := "No TCP connection found"
	switch {
	case len(captures) == 0:
	case packets == 0:
		text += ": the capture has no packet"
	case filtered == packets:
		text += ": --filter leaves out all packets"
	case notTCP == packets:
		text += ": no packet is TCP over IP"
		if head.MadeBy == nil || !head.MadeBy.Options.Decap {
			text += "; --decap looks into tunnels"
		}
	}
	return text + "."
}

// leftOut says how many plain TCP connections were not asked for.
func leftOut(n int) string {
	return textwrap.Count(n, "plain TCP connection") + " left out (--tcp none)"
}

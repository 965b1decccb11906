package diagnose

import (
	"fmt"

	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// failback says how a path that died and came back took up its share again.
func (j *judge) failback(h *symptoms.Handover) (text string, proofs []report.Proof) {
	if !h.Back.Seen() || !h.HasShare() {
		return "", nil
	}
	proofs = []report.Proof{j.packet("last data on it without an answer before it came back", h.LastLost, h.From)}
	switch {
	case !h.FailedBack:
		return "; it did not carry its share again after it came back", proofs
	case h.Failback < cell:
		text = "less than " + durationText(cell)
	default:
		text = durationText(h.Failback)
	}
	return fmt.Sprintf("; it carried its share again %s after it came back", text),
		append(proofs, number("carried its share again after", float64(h.Failback)/1e6, "ms"))
}

package extract

import (
	"slices"
	"strconv"

	"mpanalyze/internal/packets"
	"mpanalyze/internal/report"
)

// maxProofs bounds the packets that prove verdicts; later ones are left out.
const maxProofs = 1 << 18

// Verdicts is which verdicts of a report each packet proves.
type Verdicts map[uint64][]report.VerdictCode

// VerdictsOf returns the packets that prove the verdicts of a report, and how many verdicts have
// packets that are left out.
func VerdictsOf(s report.Source) (of Verdicts, left int, err error) {
	of = Verdicts{}
	err = report.Each(s, func(_ int, c *report.Connection) { left += of.add(report.Known(c.Verdicts)) }, func(_ int, c *report.TCP) { left += of.add(c.Verdicts) })
	return of, left, err
}

// add adds the packets of verdicts and returns how many verdicts have packets that are left out.
func (v Verdicts) add(list []report.Verdict) (left int) {
	for i := range list {
		complete := true
		for _, proof := range list[i].Evidence {
			if proof.Packet == nil || *proof.Packet <= 0 {
				continue
			}
			num := uint64(*proof.Packet)
			if was, ok := v[num]; !ok && len(v) >= maxProofs {
				complete = false
			} else if !slices.Contains(was, list[i].Code) {
				v[num] = append(was, list[i].Code)
			}
		}
		if !complete {
			left++
		}
	}
	return left
}

// append adds the verdicts that a packet proves to its comment.
func (v Verdicts) append(comment []byte, num uint64) []byte {
	codes := v[num]
	if len(codes) == 0 {
		return comment
	}
	if len(comment) == 0 { // a packet that belongs to no connection of the table
		comment = append(comment, packets.Prefix+": packet="...)
		comment = strconv.AppendUint(comment, num, 10)
	}
	comment = append(comment, " verdict="...)
	for i, code := range codes {
		if i > 0 {
			comment = append(comment, ',')
		}
		comment = append(comment, code...)
	}
	return comment
}

package pair

import "mpanalyze/internal/packet"

// optionSummary describes a packet's TCP options, to see whether a middlebox
// changed them: their length, and whether there are timestamps and MPTCP
// options. A middlebox may overwrite those by NOPs, which does not change the
// length.
type optionSummary uint8

const (
	optionWords optionSummary = 1<<4 - 1 // length in words of 4 bytes, at most 10
	// In the order of [packet.Present]: one shift moves all bits to their place.
	optionTimestamps optionSummary = 1 << 4
	optionMPTCP      optionSummary = 1 << 5
	optionsCut       optionSummary = 1 << 6 // the capture cut the options: only their length is known
)

// optionsOf summarises the options of a packet.
func optionsOf(s *packet.Segment) optionSummary {
	const (
		kept  = packet.HasTimestamps | packet.HasDSS | packet.OptionsCut
		shift = uint32(optionTimestamps|optionMPTCP|optionsCut) / uint32(kept)
	)
	o := uint32(s.OptLen)/4 | uint32(s.Have&kept)*shift
	if s.OtherLen != 0 {
		o |= uint32(optionMPTCP)
	}
	return optionSummary(o)
}

// differs reports whether the options of a packet changed on the way.
func (o optionSummary) differs(sent optionSummary) bool {
	if (o|sent)&optionsCut != 0 {
		return (o^sent)&optionWords != 0
	}
	return o != sent
}

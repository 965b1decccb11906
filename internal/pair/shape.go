package pair

import "mpanalyze/internal/packet"

// shape is what is kept of a packet's TCP options to see whether a middlebox
// changed them: their length, and which of those are there that middleboxes
// overwrite by NOPs, which leaves the length as it was.
type shape uint8

const (
	shapeWords shape = 1<<4 - 1 // length in words of 4 octets, at most 10
	// In the order of what is there: one shift moves all of them to their place.
	shapeTimes shape = 1 << 4
	shapeMPTCP shape = 1 << 5
	shapeCut   shape = 1 << 6 // the capture cut the options: only their length is known
)

func shapeOf(s *packet.Segment) shape {
	const (
		kept  = packet.HasTimestamps | packet.HasDSS | packet.OptionsCut
		place = uint32(shapeTimes|shapeMPTCP|shapeCut) / uint32(kept)
	)
	o := uint32(s.OptLen)/4 | uint32(s.Have&kept)*place
	if s.OtherLen != 0 {
		o |= uint32(shapeMPTCP)
	}
	return shape(o)
}

// differs reports whether the options of a packet changed on the way.
func (o shape) differs(sent shape) bool {
	if (o|sent)&shapeCut != 0 {
		return (o^sent)&shapeWords != 0
	}
	return o != sent
}

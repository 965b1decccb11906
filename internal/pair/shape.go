package pair

import "mpanalyze/internal/packet"

// shape is what is kept of a packet's TCP options to see whether a middlebox
// changed them: their length, and which of those are there that middleboxes
// overwrite by NOPs, which leaves the length as it was.
type shape uint8

const (
	shapeWords shape = 1<<4 - 1 // length in words of 4 octets, at most 10
	shapeMPTCP shape = 1 << 4
	shapeTimes shape = 1 << 5
	shapeCut   shape = 1 << 7 // the capture cut the options: only their length is known
)

func shapeOf(s *packet.Segment) shape {
	const ( // by what the bits of what is there move to their place
		dss   = uint32(shapeMPTCP) / uint32(packet.HasDSS)
		times = uint32(shapeTimes) / uint32(packet.HasTimestamps)
		cut   = uint32(shapeCut) / uint32(packet.OptionsCut)
	)
	o := uint32(s.OptLen)/4 | uint32(s.Have&packet.HasDSS)*dss | uint32(s.Have&packet.HasTimestamps)*times | uint32(s.Have&packet.OptionsCut)*cut
	if s.RareLen != 0 {
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

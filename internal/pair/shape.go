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
	var multipath, times, cut uint32 // wide enough for moves instead of branches
	if uint32(s.Have&packet.HasDSS)|uint32(s.RareLen) != 0 {
		multipath = uint32(shapeMPTCP)
	}
	if s.Have&packet.HasTimestamps != 0 {
		times = uint32(shapeTimes)
	}
	if s.Have&packet.OptionsCut != 0 {
		cut = uint32(shapeCut)
	}
	return shape(uint32(s.OptLen)/4 | multipath | times | cut)
}

// differs reports whether the options of a packet changed on the way.
func (o shape) differs(sent shape) bool {
	if (o|sent)&shapeCut != 0 {
		return (o^sent)&shapeWords != 0
	}
	return o != sent
}

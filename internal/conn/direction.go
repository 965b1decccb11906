package conn

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// Direction is one direction of a subflow, with all that its packets move, so
// that none of it has to be looked up for each of them.
type Direction struct {
	Sub      *Subflow
	Conn     *Conn
	From     Side // who sends
	DirIndex int  // its number among the directions of the connection's subflows: the subflow's, twice, and From

	fastPathOK bool  // see isUsual
	lastSlow   int64 // time of its latest packet other than usual, ns; 0 where there is none

	tcp                 subflow.Direction
	sentData, ackedData *dss.Space        // of the sender's data, and of the data that it acknowledges
	sentSub, ackedSub   *dss.SubflowSpace // the subflow's in these

	observer    Observer // the connection's
	lastMapping lastMapping
}

// onFastPath reports whether packet s of the direction says nothing of the
// connection itself but a DSS, that is known to be one of Multipath TCP, and its
// subflow goes on. Nothing but a packet other than usual can change more than
// [Table.Segment] looks at.
func (d *Direction) onFastPath(s *packet.Segment) bool {
	return d.fastPathOK && s.Have&(packet.HasDSS|packet.OptionsCut|packet.Outgoing|packet.Incoming|packet.ClockChanged) == packet.HasDSS &&
		s.OtherLen == 0 && d.tcp.IsExpected(s)
}

// updateFastPath notes after a packet other than usual what isUsual need not ask of each
// packet. A connection of Multipath TCP remains one.
func (s *Subflow) updateFastPath() {
	on := s.Conn.Kind == Multipath && s.FastPathOK()
	s.dirs[A].fastPathOK, s.dirs[B].fastPathOK = on, on
}

package conn

import (
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/subflow"
)

// SubflowDir is one direction of a subflow. It has pointers to all state that its
// packets change, so that nothing has to be looked up for each packet. Marks of cooked headers are kept, so that packets
// of -i any take the fast path; without that they took 14 % more instructions.
type SubflowDir struct {
	Sub      *Subflow
	Conn     *Conn
	From     Side // the sender
	DirIndex int  // index among the directions of the connection's subflows: 2 * Sub.ID + From

	fastPathOK bool           // see updateFastPath
	marks      packet.Present // Outgoing, Incoming or neither: the mark of its latest packet on the slow path
	mostSent   uint32         // see [Subflow.mostSent]
	lastSlow   int64          // time of its latest packet on the slow path, ns; 0 where there is none

	tcp                 subflow.SubflowDir
	sentData, ackedData *dss.Space        // data of the sender, and the data that it acknowledges
	sentSub, ackedSub   *dss.SubflowSpace // the subflow's part of these

	observer    Observer // the connection's
	lastMapping Mapping  // the latest mapping without a checksum
	ssnBase     seq.Wire // offset of the SSNs in its DSS options from the ISN
}

// onFastPath reports whether packet s takes the fast path: the connection is known to
// be Multipath TCP, the subflow is established, and besides TCP's own fields s carries
// nothing but a DSS, and the marks of a cooked header that the connection knows. updateFastPath
// has stored the conditions that only packets on the slow path can change; onFastPath checks
// the others for each packet.
func (d *SubflowDir) onFastPath(s *packet.Segment) bool {
	return d.isUsual(s) && d.tcp.IsExpected(s)
}

// isUsual is the part of onFastPath that the packets on the fast path before s do not change.
func (d *SubflowDir) isUsual(s *packet.Segment) bool {
	return d.fastPathOK && s.Have&(packet.HasDSS|packet.OptionsCut|packet.OptionsMalformed|packet.Outgoing|packet.Incoming|packet.ClockChanged|packet.Untimed) == packet.HasDSS|d.marks &&
		s.OtherLen == 0
}

// updateFastPath stores the part of onFastPath that only packets on the slow path can
// change. A Multipath TCP connection stays one.
func (s *Subflow) updateFastPath() {
	on := s.Conn.Kind == Multipath && s.FastPathOK()
	s.dirs[A].fastPathOK, s.dirs[B].fastPathOK = on, on
	s.dirs[A].mostSent, s.dirs[B].mostSent = s.mostSent(A), s.mostSent(B)
}

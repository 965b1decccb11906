package symptoms

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// Subflow keeps what explains the figures of a subflow.
type Subflow struct {
	Sub      *conn.Subflow
	priority priority      // each arrival reads it, and Sub
	paths    [2]*Path      // by the sender of the data; nil where nothing was kept yet
	options  [2]*OptionUse // by the sender of the packets; likewise

	Handshake Handshake
	Reset     Reset

	spare spareSubflow
}

// spareSubflow is unused memory of the subflow that a Subflow held before.
type spareSubflow struct {
	paths   [2]*Path
	options [2]*OptionUse
}

// Renew makes s an empty Subflow for another subflow. It keeps the memory of s.
func (s *Subflow) Renew(sub *conn.Subflow) {
	for side := range s.paths {
		keepSpare(&s.spare.paths[side], s.paths[side])
		keepSpare(&s.spare.options[side], s.options[side])
	}
	*s = Subflow{Sub: sub, spare: s.spare}
}

// keepSpare keeps x, if there is one, for [reused].
func keepSpare[T any](at **T, x *T) {
	if x != nil {
		*at = x
	}
}

// reused returns a zero T, in spare memory if there is any.
func reused[T any](at **T) *T {
	out := *at
	if out == nil {
		return new(T)
	}
	*at = nil
	var zero T
	*out = zero
	return out
}

// Rare does what [Connection.Rare] does, without the part that concerns the whole
// connection.
func (s *Subflow) Rare(p *conn.Packet) {
	switch {
	case p.Seg.Flags&packet.RST != 0:
		s.Reset.packet(p)
	case p.Seg.Flags&packet.SYN != 0 || !s.Handshake.over:
		s.Handshake.packet(p)
	}
}

// TakeOptions takes a packet that is neither SYN nor RST, and returns how its sender
// uses MPTCP options.
func (s *Subflow) TakeOptions(p *conn.Packet) *OptionUse {
	if s.options[p.From] == nil {
		s.options[p.From] = reused(&s.spare.options[p.From])
	}
	s.options[p.From].packet(p)
	return s.options[p.From]
}

// OptionUse returns how side from uses MPTCP options on the subflow. The caller must
// not change it.
func (s *Subflow) OptionUse(from conn.Side) *OptionUse {
	if u := s.options[from&1]; u != nil {
		return u
	}
	return &noOptionUse
}

// Path returns what is kept about the data that side from sends on the subflow. The
// caller must not change it.
func (s *Subflow) Path(from conn.Side) *Path {
	if t := s.paths[from&1]; t != nil {
		return t
	}
	return &noPath
}

// isBackup reports whether the subflow is a backup at this time (RFC 8684,
// Section 3.3.8).
func (s *Subflow) isBackup() bool {
	return s.priority == backup || s.priority == asOpened && s.Sub.Backup
}

// hasFIN reports whether either side sent a FIN.
func (s *Subflow) hasFIN() bool {
	_, a := s.Sub.Senders[conn.A].FIN()
	_, b := s.Sub.Senders[conn.B].FIN()
	return a || b
}

// finAcked reports whether a FIN of either side was acknowledged.
func (s *Subflow) finAcked() bool {
	return s.Sub.Senders[conn.A].FINAcked() || s.Sub.Senders[conn.B].FINAcked()
}

package symptoms

import (
	"cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// Subflow keeps what explains the figures of a subflow.
type Subflow struct {
	Sub     *conn.Subflow
	prio    conn.Tristate      // flag B of the latest MP_PRIO; each arrival reads it, and Sub
	paths   [2]lazy[Path]      // by the sender of the data
	options [2]lazy[OptionUse] // by the sender of the packets

	Handshake Handshake
	Reset     Reset
}

// lazy is a T that is made when it is needed first.
type lazy[T any] struct{ value, spare *T }

// made returns the T for a caller that changes it.
func (l *lazy[T]) made() *T {
	switch {
	case l.value != nil:
	case l.spare != nil:
		var zero T
		l.value, l.spare = l.spare, nil
		*l.value = zero
	default:
		l.value = new(T)
	}
	return l.value
}

// clear makes l empty, and keeps the memory of its T for the next one.
func (l *lazy[T]) clear() {
	if l.value != nil {
		l.value, l.spare = nil, l.value
	}
}

// Renew makes s an empty Subflow for another subflow. It keeps the memory of s.
func (s *Subflow) Renew(sub *conn.Subflow) {
	for side := range s.paths {
		s.paths[side].clear()
		s.options[side].clear()
	}
	*s = Subflow{Sub: sub, paths: s.paths, options: s.options}
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
	u := s.options[p.From].made()
	u.packet(p)
	return u
}

// OptionUse returns how side from uses MPTCP options on the subflow. The caller must
// not change it.
func (s *Subflow) OptionUse(from conn.Side) *OptionUse {
	return cmp.Or(s.options[from&1].value, &noOptionUse)
}

// Path returns what is kept about the data that side from sends on the subflow. The
// caller must not change it.
func (s *Subflow) Path(from conn.Side) *Path { return cmp.Or(s.paths[from&1].value, &noPath) }

// isBackup reports whether the subflow is a backup at this time (RFC 8684,
// Section 3.3.8).
func (s *Subflow) isBackup() bool {
	return s.prio == conn.Yes || s.prio == conn.Unset && s.Sub.Backup
}

// hasFIN reports whether either side sent a FIN.
func (s *Subflow) hasFIN() bool {
	_, a := s.Sub.Senders[conn.A].FIN()
	_, b := s.Sub.Senders[conn.B].FIN()
	return a || b
}

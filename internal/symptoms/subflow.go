package symptoms

import (
	"cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// Subflow keeps what explains the figures of a subflow.
type Subflow struct {
	Sub     *conn.Subflow
	Prio    conn.Tristate // flag B of the latest MP_PRIO, which the owner sets; each arrival reads it, and Sub
	paths   [2]*Path      // by the sender of the data; made when they are needed first
	options [2]*OptionUse // by the sender of the packets; likewise

	Handshake Handshake
	Reset     Reset
}

// made returns what p points to, for a caller that changes it. It is made when it is needed first.
func made[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

// empty makes what was made of a pair empty, and keeps its memory.
func empty[T any](pair [2]*T) {
	for _, p := range pair {
		if p != nil {
			var zero T
			*p = zero
		}
	}
}

// Renew makes s an empty Subflow for another subflow. It keeps the memory of s.
func (s *Subflow) Renew(sub *conn.Subflow) {
	empty(s.paths)
	empty(s.options)
	*s = Subflow{Sub: sub, paths: s.paths, options: s.options}
}

// Rare does what [Connection.Rare] does, without the part that concerns the whole
// connection.
func (s *Subflow) Rare(p *conn.Packet) {
	switch {
	case p.Seg.Flags&packet.RST != 0:
		s.Reset.packet(p)
	case p.Seg.Flags&packet.SYN != 0 || !s.Handshake.Over || p.Seg.OtherLen > 0: // a third packet may come again
		s.Handshake.packet(p)
	}
}

// TakeOptions takes a packet that is neither SYN nor RST, and returns how its sender
// uses MPTCP options.
func (s *Subflow) TakeOptions(p *conn.Packet) *OptionUse {
	u := made(&s.options[p.From])
	u.packet(p)
	return u
}

// OptionUse returns how side from uses MPTCP options on the subflow. The caller must
// not change it.
func (s *Subflow) OptionUse(from conn.Side) *OptionUse {
	return cmp.Or(s.options[from&1], &noOptionUse)
}

// Path returns what is kept about the data that side from sends on the subflow. The
// caller must not change it.
func (s *Subflow) Path(from conn.Side) *Path { return cmp.Or(s.paths[from&1], &noPath) }

// isBackup reports whether the subflow is a backup at this time (RFC 8684,
// Section 3.3.8).
func (s *Subflow) isBackup() bool {
	return s.Prio == conn.Yes || s.Prio == conn.Unset && s.Sub.Backup
}

// HasFIN reports whether either side sent a FIN.
func (s *Subflow) HasFIN() bool {
	_, a := s.Sub.Senders[conn.A].FIN()
	_, b := s.Sub.Senders[conn.B].FIN()
	return a || b
}

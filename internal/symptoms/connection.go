// Package symptoms keeps, for each connection, what explains its figures: the packets
// of the handshakes, how the hosts use MPTCP options, the addresses that they announce,
// the times in which the receive window, the application or another path delayed data,
// and the paths that died. Package diagnose makes verdicts from it. The caller provides
// the place of the capture, the room in the receive window, the smoothed round-trip times
// and the priorities of subflows.
package symptoms

import (
	"cmp"
	"math"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
)

// MaxFollowed bounds the subflows of a connection whose paths are compared, that have an account of the time, and that
// are judged one by one. These are the first subflows. Linux 7.2 allows 64.
const MaxFollowed = 64

// Connection keeps what explains the figures of a connection. Its owner passes it the
// packets that concern it, in the order of the capture. The zero value is empty.
type Connection struct {
	Addresses []Announcement // bounded by maxAnnouncements
	Removals  []Removal      // bounded by maxAnnouncements

	conn     *conn.Conn  // nil if the connection is not wanted, so that nothing is kept
	followed []*Subflow  // by ID; bounded by MaxFollowed
	dirs     [2]*DataDir // by the sender of the data; made when they are needed first
}

// Init makes c an empty Connection for the connection of. It must be called first. c
// uses its memory again. Unless the connection is wanted, c keeps only what belongs to
// a [Subflow] alone.
func (c *Connection) Init(of *conn.Conn, wanted bool) {
	empty(c.dirs)
	*c = Connection{followed: c.followed[:0], dirs: c.dirs}
	if wanted {
		c.conn = of
	}
}

// AddSubflow takes a new subflow.
func (c *Connection) AddSubflow(s *Subflow) {
	if c.conn == nil {
		return
	}
	if len(c.followed) < MaxFollowed {
		c.followed = append(c.followed, s)
	}
	for _, d := range c.dirs {
		if d != nil {
			d.latest = nil // the new subflow has not seen any progress of others yet
		}
	}
}

// Rare takes a packet of a handshake or a RST. Other packets do no harm.
func (c *Connection) Rare(s *Subflow, p *conn.Packet) {
	s.Rare(p)
	if c.conn != nil && p.Seg.Flags&packet.RST != 0 && follows(p) {
		for side := range c.dirs {
			if s.Sub.Senders[side].Bytes > 0 {
				c.Follow(conn.Side(side)).Follow(s).reset(p)
			}
		}
	}
}

// follows reports whether the paths of a packet's connection are compared, its subflow
// is one of them, and it is not a stray.
func follows(p *conn.Packet) bool {
	return p.DirIndex < 2*MaxFollowed && (p.FastPath || p.Conn.Kind == conn.Multipath && !p.TCP.Sent.Stray)
}

// Dir returns what is kept about the data that side from sends. The caller must
// not change it.
func (c *Connection) Dir(from conn.Side) *DataDir {
	return cmp.Or(c.dirs[from&1], &noDir)
}

// Follow returns what is kept about the data that side from sends, for a caller that
// passes it packets; nil where nothing is kept.
func (c *Connection) Follow(from conn.Side) *DataDir {
	if c.conn == nil {
		return nil
	}
	d := made(&c.dirs[from])
	if d.c == nil {
		d.c, d.from, d.space, d.offer.edge, d.cellEnd = c, from, &c.conn.Spaces[from], noEdge, math.MaxInt64
	}
	return d
}

// Empty values for readers where nothing was kept. No code may write to them.
var (
	noDir       DataDir
	noPath      Path
	noOptionUse OptionUse
	noShut      Shut
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

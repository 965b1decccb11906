package metrics

import "mpanalyze/internal/conn"

// prio takes an MP_PRIO (RFC 8684, Section 3.3.8). In version 0 it may concern all
// subflows of an address id.
func (m *Connection) prio(e *conn.Event) {
	id, ok := e.AddressID.Value()
	if !ok {
		m.Subs[e.Sub.ID].prios[e.From] = e.Backup
		return
	}
	for _, s := range m.Subs {
		if s.Sub.AddressID[e.From] == int(id) {
			s.prios[e.From] = e.Backup
		}
	}
}

// backup reports whether either host made the subflow a backup, to be used only if no
// other subflow can be.
func (s *Sub) backup() bool {
	for side, said := range s.prios {
		if said == conn.Unset {
			said = s.Sub.BackupBy[side]
		}
		if said == conn.Yes {
			return true
		}
	}
	return false
}

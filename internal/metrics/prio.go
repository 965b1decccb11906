package metrics

import "mpanalyze/internal/conn"

// prio takes an MP_PRIO (RFC 8684, Section 3.3.8). In version 0 it may concern all
// subflows of an address id.
func (m *Connection) prio(e *conn.Event) {
	id, named := e.AddressID.Value()
	for _, s := range m.Subs {
		if named && s.Sub.AddressID[e.From] == int(id) || !named && s.Sub == e.Sub {
			s.prios[e.From], s.Prio = e.Backup, e.Backup
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

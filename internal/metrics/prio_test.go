package metrics

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/conn"
)

// TestBackup: flag B of either host makes a subflow a backup; the latest MP_PRIO of a host
// replaces its flag. Symptoms get the latest of both hosts.
func TestBackup(t *testing.T) {
	m := bare(Config{})
	s := m.Subs[0]
	said := func(from conn.Side, flag conn.Tristate) {
		m.Event(&conn.Event{Kind: conn.EventPrio, From: from, Sub: s.Sub, Facts: conn.Facts{Backup: flag}})
	}
	want := func(what string, backup bool) {
		t.Helper()
		assert.Check(t, s.backup() == backup, "%s: backup %v", what, !backup)
	}
	want("no flag", false)
	s.Sub.BackupBy[conn.B] = conn.Yes
	want("flag of B", true)
	said(conn.A, conn.No)
	want("MP_PRIO of A", true)
	said(conn.B, conn.No)
	want("MP_PRIO of B", false)
	assert.Check(t, s.Prio == conn.No)
	said(conn.A, conn.Yes)
	want("MP_PRIO of A again", true)
	said(conn.A, conn.No)
	s.Sub.AddressID = [2]int{3, 4}
	m.Event(&conn.Event{Kind: conn.EventPrio, From: conn.B, Facts: conn.Facts{Backup: conn.Yes, AddressID: conn.OptionalByte{N: 3, Known: true}}})
	want("MP_PRIO about another address id", false)
	m.Event(&conn.Event{Kind: conn.EventPrio, From: conn.B, Facts: conn.Facts{Backup: conn.Yes, AddressID: conn.OptionalByte{N: 4, Known: true}}})
	want("MP_PRIO about its address id", true)
	assert.Check(t, s.Prio == conn.Yes)
}

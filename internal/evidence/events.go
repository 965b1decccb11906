package evidence

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// pmEvents are the events of the monitor that join connections.
var pmEvents = map[string]report.EventKind{
	"ANNOUNCED": report.EventPMAnnounced, "REMOVED": report.EventPMRemoved, "SF_ESTABLISHED": report.EventPMEstablished,
	"SF_CLOSED": report.EventPMClosed, "SF_PRIO": report.EventPMPriority,
}

const (
	// zoneStep is the smallest difference between time zones: the monitor prints local time.
	zoneStep = 15 * time.Minute
	// maxPMEvents bounds the events of the monitor in a connection.
	maxPMEvents = 1000
)

// events adds what the path managers of both hosts say of a connection.
func (x *Records) events(c *report.Connection) {
	before := len(c.Events)
	c.Events = slices.Clip(c.Events) // what follows them in memory is not theirs
	for side := range 2 {
		h := x.hostOf(side)
		zone, token, timed := h.zone(c, side)
		if !timed {
			continue
		}
		for _, e := range h.Records[hosts.Monitor] {
			kind, ok := pmEvents[e.Name]
			if ok && e.Token == token && e.Stamp != hosts.NoStamp && len(c.Events) < before+maxPMEvents {
				c.Events = append(c.Events, eventOf(e, kind, c, side, zone))
			}
		}
	}
	if len(c.Events) > before {
		slices.SortStableFunc(c.Events, func(a, b report.Event) int { return cmp.Compare(a.TS, b.TS) })
	}
}

// zone returns what is added to the stamps of the monitor to get the time of the capture: the
// time zone, by the first subflow that both tell of, and the offset of the host's clock; and the token of the
// connection. ok is false if there is no such subflow, or no host.
func (h *host) zone(c *report.Connection, side int) (offset int64, token string, ok bool) {
	t := [2]*string{c.TokenA, c.TokenB}[side]
	if h == nil || t == nil {
		return 0, "", false
	}
	for _, e := range h.Records[hosts.Monitor] {
		if e.Token != *t || e.Stamp == hosts.NoStamp {
			continue
		}
		if sub := subflowOf(e, c, side); sub != nil {
			away := began(c.Start, &c.Subflows[*sub]) - e.Stamp
			offset = int64(time.Duration(away).Round(zoneStep))
			if h.timed && h.offset < clockLimit && h.offset > -clockLimit {
				offset += h.offset
			}
			return offset, *t, true
		}
	}
	return 0, "", false
}

// subflowOf returns the subflow of an event; nil if it is of none.
func subflowOf(e *hosts.Record, c *report.Connection, side int) *int {
	for i := range c.Subflows {
		if k, ok := keyOf(c.Subflows[i].A, c.Subflows[i].B); ok && k.of(side) == (pair{e.Local, e.Remote}) {
			return new(c.Subflows[i].ID)
		}
	}
	return nil
}

// eventOf returns an event in the form of reports.
func eventOf(e *hosts.Record, kind report.EventKind, c *report.Connection, side int, zone int64) report.Event {
	out := report.Event{
		TS: float64(e.Stamp+zone-int64(c.Start)) / 1e9, Subflow: subflowOf(e, c, side), Kind: kind,
		Detail: "path manager of " + sideName(side), Evidence: new(report.FromKernel),
	}
	if n := e.Values[hosts.Error].N; n != 0 {
		out.Detail += fmt.Sprintf(", error %d", n)
	}
	if n, _, ok := e.Value(hosts.ResetReason); ok {
		out.Detail += fmt.Sprintf(", reset reason %d", n)
		out.ReasonCode = new(int(n))
	}
	if n, _, ok := e.Value(hosts.RemoteID); ok && (kind == report.EventPMAnnounced || kind == report.EventPMRemoved) {
		out.AddressID = new(int(n))
	}
	if kind == report.EventPMAnnounced && e.Remote.IsValid() {
		out.Address = new(e.Remote.Addr().String())
	}
	if n, _, ok := e.Value(hosts.Backup); ok && kind == report.EventPMPriority {
		out.Backup = new(n != 0)
	}
	return out
}

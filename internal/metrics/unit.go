package metrics

import (
	"slices"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/report"
)

// A unit derives one metric, or a few metrics that share state. Its file holds
// everything about it: the state, the events that it wants, and the report.
type unit struct {
	family catalogue.Families // the family in --metrics that includes it; 0 for basic
	rows   []catalogue.Metric // definitions of its figures
	series []*Series          // series of the metrics in rows
	places []Role             // the places of captures that show what it derives; empty for all
	wants  []event            // the events whose methods are called on its meters
	meter  func() meter       // makes a meter; [meter.renew] prepares it

	// For a unit that has an option of its own:
	asked func(*Config) bool // reports whether the option is set; nil for other units
	flag  string             // name of the option

	slot int   // in the list of a direction's meters
	none meter // empty meter, for reading, of directions without an event for the unit
}

// An event of one direction of a connection.
type event uint8

// The events, each named like the method of [meter] that takes it. They come in
// the order of the capture; those of one packet in this order.
const (
	onFarHalf event = iota
	onPayload
	onFull
	onPiece
	onOutside
	onAck
	onDelivered
	onInOrder
	onSettled
	onDataAck
	onCellEnd
	onFallback
	onClose

	nEvents = iota
)

// A meter measures one direction of a connection for a unit. It is made when the
// direction first shows an event that the unit wants, and takes each event once. The
// arguments of an event are valid during the call. The order in which the meters of one
// direction take an event does not matter, except as units.go says.
type meter interface {
	// renew makes the meter an empty meter of direction d. It drops all figures, but
	// keeps memory that it can use again.
	renew(d *Dir)
	// farHalf takes the time from the capture point to the receiver and back, ns
	// ([subflow.Packet.FarHalfRTT]). It is called at a packet with payload.
	farHalf(s *SubDir, rtt, now int64)
	// payload takes a packet with payload of the direction, which s carries.
	payload(s *SubDir, p *conn.Packet, now int64)
	// full takes a packet with payload that uses up the receive window.
	full(now int64)
	// piece takes the first of several pieces of data that became known together. It is
	// called in the time that is looked at.
	piece(s *SubDir, list []dss.Piece, now int64)
	// outside takes pieces of data outside the time that is looked at.
	outside(list []dss.Piece)
	// ack takes a packet of the receiver that acknowledges something on s for
	// the first time on the subflow.
	ack(s *SubDir, p *conn.Packet, now int64)
	// delivered takes chunks that a DATA_ACK covers for the first time.
	delivered(chunks []*dss.Chunk, now int64)
	// inOrder takes, at the receiver, chunks that are in order now: all data below them
	// has arrived.
	inOrder(chunks []*dss.Chunk, now int64)
	// settled is called at the end of a packet that carried or acknowledged data. The
	// data that waits in the data sequence space may have changed.
	settled(p *conn.Packet, now int64)
	// dataAck takes a packet of the receiver with a DATA_ACK, and the window that
	// it offers, bytes; unknownWindow where the window scale is not known.
	dataAck(p *conn.Packet, window, now int64)
	// cellEnd takes the end of a cell of the sampling grid.
	cellEnd()
	// fallback takes the fallback of the connection to TCP.
	fallback(now int64)
	// close takes the end of the connection; at is the time of its latest packet.
	close(at int64)

	// reportSubflow and reportConnection fill in the report on the direction of a
	// subflow, and of the connection. They set each metric of the unit, or the reason
	// why it is absent. They are called after close.
	reportSubflow(v *view, out *report.SubDir)
	reportConnection(v *view, out *report.ConnDir)
}

// nop is a meter that wants no event. Others embed it.
type nop struct{}

func (nop) renew(*Dir)                              {}
func (nop) payload(*SubDir, *conn.Packet, int64)    {}
func (nop) farHalf(*SubDir, int64, int64)           {}
func (nop) full(int64)                              {}
func (nop) piece(*SubDir, []dss.Piece, int64)       {}
func (nop) outside([]dss.Piece)                     {}
func (nop) ack(*SubDir, *conn.Packet, int64)        {}
func (nop) delivered([]*dss.Chunk, int64)           {}
func (nop) inOrder([]*dss.Chunk, int64)             {}
func (nop) settled(*conn.Packet, int64)             {}
func (nop) dataAck(*conn.Packet, int64, int64)      {}
func (nop) cellEnd()                                {}
func (nop) fallback(int64)                          {}
func (nop) reportSubflow(*view, *report.SubDir)     {}
func (nop) reportConnection(*view, *report.ConnDir) {}
func (nop) close(int64)                             {}

// wanted lists for each event the slots of the units that want it, for captures at one
// place.
type wanted [nEvents][]int

// unasked returns why the unit is not asked for by the configuration; empty where it
// is.
func (u *unit) unasked(cfg *Config) string {
	switch {
	case u.family&cfg.Omit != 0:
		return catalogue.Unasked
	case u.asked != nil && !u.asked(cfg):
		return "not asked for (" + u.flag + ")"
	}
	return ""
}

// omittedBy returns, by slot, why a unit is not asked for; empty where it is.
func omittedBy(all []*unit, cfg *Config) []string {
	out := make([]string, len(all))
	for _, u := range all {
		out[u.slot] = u.unasked(cfg)
	}
	return out
}

// wantedBy lists the units that are asked for, by the place of the capture.
func wantedBy(all []*unit, cfg *Config) (at [nRoles]wanted) {
	for _, u := range all {
		if u.unasked(cfg) != "" {
			continue
		}
		for r := range at {
			if len(u.places) > 0 && !slices.Contains(u.places, Role(r)) {
				continue
			}
			for _, e := range u.wants {
				at[r][e] = append(at[r][e], u.slot)
			}
		}
	}
	return at
}

// meter returns the meter of a slot, and makes it if there is none.
func (d *Dir) meter(slot int) meter {
	if x := d.meters[slot]; x != nil {
		return x
	}
	return d.makeMeter(slot)
}

// makeMeter makes the meter of a slot, or takes an unused one.
func (d *Dir) makeMeter(slot int) meter {
	var x meter
	if slot < len(d.spare) {
		x = d.spare[slot]
	}
	if x == nil {
		x = units[slot].meter()
	}
	d.meters[slot] = x
	x.renew(d)
	return x
}

// made returns the meter of a unit, for reading. If the direction had no event for the
// unit, it returns an empty meter.
func (d *Dir) made(u *unit) meter {
	if u.slot < len(d.meters) && d.meters[u.slot] != nil {
		return d.meters[u.slot]
	}
	return u.none
}

// meterOf does what made does, for a unit whose meters have type T.
func meterOf[T meter](d *Dir, u *unit) T { return d.made(u).(T) }

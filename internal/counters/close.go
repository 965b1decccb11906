package counters

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// Close counts the handshakes. It adds the counts of the chosen host to the total.
func (w *watcher) Close(int64) {
	if len(w.conn.Subflows) == 0 {
		return
	}
	w.countCapable()
	for _, s := range w.conn.Subflows[1:] {
		w.countJoin(s)
	}
	if first := w.conn.Subflows[0]; first.Joined { // a join to a connection that the capture does not show
		w.countJoin(first)
	}
	for side := range w.counts {
		if w.meant(conn.Side(side)) {
			w.addTo(conn.Side(side))
		}
	}
}

// meant reports whether a side is the host whose counters the user wants.
func (w *watcher) meant(side conn.Side) bool {
	h := &w.collector.host
	if !h.Role && h.Addr.IsValid() {
		return slices.ContainsFunc(w.conn.Subflows, func(s *conn.Subflow) bool { return netip.AddrFrom16(s.Ends[side].Addr).Unmap() == h.Addr })
	}
	if h.Role {
		return side == h.Side
	}
	switch at, _ := w.conn.Vantage(); at {
	case conn.AtA, conn.AtB:
		return (at == conn.AtB) == (side == conn.B)
	}
	w.collector.unknown = w.collector.unknown || w.counts != [2]counts{}
	return false
}

// addTo adds the counts of one side to those of the host.
func (w *watcher) addTo(side conn.Side) {
	c := w.collector
	c.matched++
	for i, n := range w.counts[side] {
		c.total[i] += n
	}
	if at, _ := w.conn.Vantage(); (at == conn.AtA || at == conn.AtB) && (at == conn.AtB) != (side == conn.B) {
		c.other++
	}
	first := w.conn.Subflows[0]
	if w.conn.Kind == conn.Multipath && first.NoSYN {
		w.absent("the handshake of a connection is not in the capture", capableSYNRX, capableSYNTX, capableSYNACKRX, capableACKRX, capableFallbackACK, capableFallbackSYNACK, capableSYNTXDrop)
	}
	for _, s := range w.conn.Subflows[1:] {
		if s.NoSYN {
			w.absent("the handshake of a subflow is not in the capture", joinSynRx, joinSynBackupRx, joinSynAckRx, joinSynAckBackupRx, joinSynAckHMacFailure, joinAckRx, joinAckHMacFailure, joinRejected, joinSynTx, joinPortSynRx, joinPortSynAckRx, joinPortAckRx, mismatchPortSynRx)
		}
	}
	if w.doubtful[side] {
		w.absent("an abort came again on another subflow, which the host may have closed before", fastcloseRx, rstRx)
	}
	if w.missed {
		w.absent("the capture lacks payload under a checksum", dataCsumErr)
	}
	for _, s := range w.conn.Subflows {
		if s.Senders[conn.A].OptionsCut+s.Senders[conn.B].OptionsCut > 0 {
			for i := range shown {
				w.absent("the capture cuts off TCP options", i)
			}
		}
	}
}

// absent stores why counters are not known.
func (w *watcher) absent(why string, list ...counter) {
	for _, i := range list {
		if w.collector.partial[i] == "" {
			w.collector.partial[i] = fmt.Sprintf("%s (the first packet of connection %d is at %s)", why, w.conn.Order, start(w.conn))
		}
	}
}

// countCapable counts the handshake of the connection.
func (w *watcher) countCapable() {
	c, a, b := w.conn, &w.counts[conn.A], &w.counts[conn.B]
	if !c.Offers[conn.OfferSYN].Seen {
		return
	}
	a[capableSYNTX]++
	if w.dropped {
		a[capableSYNTXDrop]++
	}
	if !c.Offers[conn.OfferSYNACK].Seen {
		switch {
		case w.sub(0).refused: // the RST has MP_TCPRST, so the host uses Multipath TCP
			b[capableSYNRX]++
		case c.FallbackCode == conn.FallbackSYNACK && c.Subflows[0].State != subflow.Refused:
			a[capableFallbackSYNACK]++
		}
		return
	}
	a[capableSYNACKRX]++
	b[capableSYNRX]++
	switch {
	case !w.answered:
	case c.ThirdConfirms():
		b[capableACKRX]++
	default:
		b[capableFallbackACK]++
	}
}

// countJoin counts the handshake of a further subflow.
func (w *watcher) countJoin(s *conn.Subflow) {
	if !s.Joined || s.NoSYN {
		return
	}
	from, to := s.Initiator, s.Initiator.Other()
	state, tx, rx := w.sub(s.ID), &w.counts[from], &w.counts[to]
	if !w.repeatsSYN(s) {
		tx[joinSynTx]++
	}
	if state.closed {
		return
	}
	rx[joinSynRx]++
	otherPort := len(w.conn.Subflows) > 0 && !w.conn.Subflows[0].Joined && s.Ends[to].Port != w.conn.Subflows[0].Ends[to].Port
	switch {
	case !otherPort:
	case w.ports[to][s.Ends[to].Port]:
		rx[joinPortSynRx]++
	default:
		rx[mismatchPortSynRx]++
	}
	if s.BackupBy[from] == conn.Yes {
		rx[joinSynBackupRx]++
	}
	switch {
	case s.BackupBy[to] == conn.Unset: // no SYN/ACK with MP_JOIN
		return
	case state.unclaimed && !state.third: // the initiator had given up, or the SYN/ACK came by another interface than that of its socket
		return
	case state.synHMAC:
		tx[joinSynAckHMacFailure]++
		return
	}
	if tx[joinSynAckRx]++; s.BackupBy[to] == conn.Yes {
		tx[joinSynAckBackupRx]++
	}
	if otherPort {
		tx[joinPortSynAckRx]++
	}
	switch {
	case !state.third || state.rejected && !state.thirdHMAC:
	case state.thirdHMAC:
		rx[joinAckHMacFailure]++
	default:
		if rx[joinAckRx]++; otherPort {
			rx[joinPortAckRx]++
		}
	}
}

// repeatsSYN reports whether a join began with a SYN that had begun another subflow, which the
// peer or another host refused: the initiator's socket sent it again, and counts it once.
func (w *watcher) repeatsSYN(s *conn.Subflow) bool {
	isn, _ := s.Senders[s.Initiator].ISN()
	return slices.ContainsFunc(w.conn.Subflows[:s.ID], func(older *conn.Subflow) bool {
		first, ok := older.Senders[older.Initiator].ISN()
		return ok && first == isn && older.Ends == s.Ends && older.Initiator == s.Initiator
	})
}

// start returns the time when a connection began, as text for messages.
func start(c *conn.Conn) string {
	return time.Unix(0, packet.Unix(c.Start)).UTC().Format(time.RFC3339Nano)
}

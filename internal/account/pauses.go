package account

import "math/bits"

// pauses finds the time in which nothing new is sent although ACKs made room.
//
//   - The application has nothing to send: there is room on all paths, and no data follows for
//     a quarter of a round trip, or more, and not at once after a DATA_ACK; or no data follows
//     for a round trip, or before all data is acknowledged.
//   - The send buffer is full. It lets the application write again when much of it is free, so
//     the first DATA_ACKs are followed by nothing, and data follows a later one at once. An
//     application that writes when it likes hits the first quarter of the time between two
//     DATA_ACKs one time in four; six of eight times come by chance in 0.4 %.
//   - The send buffer is full of data that has arrived and waits for a slower path: that is most
//     of what is outstanding. It holds those paths back that have room.
type pauses struct {
	application, held, waiting spans

	sent    int64 // the latest new data
	blocked bool  // then most of what was outstanding had arrived
	acked   int64 // since when there is room everywhere: the data, or the first DATA_ACK after it that left room; 0 = there is none
	acks    int   // DATA_ACKs after the data
	first   int64 // the first of them
	latest  int64 // the latest of them
	drained bool  // all data was acknowledged since
	asked   bool  // the peer sent data since: the application may answer it
	woken   uint8 // bits: the latest pauses with several DATA_ACKs, 1 for those that data ended at once
	count   int
}

const (
	pauseAcks   = 3 // DATA_ACKs without data make a pause
	pausesAtAll = 8 // pauses that are looked at
	pausesWoken = 6 // of them, where the send buffer is full
)

// data takes new data. blocked says that most of what is outstanding has arrived, room that
// every path has room for more. It reports whether the application had nothing to send before.
func (x *pauses) data(now, rtt int64, blocked, room bool) (application bool) {
	if x.sent != 0 {
		application = x.ends(now, rtt)
	}
	if x.sent, x.blocked, x.acked, x.acks, x.drained, x.asked = now, blocked, 0, 0, false, false; room && !blocked {
		x.acked = now
	}
	return application
}

// ends ends the time since the latest new data, and reports whether the application had nothing
// to send.
func (x *pauses) ends(now, rtt int64) bool {
	long := 4*(now-x.sent) > rtt
	if x.acks >= pauseAcks && x.sendBuffer(now) {
		x.held.add(x.sent, now)
		return false
	}
	if x.blocked && long {
		until := now
		if x.acked != 0 {
			until = x.acked
		}
		x.waiting.add(x.sent, until)
	}
	if x.acked == 0 || !x.drained && now-x.acked <= rtt && (!long || x.prompt(now)) {
		return false
	}
	x.application.add(x.acked, now)
	return true
}

// prompt reports whether data at a time follows the latest DATA_ACK at once: within a quarter of
// the mean time between two of them.
func (x *pauses) prompt(now int64) bool {
	switch x.acks {
	case 0:
		return false
	case 1:
		return 4*(now-x.latest) <= x.latest-x.sent
	}
	return 4*(now-x.latest)*int64(x.acks-1) <= x.latest-x.first
}

// peerData takes data of the peer.
func (x *pauses) peerData() { x.asked = true }

// sendBuffer notes a pause that ends with new data, and reports whether the send buffer made
// it.
func (x *pauses) sendBuffer(now int64) bool {
	woken := !x.asked && x.prompt(now)
	x.woken <<= 1
	if woken {
		x.woken |= 1
	}
	x.count++
	return woken && x.count >= pausesAtAll && bits.OnesCount8(x.woken) >= pausesWoken
}

// dataAck takes a DATA_ACK that advances. room says whether every path has room for data.
func (x *pauses) dataAck(now int64, outstanding, room bool) {
	if x.sent == 0 {
		return
	}
	if x.acked == 0 && room {
		x.acked = now
	}
	if x.acks++; x.acks == 1 {
		x.first = now
	}
	x.latest = now
	x.drained = x.drained || !outstanding
}

func (x *pauses) known(now, rtt int64) int64 { return decided(x.nothing(now, rtt), x.sent, now) }

// nothing reports whether the application has had nothing to send up to now.
func (x *pauses) nothing(now, rtt int64) bool {
	return x.acked != 0 && (x.drained && x.acks < pauseAcks || now-x.acked > rtt)
}

func (x *pauses) cursor(now, rtt int64) cursor {
	return x.application.with(x.nothing(now, rtt), x.acked, now)
}

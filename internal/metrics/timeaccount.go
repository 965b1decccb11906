package metrics

import (
	"cmp"
	"fmt"

	"mpanalyze/internal/account"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// timeAccountUnit derives time_account: what the time of a direction went to. Package account
// has the rules.
var timeAccountUnit = &unit{
	key:    "time_account",
	series: []*Series{seriesState},
	family: catalogue.FamilyVerdicts,
	places: []Role{Sender, Receiver, Between},
	meter:  hasTimeAccount,
	report: new(timeAccount),
}

var seriesState = &Series{name: "time_account", holds: true}

// timeAccount divides the time of a direction among states.
type timeAccount struct {
	d      *DataDir
	sender account.Inferred // its Account at the sender, all of it at the receiver
	away   account.Remote
	rules  rules // one of them, which the report has
	subs   perSub[accountSub]
	begun  bool
	infers bool // the account of the sender's time is inferred
	many   bool // it has more subflows than are accounted for
}

// rules is an account of the time, at the sender or elsewhere.
type rules interface {
	Open(id int, s *account.Subflow, since int64, ended *int64)
	Has(id int) bool
	Answer(id int, now int64)
	Close()
}

func (x *timeAccount) renew(d *DataDir) {
	x.sender.Reset()
	x.away.Reset()
	*x = timeAccount{d: d, sender: x.sender, away: x.away, subs: x.subs.renewed((*accountSub).reset)}
	x.rules = &x.away
}

// start opens the subflows that are established.
func (x *timeAccount) start() {
	if x.begun = true; x.d.role == Sender {
		x.rules = &x.sender.Account
	}
	from, to := x.d.looked.from, int64(0)
	if until := x.d.looked.length; until < 1<<62 {
		to = from + int64(until)
	}
	x.sender.Look(from, to)
	x.away.Look(from, to)
	if x.d.out != nil && x.d.m.k.series.has(seriesState) {
		if x.away.Changed = x.changed; x.d.role == Sender {
			x.sender.Changed = x.changed
		}
	}
	x.away.AtReceiver = x.d.role == Receiver
	for _, s := range x.d.m.Subs {
		x.established(s)
	}
}

// established opens a subflow whose handshake is over.
func (x *timeAccount) established(s *Sub) {
	if !x.many && s.Sub.ThirdACK != 0 && !x.rules.Has(s.Sub.ID) {
		x.open(s, s.Sub.ThirdACK)
	}
}

func (x *timeAccount) open(s *Sub, at int64) {
	if s.Sub.ID >= symptoms.MaxFollowed {
		x.many = true
		return
	}
	sub := x.subs.numbered(s.Sub.ID)
	x.rules.Open(s.Sub.ID, &sub.Subflow, at, &s.Sub.Ended)
	if x.infers {
		x.sender.Open(s.Sub.ID, sub.infer(), at, &s.Sub.Ended)
	}
}

// changed takes the state of a subflow for its series.
func (x *timeAccount) changed(id int, s account.State, from, to int64) {
	if d := x.d.m.Subs[id].dirs[x.d.from]; d != nil && d.out != nil {
		d.out.step(seriesState, from, float64(s))
		d.out.lasts(seriesState, to)
	}
}

// payload takes data.
func (x *timeAccount) payload(s *SubflowDir, p *conn.Packet, now int64) {
	if !x.begun {
		x.start()
	}
	if !x.many && !x.rules.Has(s.id) {
		x.open(s.sub, now)
	}
	if x.many {
		return
	}
	space := x.d.space
	e := &account.Data{ // filled in place, which a variable is not
		Copy: !p.TCP.Sent.HasNew(), Bytes: int64(p.Seg.PayloadLen), Segment: s.half.SegmentBytes(), Nxt: int64(s.half.SndNxt()), Flight: s.half.InFlight(), Outstanding: max(0, space.OutstandingBytes),
	}
	if x.d.role == Sender {
		e.Full = x.noRoom(s)
		for i := range p.Pieces {
			e.New = e.New || p.Pieces[i].Kind == dss.First
		}
		x.sender.Account.Data(s.id, now, e) // not of the interface, with which it would be on the heap
	} else {
		x.passed(e, s, p, now)
		x.away.Data(s.id, now, e)
		if x.infers || x.infer(now) {
			x.sender.Data(s.id, now, e)
		}
	}
}

// answer takes a packet of the receiver that acknowledges something or has a DATA_ACK; the
// window of a DATA_ACK is known.
func (x *timeAccount) answer(p *conn.Packet, now int64) {
	if !x.begun || x.many || p.Seg.Have&packet.Untimed != 0 {
		return
	}
	s := x.d.m.Subs[p.Sub.ID].dirs[x.d.from]
	opened := s != nil && x.rules.Has(s.id)
	if opened && p.NewAck {
		x.acked(s, p, now)
	}
	if !p.HasDataAck {
		return
	}
	if opened && !p.NewAck && x.infers {
		x.reply(s, p, now, 0)
	}
	if opened && !(p.NewAck && x.d.role == Sender) {
		x.rules.Answer(s.id, now)
	}
	switch {
	case x.d.role == Sender:
		if opened {
			x.sender.Full(now, x.noRoom(s))
		}
		if p.HasPayload() {
			x.sender.PeerData(now)
		}
	case x.d.rightEdge != unread && x.d.m.Conn.Fallback == "":
		x.away.Offered(now, int64(x.d.rightEdge))
	}
}

// acked takes a packet of the receiver that acknowledges something.
func (x *timeAccount) acked(s *SubflowDir, p *conn.Packet, now int64) {
	e := &account.Ack{
		Una: int64(s.half.SndUna()), Nxt: int64(s.half.SndNxt()), Flight: s.half.InFlight(), SACKs: s.half.SACKsHole(), Hole: s.half.Holed(),
		SRTT: int64(s.est.SRTT), LeastRTT: s.est.Min, RTO: int64(s.est.RTO()), DataAck: p.DataAckAdvanced, Outstanding: max(0, x.d.space.OutstandingBytes),
	}
	for _, r := range p.TCP.Ack.NewlyAcked {
		e.Bytes += int64(r.End - r.Start)
	}
	if p.TCP.Ack.New { // not of the data alone
		e.RTT = p.TCP.Ack.NewestRTT
	}
	if e.DataAck {
		e.Head = x.d.space.FirstOutstanding()
	}
	if x.d.role == Sender {
		if sub := x.subs.numbered(s.id); p.Seg.Have&packet.HasTimestamps != 0 {
			if delay, timed := sub.delay(now, p.Seg.TSVal); timed {
				sub.back.sum += sub.back.least.Above(now, delay)
				sub.back.n++
			}
		}
		x.sender.Account.Ack(s.id, now, e)
	} else {
		x.away.Ack(s.id, now, e)
		if x.infers {
			x.reply(s, p, now, e.Bytes)
		}
	}
}

// noRoom reports whether the receive window has no room for a segment.
func (x *timeAccount) noRoom(s *SubflowDir) bool {
	return min(x.d.free(), x.d.why.Left()) < s.half.SegmentBytes() && x.d.m.Conn.Fallback == ""
}

func (x *timeAccount) close(int64) {
	if !x.many {
		x.rules.Close()
		if x.infers {
			x.sender.Close()
		}
	}
}

// times returns the times of the connection.
func (x *timeAccount) times() *account.Times {
	if x.d != nil && x.d.role == Sender {
		return &x.sender.Times
	}
	return &x.away.Times
}

func (*timeAccount) reportSubflow(v *view, out *report.SubDir) {
	x := v.dir().account()
	why := v.noAccount()
	if why == "" && !x.rules.Has(v.sub.Sub.ID) {
		why = "the subflow was never established"
	}
	if why != "" {
		v.Set("time_account", why)
		return
	}
	s := x.subs.at(v.sub.Sub.ID)
	out.TimeAccount = v.timeAccount(&s.Times)
	if v.role != Sender {
		v.Set("time_account.room_while_waiting", "only a capture at the sender shows it")
		return
	}
	out.TimeAccount.RoomWhileWaiting = new(share(s.Room, s.Times.Sum()))
}

func (*timeAccount) reportConnection(v *view, out *report.ConnDir) {
	if why := v.noAccount(); why != "" {
		v.Set("time_account", why)
		return
	}
	out.TimeAccount = v.timeAccount(v.dir().account().times())
	v.Set("time_account.room_while_waiting", "each subflow has its own")
}

// account returns the account of the direction.
func (d *DataDir) account() *timeAccount { return cmp.Or(d.timeAccount, noDir.timeAccount) }

// Carries returns the rate that the path of a subflow was seen to carry, Mbit/s; 0 where it is not known.
func (d *DataDir) Carries(subflow int) float64 {
	x := d.account()
	if x.rules == nil || !x.rules.Has(subflow) {
		return 0
	}
	if d.role == Receiver {
		return cmp.Or(x.subs.at(subflow).inferred, &notInferred).Carries()
	}
	return x.subs.at(subflow).Carries()
}

// Answers returns the percentage of the bursts of data that follow an ACK at once, at the sender or as a capture at the receiver
// lets infer; ok is false where that is not known. See [account.Account.Answers].
func (d *DataDir) Answers() (percent float64, ok bool) { return d.account().sender.Answers() }

// Inferred returns how the sender spent its time as a capture at the receiver lets one infer it, on a subflow, or in
// the connection if its number is negative; see [account.Inferred]. ok is false where nothing can be told.
func (d *DataDir) Inferred(subflow int) (t report.TimeAccount, ok bool) {
	x := d.account()
	if x.rules == nil || d.role != Receiver || !x.sender.Known() {
		return t, false
	}
	times := &x.sender.Times
	if subflow >= 0 {
		times = &cmp.Or(x.subs.at(subflow).inferred, &notInferred).Times
	}
	return statesOf(times, report.SeenAtReceiver), times.Sum() > 0
}

// noAccount returns why a direction has no account of its time; empty where it has one.
func (v *view) noAccount() string {
	x := v.dir().account()
	switch times := x.times(); {
	case v.m.Conn.Kind != conn.Multipath:
		return "it is an account of Multipath TCP"
	case v.role == Nowhere:
		return "the place of the capture is unknown; name it with --vantage"
	case v.m.Moved:
		return "the evidence for the capture's place changed on the way; name it with --vantage"
	case v.cut != "" || v.m.Lacks(v.from.Other()) != "":
		return cmp.Or(v.cut, v.m.Lacks(v.from.Other()))
	case v.m.Conn.Fallback != "":
		return "the connection fell back to TCP"
	case !v.dir().WindowsKnown():
		return v.windowReason()
	case v.m.Conn.LatestGap() != nil:
		return "packets are missing from the capture (capture_gaps)"
	case x.many:
		return fmt.Sprintf("the connection has more than %d subflows", symptoms.MaxFollowed)
	case v.role == Between && v.m.Conn.Spaces[v.from].AcksOverHoles > 0:
		return "some of the data did not pass where the capture was taken"
	case times.Sum() == 0 && x.begun && !v.m.Part():
		return oneMoment
	case times.Sum() == 0:
		return v.nothing()
	}
	return ""
}

// timeAccount returns the times of the states as a report has them.
func (v *view) timeAccount(t *account.Times) *report.TimeAccount {
	return v.Mem.TimeAccounts.Of(statesOf(t, seenAt[v.role]))
}

func statesOf(t *account.Times, seen report.SeenAt) report.TimeAccount {
	all := t.Sum()
	of := func(s account.State) report.StateTime { return share(t[s], all) }
	return report.TimeAccount{
		DurationMS: ms(all), Evidence: report.Inferred, SeenAt: seen,
		Down: of(account.Down), Recovery: of(account.Recovery), Rwnd: of(account.Rwnd), Window: of(account.Window), SlowStart: of(account.SlowStart), Path: of(account.Path),
		CongestionWindow: of(account.CongestionWindow), Scheduler: of(account.Scheduler), Application: of(account.Application), Idle: of(account.Idle), Undetermined: of(account.Undetermined),
	}
}

// share returns a part of a time, ns.
func share(part, all int64) report.StateTime {
	if all == 0 {
		return report.StateTime{}
	}
	return report.StateTime{MS: ms(part), Percent: 100 * float64(part) / float64(all)}
}

// seenAt names the place of a capture by its role for the data.
var seenAt = [nRoles]report.SeenAt{Sender: report.SeenAtSender, Receiver: report.SeenAtReceiver, Between: report.SeenBetween}

// account opens a subflow whose handshake is over in the accounts of both directions.
func (m *Connection) account(s *Sub) {
	for _, d := range m.dirs {
		if d != nil && d.timeAccount != nil && d.timeAccount.begun {
			d.timeAccount.established(s)
		}
	}
}

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
)

// timeAccountUnit derives time_account: what the time of a direction went to. Package account
// has the rules.
var timeAccountUnit = &unit{
	rows:   timeAccountRows,
	series: []*Series{seriesState},
	family: catalogue.FamilyVerdicts,
	places: []Role{Sender, Receiver, Between},
	meter:  hasTimeAccount,
	report: new(timeAccount),
}

var seriesState = &Series{name: "time_account", holds: true}

var timeAccountRows = []catalogue.Metric{
	{
		Name: "time_account", JSON: "time_account", BothEnds: true, Timed: true, Unit: catalogue.Composite, Levels: catalogue.InBothDirs, Better: catalogue.NeitherIsBetter, Form: "*TimeAccount",
		Definition: "What the time of the direction went to. Each instant, from the first data to the last acknowledgment, belongs to one state, so the shares add up to 100 %." +
			"\nIf several states apply, the first one of this list counts:" +
			"\n- down: data is outstanding on the subflow, and nothing of the path answers for a retransmission timeout (rto, 1 s at least), up to the answer." +
			"\n- recovery: from the first copy sent, or the first SACK above a hole, until all that was sent before is acknowledged." +
			"\n- rwnd: the receive window of the connection has no room for a segment, and new data follows within a round trip of the packet that makes room." +
			"\n- idle: no data of the connection is outstanding." +
			"\n- application: every path has room, and no new data follows. A path has room if it repairs no loss and has at least a segment less in flight than the most of its last eight rounds. Before its first loss that most counts as 10 segments at least. New data does not follow for a quarter of a round trip, and then not just behind a DATA_ACK; or it does not follow for a round trip; or not before all data is acknowledged." +
			"\n- window: something at the sender limits it, the send buffer or a limit on the congestion window. It shows in one of three ways. New data comes in bursts that follow a DATA_ACK at once, after several without data (6 of the last 8 such pauses). Or the path has room and nothing new is sent, while most of what is outstanding has arrived and waits for a slower path. Or the amount outstanding on all subflows has stayed within a segment for 16 round trips, and the subflow has no room as in state scheduler." +
			"\n- scheduler: the subflow has nothing in flight, or less than half of the most of its last eight rounds. This lasts longer than a round trip, and new data leaves on other subflows." +
			"\n- slow_start: from the first data, and after a timeout, until the first loss, or until a round in which the data in flight grows by less than a quarter." +
			"\n- path: the path carries what it can. The rate delivered in the last round is within a tenth of the most of the last eight rounds, and srtt is a tenth and 2 ms above the least round trip." +
			"\n- congestion_window: data is in flight, and none of the states above applies." +
			"\n- undetermined: the subflow has room as in state scheduler, and nothing says why.",
		Formula: "a subflow counts from its handshake on, up to its end. The connection waits for the next byte in order. Its state is that of the subflow that carries this byte. It is idle where no data is outstanding, and recovery where that subflow has ended. A round lasts until what was outstanding at its beginning is acknowledged. " +
			"Away from the sender (seen_at) a state counts only where the packets prove it, and the rest is undetermined. Times are those at which packets pass there. The connection takes the state of the subflow on which the next byte in order was sent or, where that is not known, of the one that brings it. These states have rules of their own there:" +
			"\n- down, at the receiver: data of the subflow is known to be missing, and no packet of the sender comes on it for longer than max(rto, 1 s). Data is missing if there is a hole in its sequence. It is also missing if it can only have been sent on this subflow, because every other one brought higher data and has no hole." +
			"\n- down, between the hosts: data that passed is outstanding, and the receiver does not answer for that time." +
			"\n- recovery: from the first SACK above a hole, or the first copy, until all that had passed before is acknowledged. It counts only if a copy came, or if it took that long." +
			"\n- rwnd: the data that passed ends less than a segment below the highest right edge that was announced. At the receiver an edge counts once it is a least round trip old (less an eighth and 1 ms), between the hosts at once. The state lasts until that time after the announcement that makes room, if new data follows within two round trips of it." +
			"\n- path, at the receiver: in a round of srtt and in the one before, at least eight packets came. Each was delayed more than the quickest one, by a tenth of the least round trip and 1 ms, at least by 3 ms (by timestamps of 1 ms; a drift of 100 ppm is allowed). The rate was within a tenth of the most of eight rounds. Nothing was missing. An edge announced a round trip and a quarter before left room. Slow start was over by the rule above",
		Source: "T-RAT (Zhang et al., 2002); Siekkinen et al. (2005-2008); RFC 6298, RFC 5681 Section 3.1", Evidence: catalogue.Evidence{Sender: catalogue.Inferred, Receiver: catalogue.Inferred, Both: catalogue.Inferred},
		Caveats: "Away from the sender idle and application are undetermined: data that was sent and lost behind all other looks like no data. With records of the hosts (--evidence), the field kernel names the causes that rows of ss prove, and the states that each cause explains. At the sender these are application and window: the cause is the application, the send buffer, or a limit on the congestion window. Elsewhere it is undetermined. The rows of the receiver explain rwnd. The times stay those of the packets. A cause is named only if at most half of the time of these states has no rows, or rows that say otherwise. In the series of a subflow a state is its number: 0 undetermined, 1 down, 2 recovery, 3 rwnd, 4 window, 5 slow_start, 6 path, 7 congestion_window, 8 scheduler, 9 application, 10 idle. The sum of rwnd and window was compared with the sum of rwnd_limited and sndbuf_limited of Linux senders, on 46 subflows with known limits. The difference is 1 point in the median. It is more than 10 points where a send buffer limits, because Linux counts less of that time. A rule holds from the moment at which its condition begins, although it shows only later. With Multipath TCP a full receive window counts as sndbuf_limited in Linux (ss -ti).",
	},
}

// maxAccounts bounds the subflows of a connection that has an account: some rules look at all
// of them with each packet.
const maxAccounts = 32

// timeAccount divides the time of a direction among states.
type timeAccount struct {
	d      *DataDir
	sender account.Account
	away   account.Remote
	rules  rules // one of them
	subs   perSub[accountSub]
	begun  bool
	many   bool // it has more subflows than are accounted for
}

// rules is an account of the time, at the sender or elsewhere.
type rules interface {
	Look(from, to int64)
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
		x.rules = &x.sender
	}
	from, to := x.d.looked.from, int64(0)
	if until := x.d.looked.length; until < 1<<62 {
		to = from + int64(until)
	}
	x.rules.Look(from, to)
	if x.d.out != nil && x.d.m.k.series.has(seriesState) {
		x.sender.Changed, x.away.Changed = x.changed, x.changed
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
	if s.Sub.ID >= maxAccounts {
		x.many = true
		return
	}
	x.rules.Open(s.Sub.ID, &x.subs.numbered(s.Sub.ID).Subflow, at, &s.Sub.Ended)
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
		x.sender.Data(s.id, now, e) // not of the interface, with which it would be on the heap
	} else {
		x.passed(e, s, p, now)
		x.away.Data(s.id, now, e)
	}
}

// answer takes a packet of the receiver that acknowledges something or has a DATA_ACK; the
// window of a DATA_ACK is known.
func (x *timeAccount) answer(p *conn.Packet, now int64) {
	if x.d.role == Sender && p.HasDataAck {
		x.d.m.heard(p, now)
	}
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
	if opened && !(p.NewAck && x.d.role == Sender) {
		x.rules.Answer(s.id, now)
	}
	switch {
	case x.d.role == Sender:
		if opened {
			x.sender.Full(now, x.noRoom(s))
		}
		if p.Seg.PayloadLen > 0 {
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
	if e.DataAck {
		e.Head = x.d.space.FirstOutstanding()
	}
	if x.d.role == Sender {
		x.sender.Ack(s.id, now, e)
	} else {
		x.away.Ack(s.id, now, e)
	}
}

// noRoom reports whether the receive window has no room for a segment.
func (x *timeAccount) noRoom(s *SubflowDir) bool {
	return x.d.free() < s.half.SegmentBytes() && x.d.m.Conn.Fallback == ""
}

func (x *timeAccount) close(int64) {
	if !x.many {
		x.rules.Close()
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
	out.TimeAccount = v.timeAccount(&x.subs.at(v.sub.Sub.ID).Times)
}

func (*timeAccount) reportConnection(v *view, out *report.ConnDir) {
	if why := v.noAccount(); why != "" {
		v.Set("time_account", why)
		return
	}
	out.TimeAccount = v.timeAccount(v.dir().account().times())
}

// account returns the account of the direction.
func (d *DataDir) account() *timeAccount { return cmp.Or(d.timeAccount, noDir.timeAccount) }

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
		return fmt.Sprintf("the connection has more than %d subflows", maxAccounts)
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
	all := t.Sum()
	of := func(s account.State) report.StateTime {
		if all == 0 {
			return report.StateTime{}
		}
		return report.StateTime{MS: ms(t[s]), Percent: 100 * float64(t[s]) / float64(all)}
	}
	return v.Mem.TimeAccounts.Of(report.TimeAccount{
		DurationMS: ms(all), Evidence: report.Inferred, SeenAt: seenAt[v.role],
		Down: of(account.Down), Recovery: of(account.Recovery), Rwnd: of(account.Rwnd), Window: of(account.Window), SlowStart: of(account.SlowStart), Path: of(account.Path),
		CongestionWindow: of(account.CongestionWindow), Scheduler: of(account.Scheduler), Application: of(account.Application), Idle: of(account.Idle), Undetermined: of(account.Undetermined),
	})
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

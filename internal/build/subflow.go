package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/subflow"
)

func (b *Builder) subflow(out *report.Subflow, m *metrics.Connection, s *metrics.Sub, f figures) {
	sub := s.Sub
	*out = report.Subflow{
		ID: sub.ID, OnlyIn: b.OnlyIn, A: endpoint(sub.Ends[conn.A]), B: endpoint(sub.Ends[conn.B]),
		Backup: sub.Backup, JoinHMAC: hmacs[sub.HMAC],
		AddressIDA: b.addressID(sub, conn.A), AddressIDB: b.addressID(sub, conn.B),
		StartS: seconds(sub.Start - m.Conn.Start), EndS: seconds(sub.Last() - m.Conn.Start),
		State: subflowState(sub),
	}
	out.Path = b.pathOf(sub.Ends, &out.A, &out.B)
	out.BackupSYN, out.BackupSYNACK = truth(&b.memory, sub.BackupBy[sub.Initiator]), truth(&b.memory, sub.BackupBy[sub.Initiator.Other()])
	out.A2B, out.B2A = f.sub(b, m, s, conn.A), f.sub(b, m, s, conn.B)
	if !sub.NoSYN || sub.SYN != 0 || sub.SYNACK != 0 {
		out.Initiator = b.memory.Sides.Of(side(sub.Initiator))
	}
	out.HandshakeRTT = b.handshakeRTT(sub)
	out.FastOpen = b.fastOpen(s)
	switch {
	case !sub.Joined:
		b.reasons.Set("join_delay_ms", "the initial subflow does not join")
	case m.Conn.Subflows[0].Joined:
		b.reasons.Set("join_delay_ms", "the connection's first SYN is not in the capture")
	case m.Conn.Subflows[0].SYN == 0 || sub.NoSYN:
		b.reasons.Set("join_delay_ms", "a SYN is not in the capture")
	default:
		out.JoinDelay = b.memory.Floats.Of(ms(sub.Start - m.Conn.Subflows[0].Start))
	}
	out.ClosedBy, out.CloseReason = b.closer(sub)
	out.Unavailable = b.reasons.Take()
}

func (b *Builder) handshakeRTT(s *conn.Subflow) *float64 {
	if syn, ack, ok := s.HandshakeHalves(); ok {
		return b.memory.Floats.Of(ms(syn + ack))
	}
	b.reasons.Set("handshake_rtt_ms", "the handshake was not captured whole, or the times of its packets contradict their order")
	return nil
}

func (b *Builder) closer(s *conn.Subflow) (who *report.Side, how *string) {
	if s.HasCloser {
		who = b.memory.Sides.Of(side(s.ClosedBy))
	}
	if s.CloseCause != "" {
		how = b.memory.Texts.Of(s.CloseCause)
	}
	return who, how
}

func (b *Builder) addressID(s *conn.Subflow, side conn.Side) *int {
	switch {
	case s.AddressID[side] >= 0:
		return b.memory.Small.Of(s.AddressID[side])
	case !s.Joined:
		return b.memory.Small.Of(0)
	}
	return nil
}

func subflowState(s *conn.Subflow) report.SubflowState {
	_, fa := s.Senders[conn.A].FIN()
	_, fb := s.Senders[conn.B].FIN()
	switch {
	case s.State == subflow.Refused || s.Refused():
		return report.SubflowRefused
	case s.State == subflow.Reset:
		return report.SubflowReset
	case s.State == subflow.Opening:
		return report.SubflowUnanswered
	case s.SYNReceived():
		return report.SubflowSYNReceived
	case s.PreEstablished():
		return report.SubflowPreEstablished
	case s.State == subflow.Closed || fa && fb:
		return report.SubflowClosed
	case fa || fb:
		return report.SubflowHalfClosed
	}
	return report.SubflowOpen
}

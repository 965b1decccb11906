package diagnose

import (
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// alternatives enters the causes that packets leave for a verdict whose code has several and
// that names none. Records of the hosts exclude some of them, or prove one.
func (j *judge) alternatives() {
	for i := range j.out {
		if v := &j.out[i]; v.Cause == nil {
			v.Alternatives = j.remaining(v)
		}
	}
}

// causeAt returns causes that lie in a host.
func causeAt(s report.Side, codes ...report.CauseCode) (out []report.Cause) {
	for _, c := range codes {
		out = append(out, report.Cause{Code: c, Host: new(s)})
	}
	return out
}

// either returns causes that may lie in any of the hosts.
func either(codes ...report.CauseCode) []report.Cause {
	return append(causeAt(report.SideA, codes...), causeAt(report.SideB, codes...)...)
}

// elsewhere is a cause between the hosts.
func elsewhere(code report.CauseCode) report.Cause { return report.Cause{Code: code} }

// remaining returns the causes that packets leave for a verdict; none where the code itself is
// the cause.
func (j *judge) remaining(v *report.Verdict) []report.Cause {
	switch v.Code {
	case report.VerdictNotGranted, report.VerdictNotRequested, report.VerdictPeerPlain:
		return handshakeCauses(v)
	case report.VerdictSinglePath:
		if v.Direction != nil || v.Subflow != nil || len(j.m.Subs) != 1 {
			return nil // all subflows run over one path
		}
		return causeAt(report.SideA, report.CauseSubflowLimit, report.CauseNoEndpoint, report.CauseEndpointFlag, report.CauseNoRoute, report.CauseAddAddrLimit)
	case report.VerdictJoinUnanswered, report.VerdictJoinRefused:
		return j.joinCauses(v)
	case report.VerdictPathDied:
		return append(either(report.CauseInterfaceDown, report.CauseEndpointDeleted, report.CauseKilled, report.CauseFirewall), elsewhere(report.CauseNetwork))
	case report.VerdictPathRemoved:
		return either(report.CauseInterfaceDown, report.CauseEndpointDeleted)
	}
	if v.Direction == nil {
		return nil
	}
	return flowCauses(v.Code, from(v))
}

// flowCauses returns the causes that packets leave for a verdict on the data that a side sends.
func flowCauses(code report.VerdictCode, sender conn.Side) []report.Cause {
	from, to := report.Side(side(sender)), report.Side(side(sender.Other()))
	switch code {
	case report.VerdictApplication:
		return causeAt(from, report.CauseApplication, report.CauseSendBuffer)
	case report.VerdictSenderLimited:
		return causeAt(from, report.CauseSendBuffer, report.CauseCwndClamp, report.CausePacing)
	case report.VerdictWindowClosed:
		return causeAt(to, report.CauseApplication, report.CauseReceiveBuffer)
	case report.VerdictHoLBlocked:
		out := append(causeAt(from, report.CauseQueue, report.CauseInterface), causeAt(to, report.CauseMemory)...)
		return append(append(out, either(report.CauseFirewall)...), elsewhere(report.CauseNetwork))
	}
	return nil
}

// handshakeCauses returns the causes that packets leave for a connection that is plain TCP.
func handshakeCauses(v *report.Verdict) []report.Cause {
	server := causeAt(report.SideB, report.CausePlainSocket, report.CauseMPTCPDisabled)
	open := strings.Contains(v.Text, possibleText) // else the packets say where the option was lost
	switch {
	case v.Code == report.VerdictPeerPlain:
		return server
	case v.Code == report.VerdictNotGranted && open:
		return append(server, elsewhere(report.CauseOptionRemoved))
	case v.Code == report.VerdictNotRequested:
		out := causeAt(report.SideA, report.CausePlainSocket, report.CauseMPTCPDisabled)
		if open {
			out = append(out, elsewhere(report.CauseOptionRemoved))
		}
		return out
	}
	return nil
}

// joinCauses returns the causes that packets leave for a join without answer, or with RST as
// the answer.
func (j *judge) joinCauses(v *report.Verdict) []report.Cause {
	to := report.SideB
	if v.Subflow != nil && j.c != nil && *v.Subflow < len(j.c.Subflows) {
		if by := j.c.Subflows[*v.Subflow].Initiator; by != nil && *by == report.SideB {
			to = report.SideA
		}
	}
	if v.Code == report.VerdictJoinUnanswered {
		return append(either(report.CauseFirewall), elsewhere(report.CauseNetwork))
	}
	return append(causeAt(to, report.CauseSubflowLimit, report.CauseNoListener, report.CauseTokenUnknown, report.CauseFirewall), elsewhere(report.CauseNetwork))
}

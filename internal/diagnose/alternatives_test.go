package diagnose

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// names writes causes as code@host.
func names(list []report.Cause) (out string) {
	for _, c := range list {
		host := "-"
		if c.Host != nil {
			host = string(*c.Host)
		}
		out += string(c.Code) + "@" + host + " "
	}
	return out
}

// The hosts of the causes that remain are those of the direction.
func TestFlowCauses(t *testing.T) {
	for _, c := range []struct {
		code report.VerdictCode
		d    report.Direction
		want string
	}{
		{report.VerdictApplication, report.A2B, "application@a send_buffer@a "},
		{report.VerdictSenderLimited, report.B2A, "send_buffer@b cwnd_clamp@b pacing@b "},
		{report.VerdictWindowClosed, report.A2B, "application@b receive_buffer@b "},
		{report.VerdictWindowClosed, report.B2A, "application@a receive_buffer@a "},
		{report.VerdictHoLBlocked, report.B2A, "queue@b interface@b memory@a firewall@a firewall@b network@- "},
		{report.VerdictBackup, report.A2B, ""},
	} {
		if got := names(flowCauses(c.code, senderOf(&c.d))); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.code, c.d, got, c.want)
		}
	}
}

// Where the sentence lists what is possible, a middlebox is; where the packets tell, it is not.
func TestHandshakeCauses(t *testing.T) {
	for _, c := range []struct {
		code report.VerdictCode
		text string
		want string
	}{
		{report.VerdictPeerPlain, "b answered without", "plain_socket@b mptcp_disabled@b "},
		{report.VerdictNotGranted, "without. " + possibilities("x", "y"), "plain_socket@b mptcp_disabled@b option_removed@- "},
		{report.VerdictNotGranted, "MP_CAPABLE was removed from the SYN", ""},
		{report.VerdictNotRequested, "a did not ask for MPTCP", "plain_socket@a mptcp_disabled@a "},
		{report.VerdictNotRequested, notRequested, "plain_socket@a mptcp_disabled@a option_removed@- "},
	} {
		if got := names(handshakeCauses(&report.Verdict{Code: c.code, Text: c.text})); got != c.want {
			t.Errorf("%s, %q: %q, want %q", c.code, c.text, got, c.want)
		}
	}
}

// A join from b is refused by a; the cause of a verdict that names one stays alone.
func TestJoinCauses(t *testing.T) {
	by := report.SideB
	j := &judge{c: &report.Connection{Subflows: []report.Subflow{{}, {Initiator: &by}}}}
	v := report.Verdict{Code: report.VerdictJoinRefused, Subflow: new(1)}
	if got, want := names(j.joinCauses(&v)), "subflow_limit@a no_listener@a token_unknown@a firewall@a network@- "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	v.Code, v.Cause = report.VerdictPathDied, &report.Cause{Code: report.CauseKilled}
	j.out = []report.Verdict{v, {Code: report.VerdictPathDied}}
	j.alternatives()
	assert.Check(t, len(j.out[0].Alternatives) == 0 && len(j.out[1].Alternatives) != 0, "%+v", j.out)
}

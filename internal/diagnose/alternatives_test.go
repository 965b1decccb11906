package diagnose

import (
	"testing"

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

// TestRemaining: the causes that remain by the form of a verdict; their hosts are those of the direction, or
// the one that the verdict names.
func TestRemaining(t *testing.T) {
	for _, c := range []struct {
		v    report.Verdict
		want string
	}{
		{report.Verdict{Code: report.VerdictApplication, Direction: new(report.A2B)}, "application@a send_buffer@a "},
		{report.Verdict{Code: report.VerdictApplication}, ""},
		{report.Verdict{Code: report.VerdictSenderLimited, Direction: new(report.B2A)}, "send_buffer@b cwnd_clamp@b pacing@b "},
		{report.Verdict{Code: report.VerdictWindowClosed, Direction: new(report.A2B)}, "application@b receive_buffer@b "},
		{report.Verdict{Code: report.VerdictHoLBlocked, Direction: new(report.B2A)}, "queue@b interface@b memory@a firewall@a firewall@b network@- "},
		{report.Verdict{Code: report.VerdictBackup, Direction: new(report.A2B)}, ""},
		{report.Verdict{Code: report.VerdictPeerPlain}, "plain_socket@b mptcp_disabled@b "},
		{report.Verdict{Code: report.VerdictNotGranted}, "plain_socket@b mptcp_disabled@b option_removed@- "},
		{report.Verdict{Code: report.VerdictNotGranted, Form: "removed"}, ""},
		{report.Verdict{Code: report.VerdictNotRequested}, "plain_socket@a mptcp_disabled@a option_removed@- "},
		{report.Verdict{Code: report.VerdictNotRequested, Form: "at_a"}, "plain_socket@a mptcp_disabled@a "},
		{report.Verdict{Code: report.VerdictJoinRefused, Parameters: []report.Parameter{{Name: "responder", Text: "a"}}}, "subflow_limit@a no_listener@a token_unknown@a firewall@a network@- "},
	} {
		c.v.Alternatives = Remaining(&c.v)
		if got := names(c.v.Alternatives); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.v.Code, c.v.Form, got, c.want)
		}
	}
}

package sentences

import (
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
)

// declared returns the codes that the package of reports declares.
func declared(t *testing.T) (codes []report.VerdictCode) {
	for _, code := range reporttest.Codes(t, "../report/verdict.go") {
		codes = append(codes, report.VerdictCode(code))
	}
	return codes
}

// TestEveryCodeHasARemedy: whole sentences for each code and for no other, and to each
// kernel its own settings.
func TestEveryCodeHasARemedy(t *testing.T) {
	codes := declared(t)
	assert.Check(t, len(codes) >= 42 && len(diagnose.Kinds()) == len(codes), "%d remedies for %d codes", len(diagnose.Kinds()), len(codes))
	for code, k := range diagnose.Kinds() {
		assert.Check(t, slices.Contains(codes, code), "%s is no code", code)
		a := struct{ Does, Upstream, OutOfTree, Router string }{plain(k, "does"), plain(k, "upstream"), plain(k, "outOfTree"), plain(k, "router")}
		if len(a.Does) < 30 || !strings.HasSuffix(a.Does, ".") || strings.HasSuffix(a.Upstream, ".") || strings.HasSuffix(a.OutOfTree, ".") || strings.HasSuffix(a.Router, ".") {
			t.Errorf("%s: no whole sentences: %+v", code, a)
		}
		_, has := k.Parts["router"]
		assert.Check(t, has == (a.Router != ""), "%s: empty menus", code)
		if strings.Contains(a.Upstream, "net.mptcp.mptcp_") || strings.Contains(a.Upstream, " multipath o") {
			t.Errorf("%s: upstream Linux has no such setting: %s", code, a.Upstream)
		}
		for _, foreign := range []string{"ip mptcp", "nstat", "net.mptcp.enabled", "net.mptcp.stale", "net.mptcp.checksum_enabled", "mptcpize"} {
			assert.Check(t, !strings.Contains(a.OutOfTree, foreign), "%s: the kernel 0.9x has no %s: %s", code, foreign, a.OutOfTree)
		}
		for _, foreign := range []string{"blest", "redundant in", "roundrobin", "ndiffports"} {
			assert.Check(t, !strings.Contains(a.Upstream, foreign), "%s: upstream Linux has no %s: %s", code, foreign, a.Upstream)
		}
	}
}

// TestOf: the version of the connection decides which kernel's settings are named. Without a
// version, both are named.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		version        *int
		upstream, tree bool
	}{{new(0), false, true}, {new(1), true, false}, {nil, true, true}} {
		got := Of(report.VerdictSinglePath, c.version)
		if strings.Contains(got, upstreamName+"on a, ip mptcp endpoint add") != c.upstream || strings.Contains(got, outOfTreeName+"sysctl -w net.mptcp.mptcp_path_manager=fullmesh") != c.tree {
			t.Errorf("version %v: %s", c.version, got)
		}
	}
	if got := Of(report.VerdictWindowClosed, nil); strings.Count(got, "tcp_rmem") != 1 || !strings.Contains(got, bothName) {
		t.Errorf("settings that both kernels have stand %d times, want once: %s", strings.Count(got, "tcp_rmem"), got)
	}
	if got := Of("no_such_code", nil); got != "" {
		t.Errorf("of an unknown code: %q", got)
	}
	v := report.Verdict{Code: report.VerdictRefused}
	if got := For(&v); got != Of(report.VerdictRefused, nil) {
		t.Errorf("of a report without one: %q", got)
	}
	if v.Remedy = "As it says."; For(&v) != v.Remedy {
		t.Errorf("of a report that has one: %q", For(&v))
	}
}

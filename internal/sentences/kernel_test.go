package sentences

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/report"
)

// TestParseKernel: names, versions as uname -r prints them, and what is no kernel with
// Multipath TCP.
func TestParseKernel(t *testing.T) {
	for _, c := range []struct {
		text, want, err string
	}{
		{"", "", ""},
		{"6.12", "6.12", ""},
		{"6.12.48-1-lts", "6.12", ""},
		{"6.1.0-rc3", "6.1", ""},
		{"5.6", "5.6", ""},
		{"7.0", "7.0", ""},
		{"omr", "omr", ""},
		{"0.9x", "0.9x", ""},
		{"0.96", "0.9x", ""},
		{"5.5.19", "", "want 5.6 or later, from which on Linux has Multipath TCP"},
		{"4.19", "", "0.9x"},
		{"0.8", "", "want 5.6 or later, from which on Linux has Multipath TCP"},
		{"6", "", "want a version of Linux"},
		{"6.-1", "", "want a version of Linux"},
		{"linux", "", "want a version of Linux"},
		{"omr2", "", "want a version of Linux"},
	} {
		k, err := ParseKernel(c.text)
		if string(k) != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %q, %v", c.text, k, err)
		}
	}
	for _, name := range Kernels() {
		name, what, _ := strings.Cut(name, "\t")
		if k, err := ParseKernel(name); err != nil || string(k) != name || what == "" {
			t.Errorf("%q is suggested: %q, %v", name, k, err)
		}
	}
}

// TestOfKernel: a text has the settings that the kernel has, and no others.
func TestOfKernel(t *testing.T) {
	for _, c := range []struct {
		kernel     string
		code       report.VerdictCode
		version    *int
		want, none []string
	}{
		// without a name, the version is said
		{"", report.VerdictSYNDropped, new(1), []string{upstreamName + "from 6.14 on, net.mptcp.syn_retrans", "from 6.12 on, after such a fallback net.mptcp.blackhole_timeout"}, []string{"6.13", outOfTreeName}},
		{"", report.VerdictPathDied, new(1), []string{upstreamName + "ip mptcp endpoint delete", "; a smaller net.mptcp.stale_loss_cnt"}, []string{"from 5."}},
		// with a name, it is not
		{"6.18", report.VerdictSYNDropped, nil, []string{"Linux 6.18: net.mptcp.syn_retrans", "; after such a fallback net.mptcp.blackhole_timeout"}, []string{"from 6.", outOfTreeName, upstreamName}},
		{"6.14", report.VerdictSYNDropped, nil, []string{"Linux 6.14: net.mptcp.syn_retrans", "net.mptcp.blackhole_timeout"}, []string{"from 6."}},
		{"6.13", report.VerdictSYNDropped, nil, []string{"Linux 6.13: 6.12 and 6.13 leave the option out after 2", "net.mptcp.blackhole_timeout"}, []string{"syn_retrans"}},
		{"6.12", report.VerdictSYNDropped, nil, []string{"Linux 6.12: 6.12 and 6.13 leave the option out after 2", "net.mptcp.blackhole_timeout"}, []string{"syn_retrans"}},
		{"6.6", report.VerdictSYNDropped, nil, []string{"older kernels repeat it to the end", "each new connection asks for Multipath TCP again"}, []string{"syn_retrans", "blackhole"}},
		{"6.6", report.VerdictHoLBlocked, nil, []string{"endpoint change id N backup", "\"default\", the only scheduler of mainline"}, []string{"available_schedulers", "bpf_"}},
		{"6.12", report.VerdictHoLBlocked, nil, []string{"available_schedulers", "bpf_red"}, []string{"blest"}},
		{"6.1", report.VerdictCopies, nil, []string{"stale_loss_cnt"}, []string{"net.mptcp.scheduler"}},
		{"6.18", report.VerdictSinglePath, nil, []string{"fullmesh on a", "laminar on a"}, []string{"up to the routes"}},
		{"6.12", report.VerdictSinglePath, nil, []string{"fullmesh on a", "up to the routes"}, []string{"laminar"}},
		{"6.12", report.VerdictAddAddrNotEchoed, nil, []string{"3 times, each time after net.mptcp.add_addr_timeout at the latest"}, []string{"doubled", "drop_ts"}},
		{"6.18", report.VerdictAddAddrNotEchoed, nil, []string{"after the retransmission timeout of its subflows, doubled each time"}, []string{"drop_ts"}},
		{"7.2", report.VerdictAddAddrNotEchoed, nil, []string{"doubled", "; with net.mptcp.add_addr_v6_port_drop_ts (1 by default)"}, []string{"from 7.2"}},
		{"5.10", report.VerdictPathDied, nil, []string{"Linux 5.10: ip mptcp endpoint delete id N does that."}, []string{"stale_loss_cnt"}},
		{"5.10", report.VerdictJoinForbidden, nil, []string{"have it announce another one."}, []string{"Linux 5.10", "allow_join"}},
		// the named kernel decides, whatever the version of the connection
		{"6.12", report.VerdictBackup, new(0), []string{"Linux 6.12: ip mptcp endpoint change id N nobackup"}, []string{"ip link"}},
		{"0.9x", report.VerdictBackup, new(1), []string{outOfTreeName + "ip link set dev INTERFACE multipath on"}, []string{"ip mptcp"}},
		{"6.12", report.VerdictWindowClosed, nil, []string{"Linux 6.12: on the receiver", "net.ipv4.tcp_rmem"}, []string{bothName}},
		{"0.9x", report.VerdictWindowClosed, nil, []string{outOfTreeName + "on the receiver"}, []string{bothName}},
		// OpenMPTCProuter has menus; where it has none, the settings of Linux
		{"omr", report.VerdictBackup, new(1), []string{routerName + "Network > MPTCP > Interfaces Settings"}, []string{"ip mptcp", "ip link"}},
		{"omr", report.VerdictBackup, new(0), []string{routerName + "Network > MPTCP > Interfaces Settings"}, []string{"ip mptcp", "ip link"}},
		{"omr", report.VerdictWindowClosed, new(1), []string{upstreamName, "net.ipv4.tcp_rmem"}, []string{routerName}},
		{"omr", report.VerdictApplication, new(1), []string{"Nothing on the network"}, []string{routerName, upstreamName}},
	} {
		k, err := ParseKernel(c.kernel)
		assert.NilError(t, err)
		got := plain(diagnose.Kinds()[c.code], "does") + k.settings(diagnose.Kinds()[c.code], versionOf(c.version))
		for _, want := range c.want {
			assert.Check(t, strings.Contains(got, want), "%s of %q lacks %q: %s", c.code, c.kernel, want, got)
		}
		for _, none := range c.none {
			assert.Check(t, !strings.Contains(got, none), "%s of %q has %q: %s", c.code, c.kernel, none, got)
		}
	}
}

// TestNoKernelGetsWhatItLacks: no text for a version of Linux has a setting that is newer, or
// one of the other kernel.
func TestNoKernelGetsWhatItLacks(t *testing.T) {
	told, list := 0, page(t)
	for _, name := range []string{"5.6", "5.10", "5.15", "6.1", "6.6", "6.8", "6.12", "6.13", "6.15", "6.18"} {
		k, err := ParseKernel(name)
		assert.NilError(t, err)
		release, _ := k.release()
		for code, of := range diagnose.Kinds() {
			text := k.settings(of, -1)
			for _, s := range list {
				if !strings.Contains(text, s.text) {
					continue
				}
				told++
				if since, _ := needs(s.text); release.before(since) || s.foreign() && !strings.HasPrefix(s.text, "bpf_") {
					t.Errorf("Linux %s has no %s, and %s tells it: %s", name, s.text, code, text)
				}
				text = strings.ReplaceAll(text, s.text, "#")
			}
		}
	}
	assert.Check(t, told >= 100, "%d settings were told, want 100 or more", told)
}

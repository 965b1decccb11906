package remedy

import (
	"strings"

	"mpanalyze/internal/report"
)

// advice is what to do about a verdict: on any host, and by which setting of which
// kernel. Both kernels have commands and sysctls of their own.
type advice struct {
	do        string // sentences
	upstream  string // Linux 5.6 and later, which speaks version 1; empty where nothing is to be set
	outOfTree string // the kernel of multipath-tcp.org, up to 0.96, which speaks version 0; the same
}

// The names of the two kernels in texts, and of both where they have the same settings.
const (
	bothName      = "Linux, either kernel: "
	upstreamName  = "Linux 5.6 and later: "
	outOfTreeName = "Kernel 0.9x of multipath-tcp.org: "
)

// Of returns what to do about a verdict on a connection of a version of Multipath TCP;
// of a version that is not known, and for version nil, the settings of both kernels.
// It is empty of a code that this program does not know.
func Of(code report.VerdictCode, version *int) string {
	return With("", code, version)
}

// With returns the same with other words in place of the general sentences, as those
// that name a number; the settings stay. Empty words keep the general sentences.
func With(do string, code report.VerdictCode, version *int) string {
	a := all[code]
	if do == "" {
		do = a.do
	}
	parts := []string{do}
	if version == nil && a.upstream == a.outOfTree && a.upstream != "" {
		return do + " " + bothName + a.upstream + "."
	}
	if a.upstream != "" && (version == nil || *version != 0) {
		parts = append(parts, upstreamName+a.upstream+".")
	}
	if a.outOfTree != "" && (version == nil || *version == 0) {
		parts = append(parts, outOfTreeName+a.outOfTree+".")
	}
	return strings.Join(parts, " ")
}

// For returns what to do about a verdict as its report says it, or, of a report of an
// older version that does not, in general.
func For(v *report.Verdict) string {
	if v.Remedy != "" {
		return v.Remedy
	}
	return Of(v.Code, nil)
}

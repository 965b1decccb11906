package remedy

import (
	"strings"

	"mpanalyze/internal/report"
)

// advice is what to do about a verdict: in general, and by settings of each of the two
// kernels, which have different commands and sysctls.
type advice struct {
	do        string // sentences
	upstream  string // settings of Linux 5.6 and later, which speaks version 1; empty if there are none
	outOfTree string // settings of the kernel of multipath-tcp.org, up to 0.96, which speaks version 0; empty if there are none
}

// The names of the two kernels in texts, and the name for both where their settings are the
// same.
const (
	bothName      = "Linux, either kernel: "
	upstreamName  = "Linux 5.6 and later: "
	outOfTreeName = "Kernel 0.9x of multipath-tcp.org: "
)

// Of returns what to do about a verdict on a connection of that version of Multipath TCP.
// Version nil is an unknown version: the text then has the settings of both kernels. It is
// empty for a code that this program does not know.
func Of(code report.VerdictCode, version *int) string {
	return With("", code, version)
}

// With returns the same with do in place of the general sentences, for example with a
// number in them; the settings stay. Empty do keeps the general sentences.
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

// For returns what to do about a verdict of a report. A report of an older version has no
// text of its own; it gets the general one.
func For(v *report.Verdict) string {
	if v.Remedy != "" {
		return v.Remedy
	}
	return Of(v.Code, nil)
}

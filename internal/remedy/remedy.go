package remedy

import (
	"slices"
	"strings"

	"mpanalyze/internal/report"
)

// advice is what to do about a verdict: in general, and by settings of each of the two
// kernels, which have different commands and sysctls. Settings are clauses separated by
// semicolons. A clause stands alone: it is left out for a kernel that lacks a setting in it.
type advice struct {
	do        string // sentences
	upstream  string // settings of mainline Linux, which speaks version 1; empty if there are none
	outOfTree string // settings of the kernel of multipath-tcp.org, up to 0.96, which speaks version 0; empty if there are none
}

// The names of the kernels in texts, and the name for both where their settings are the
// same.
const (
	bothName      = "Linux, either kernel: "
	upstreamName  = "Linux 5.15 and later: "
	outOfTreeName = "Kernel 0.9x of multipath-tcp.org: "
	routerName    = "OpenMPTCProuter: "
)

// Of returns what to do about a verdict on a connection of that version of Multipath TCP.
// Version nil is an unknown version: the text then has the settings of both kernels. It is
// empty for a code that this program does not know.
func Of(code report.VerdictCode, version *int) string { return Kernel("").With("", code, version) }

// With returns the same with do in place of the general sentences, for example with a
// number in them; the settings stay. Empty do keeps the general sentences.
func With(do string, code report.VerdictCode, version *int) string {
	return Kernel("").With(do, code, version)
}

// With is the function [With] for one kernel. A kernel that is named decides whose settings
// the text has, not the version of the connection.
func (k Kernel) With(do string, code report.VerdictCode, version *int) string {
	a := all[code]
	if do == "" {
		do = a.do
	}
	name := upstreamName
	release, mainline := k.release()
	switch {
	case k == openMPTCProuter && router[code] != "":
		return do + " " + routerName + router[code] + "."
	case k == outOfTree:
		version = new(0)
	case mainline:
		version, name = new(1), "Linux "+release.String()+": "
	}
	if version == nil && a.upstream == a.outOfTree && a.upstream != "" {
		return do + " " + bothName + a.upstream + "."
	}
	parts := []string{do}
	if text := k.fitting(a.upstream); text != "" && (version == nil || *version != 0) {
		parts = append(parts, name+text+".")
	}
	if a.outOfTree != "" && (version == nil || *version == 0) {
		parts = append(parts, outOfTreeName+a.outOfTree+".")
	}
	return strings.Join(parts, " ")
}

// separator stands between the clauses of settings.
const separator = "; "

// fitting returns the clauses of upstream settings that the kernel has. In place of a clause
// that it lacks, it says what the kernel does or takes instead. For a kernel that nobody
// named, each clause has the version from which on it holds.
func (k Kernel) fitting(upstream string) string {
	if upstream == "" {
		return ""
	}
	release, named := k.release()
	var out []string
	for clause := range strings.SplitSeq(upstream, separator) {
		since, without := needs(clause)
		switch {
		case !named:
			if oldest.before(since) {
				clause = "from " + since.String() + " on, " + clause
			}
		case release.before(since):
			clause = without
		}
		if clause != "" && !slices.Contains(out, clause) {
			out = append(out, clause)
		}
	}
	return strings.Join(out, separator)
}

// For returns what to do about a verdict of a report. A report of an older version has no
// text of its own; it gets the general one.
func For(v *report.Verdict) string {
	if v.Remedy != "" {
		return v.Remedy
	}
	return Of(v.Code, nil)
}

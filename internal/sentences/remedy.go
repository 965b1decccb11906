package sentences

import (
	"slices"
	"strings"

	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/report"
)

// The names of the kernels in texts, and the name for both where their settings are the
// same.
const (
	bothName      = "Linux, either kernel: "
	upstreamName  = "Linux 5.15 and later: "
	outOfTreeName = "Kernel 0.9x of multipath-tcp.org: "
	routerName    = "OpenMPTCProuter: "
)

// Of returns what to do in general about a verdict on a connection of that version of Multipath TCP.
// Version nil is an unknown version: the text then has the settings of both kernels. It is
// empty for a code that this program does not know.
func Of(code report.VerdictCode, version *int) string {
	k := diagnose.Kinds()[code]
	if k == nil {
		return ""
	}
	return plain(k, "does") + Kernel("").settings(k, versionOf(version))
}

// For returns what to do about a verdict of a report. A report of an older version has no
// text of its own; it gets the general one.
func For(v *report.Verdict) string {
	if v.Remedy != "" {
		return v.Remedy
	}
	return Of(v.Code, nil)
}

// versionOf returns a version of Multipath TCP: negative where it is not known, and 1 for all
// later ones.
func versionOf(version *int) int {
	if version == nil {
		return -1
	}
	return min(*version, 1)
}

// settings returns the settings of each of the two kernels for a verdict, which have different commands
// and sysctls, each behind a space and the name of the kernel that has them. A kernel that is
// named decides whose settings the text has, not the version of the connection. OpenMPTCProuter has menus: its
// scripts write endpoints and limits anew when an interface changes, so a command does not last there.
func (k Kernel) settings(of *diagnose.Kind, version int) string {
	upstream, outOfTreeText, name := plain(of, "upstream"), plain(of, "outOfTree"), upstreamName
	release, mainline := k.release()
	switch {
	case k == openMPTCProuter && plain(of, "router") != "":
		return " " + routerName + plain(of, "router") + "."
	case k == outOfTree:
		version = 0
	case mainline:
		version, name = 1, "Linux "+release.String()+": "
	}
	if version < 0 && upstream == outOfTreeText && upstream != "" {
		return " " + bothName + upstream + "."
	}
	text := ""
	if fits := k.fitting(upstream); fits != "" && version != 0 {
		text += " " + name + fits + "."
	}
	if outOfTreeText != "" && version <= 0 {
		text += " " + outOfTreeName + outOfTreeText + "."
	}
	return text
}

// separator stands between the clauses of settings. A clause stands alone: it is left out for a kernel
// that lacks a setting in it.
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

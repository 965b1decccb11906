package sentences

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mpanalyze/internal/catalogue"
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

// Kernel is the kernel that a remedy is for, as [ParseKernel] returns it: a version of
// mainline Linux ("6.12"), or one of the others. Empty is a kernel that nobody named: texts
// then have the settings of all, with the versions that have them.
type Kernel string

// Kernels that are no version of mainline Linux.
const (
	outOfTree       Kernel = "0.9x"
	openMPTCProuter Kernel = "omr"
)

// release is a version of mainline Linux: major and minor number.
type release [2]int

// first is the first release with Multipath TCP, oldest the one whose settings texts have
// without a version: it is the oldest for which the settings were looked up.
var (
	first  = release{5, 6}
	oldest = release{5, 15}
)

func (r release) before(o release) bool { return slices.Compare(r[:], o[:]) < 0 }

func (r release) String() string { return fmt.Sprintf("%d.%d", r[0], r[1]) }

// Kernels returns names that [ParseKernel] takes: those of long-term support, and the two
// others, each with what it is behind a tab.
func Kernels() (out []string) {
	for _, r := range []string{"5.15", "6.1", "6.6", "6.12", "6.18"} {
		out = append(out, r+"\tLinux, long-term support")
	}
	return append(out, string(openMPTCProuter)+"\tOpenMPTCProuter", string(outOfTree)+"\tkernel of multipath-tcp.org")
}

// ParseKernel reads the name of a kernel: omr, 0.9x, or a version of Linux as uname -r
// prints it, of which the first two numbers count. An empty text is no name.
func ParseKernel(text string) (Kernel, error) {
	switch {
	case text == "":
		return "", nil
	case Kernel(text) == openMPTCProuter:
		return openMPTCProuter, nil
	case strings.HasPrefix(text, "0.9"):
		return outOfTree, nil
	}
	r, ok := parseRelease(text)
	if !ok {
		return "", errors.New("want a version of Linux as uname -r prints it (6.12), omr for OpenMPTCProuter, or 0.9x for the kernel of multipath-tcp.org")
	}
	if r.before(first) {
		return "", fmt.Errorf("want %v or later, from which on Linux has Multipath TCP, 0.9x for the kernel of multipath-tcp.org, or omr for OpenMPTCProuter", first)
	}
	return Kernel(r.String()), nil
}

// parseRelease reads the first two numbers of a version.
func parseRelease(text string) (r release, ok bool) {
	n, _ := fmt.Sscanf(text, "%d.%d", &r[0], &r[1])
	return r, n == 2 && min(r[0], r[1]) >= 0
}

// release returns the version of mainline Linux; ok is false for the other kernels, and where
// none is named.
func (k Kernel) release() (r release, ok bool) {
	if k == outOfTree {
		return release{}, false
	}
	return parseRelease(string(k))
}

// settings are the commands and sysctls, or how several of them begin, that not every kernel has. They decide from which
// release on a clause of the texts holds. testdata/settings.md lists every command and every sysctl of the texts, with the
// sources.
var settings = catalogue.Read[[]struct {
	Text    string
	Since   release // first release of mainline Linux that is known to have it
	Without string  // what a kernel that lacks it does or takes instead, a clause; empty for nothing
}](settingRows)

//go:embed settings.json
var settingRows []byte

// needs returns the first release that has all settings of a clause, and what holds for
// kernels before it.
func needs(clause string) (since release, without string) {
	for _, s := range settings {
		if since.before(s.Since) && strings.Contains(clause, s.Text) {
			since, without = s.Since, s.Without
		}
	}
	return since, without
}

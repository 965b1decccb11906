package remedy

import (
	"slices"
	"strings"
	"sync"

	"mpanalyze/internal/report"
)

// advice is what to do about a verdict: in general, and by settings of each of the two
// kernels, which have different commands and sysctls. Settings are clauses separated by
// semicolons. A clause stands alone: it is left out for a kernel that lacks a setting in it.
type advice struct {
	Code      report.VerdictCode
	Does      string // sentences
	Upstream  string // settings of mainline Linux, which speaks version 1; empty if there are none
	OutOfTree string // settings of the kernel of multipath-tcp.org, up to 0.96, which speaks version 0; empty if there are none
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

// With returns the same for one kernel, with do in place of the general sentences, for example
// with a number in them; the settings stay. Empty do keeps the general sentences. A kernel that is
// named decides whose settings the text has, not the version of the connection.
func (k Kernel) With(do string, code report.VerdictCode, version *int) string {
	t := k.textOf(code, version)
	if do == "" {
		return t.general
	}
	return withSettings(do, t.settings)
}

// text is what to do about the verdicts of a code: the settings, and these behind the general
// sentences.
type text struct{ settings, general string }

// textKey says for what a text is. version is negative where it is not known, and 1 for all
// later ones.
type textKey struct {
	kernel  Kernel
	code    report.VerdictCode
	version int
}

// made has the texts that were asked for before, because thousands of connections have the same
// verdict. It is bounded by the codes, for each kernel.
var made sync.Map // of textKey to text

// textOf returns the text for a code.
func (k Kernel) textOf(code report.VerdictCode, version *int) text {
	key := textKey{k, code, -1}
	if version != nil {
		key.version = min(*version, 1)
	}
	if known, ok := made.Load(key); ok {
		return known.(text)
	}
	a, known := all()[code]
	settings := k.settings(code, key.version)
	t := text{settings, withSettings(a.Does, settings)}
	if known {
		made.Store(key, t)
	}
	return t
}

// withSettings returns sentences with settings behind them, if there are any.
func withSettings(do, settings string) string {
	if settings == "" {
		return do
	}
	return do + " " + settings
}

// settings returns the settings for a code, each behind the name of the kernel that has them.
func (k Kernel) settings(code report.VerdictCode, version int) string {
	a, name := all()[code], upstreamName
	release, mainline := k.release()
	switch {
	case k == openMPTCProuter && router[code] != "":
		return routerName + router[code] + "."
	case k == outOfTree:
		version = 0
	case mainline:
		version, name = 1, "Linux "+release.String()+": "
	}
	if version < 0 && a.Upstream == a.OutOfTree && a.Upstream != "" {
		return bothName + a.Upstream + "."
	}
	var parts []string
	if text := k.fitting(a.Upstream); text != "" && version != 0 {
		parts = append(parts, name+text+".")
	}
	if a.OutOfTree != "" && version <= 0 {
		parts = append(parts, outOfTreeName+a.OutOfTree+".")
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

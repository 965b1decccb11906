package diagnose

import (
	"cmp"
	"embed"
	"io/fs"
	"maps"
	"path"
	"strconv"
	"strings"
	"sync"

	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// Kind is what verdicts/CODE.txt says of a verdict: the rules that find it (sections "found", see rules.go), unless Go code does, and
// texts for people, templates that package sentences fills in.
type Kind struct {
	Code report.VerdictCode
	// States are those of time_account that the verdict explains. [AnyState] stands for each state in
	// which the application had data to send, or may have had.
	States []string
	// Proof says whose packets prove it, of the connection or of the subflow that it names: empty for
	// both ends, "subflow" for both ends of that subflow alone, "one end" for one end.
	Proof string
	// Parts has the texts by the names of their sections. Nobody may change it.
	Parts map[string]string
}

// AnyState stands in [Kind.States] for all states but application, idle and undetermined.
const AnyState = "*"

// Section returns the name of the section that a verdict of this form has: the one with the form behind its
// name, as "says left", if there is one.
func (k *Kind) Section(name, form string) string {
	if _, ok := k.Parts[name+" "+form]; ok {
		return name + " " + form
	}
	return name
}

//go:embed verdicts/*.txt rules/*.expr
var files embed.FS

// commonFile has texts that several verdicts have in common, by name.
const commonFile = "verdicts/parts.txt"

// Common returns the texts that the texts of several verdicts have in common, by name.
func Common() map[string]string { return sections(commonFile) }

// sections reads a file: the name of each section stands in a line of its own, "-- name --".
func sections(name string) map[string]string {
	data, err := files.ReadFile(name)
	if err != nil {
		panic(err) // a test reads all files
	}
	out := map[string]string{}
	for _, part := range strings.Split("\n"+string(data), "\n-- ")[1:] {
		name, text, _ := strings.Cut(part+"\n", " --\n")
		out[name] = strings.TrimRight(text, "\n")
	}
	return out
}

// Kinds returns what is known of each verdict, by its code.
var Kinds = sync.OnceValue(func() map[report.VerdictCode]*Kind {
	names, err := fs.Glob(files, "verdicts/*.txt")
	if err != nil {
		panic(err) // the pattern is constant
	}
	out := map[report.VerdictCode]*Kind{}
	for _, name := range names {
		if name == commonFile {
			continue
		}
		k := &Kind{Code: report.VerdictCode(strings.TrimSuffix(path.Base(name), ".txt")), Parts: sections(name)}
		k.States, k.Proof = strings.Fields(k.Parts["states"]), k.Parts["proof"]
		out[k.Code] = k
	}
	return out
})

// kindOf returns what is known of a verdict; nothing of a code that this program does not know.
func kindOf(v *report.Verdict) *Kind { return cmp.Or(Kinds()[v.Code], &noKind) }

var noKind Kind

// Limits returns the limits of the rules, by the names that the rules and the texts of verdicts have for them. Those that
// one rule alone has stand in its file: section "limits" has a name, a number and what it is in each line.
var Limits = sync.OnceValue(func() map[string]float64 {
	out := maps.Clone(limits)
	for _, k := range Kinds() {
		for line := range strings.Lines(k.Parts["limits"]) {
			fields := strings.Fields(line)
			v, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				panic(err) // a test reads all files
			}
			out[fields[0]] = v
		}
	}
	return out
})

// limits are those that Go code has.
var limits = map[string]float64{
	"answersMost": answersMost, "appLeast": 1e6 * appLeast, "appMuch": appMuch, "backupMuch": backupMuch, "benefitLeast": benefitLeast, "besideLeast": besideLeast, "blackHoleLeast": blackHoleLeast, "blockedMuch": blockedMuch,
	"briefly": briefly, "byChance": byChance, "cleanMost": cleanMost, "cutMuch": cutMuch, "fallCosts": fallCosts, "fewBytes": fewBytes, "fewKB": fewBytes / 1e3, "fewShare": report.FewShare,
	"firstTimeout": firstTimeout, "fullMuch": fullMuch, "fullSome": fullSome, "gapMuch": gapMuch, "goneLeast": goneLeast, "idleLeast": idleLeast, "idleMuch": idleMuch, "idleShare": idleShare,
	"leastStanding": leastStanding, "leftMuch": leftMuch, "lossCosts": lossCosts, "lossLeast": lossLeast, "lossMuch": lossMuch, "lossesCost": lossesCost, "mainLimit": mainLimit,
	"minWithoutOption": minWithoutOption, "mostSawtooth": mostSawtooth, "networkMuch": networkMuch, "networkSome": networkSome, "noticeable": noticeable, "queueRatio": queueRatio,
	"quietMuch": quietMuch, "quietSome": quietSome, "rttRatio": rttRatio, "shareMuch": shareMuch, "shortRun": shortRun, "slowSetup": slowSetup, "speedRatio": speedRatio,
	"standRatio": standRatio, "steadyMost": steadyMost,
	"highRank": highRank, "causeByChance": causeByChance, "roundsByChance": roundsByChance, "nearMost": nearMost, "randomRounds": randomRounds, "anyRank": anyRank, "unsteadyRate": 100 * unsteadyRate,
	"steadyRate": 100 * steadyRate, "burstLosses": burstLosses,
	"AnswerTime": report.AnswerTime, "DeadAfter": float64(symptoms.DeadAfter), "DeadRounds": symptoms.DeadRounds, "DownSegments": symptoms.DownSegments,
	"FallLeast": float64(symptoms.FallLeast), "FallRTT": float64(symptoms.FallRTT), "FallRatio": symptoms.FallRatio, "FallRounds": symptoms.FallRounds, "FallWindow": float64(symptoms.FallWindow),
	"FallWindowRounds": symptoms.FallWindowRounds,
}

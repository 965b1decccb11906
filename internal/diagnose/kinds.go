package diagnose

import (
	"cmp"
	"embed"
	"io/fs"
	"path"
	"strings"
	"sync"

	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// Kind is what verdicts/CODE.txt says of a verdict, beside the rule that finds it. Its other parts are
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

//go:embed verdicts/*.txt
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

// Limits are the limits of the rules, by the names that the texts of verdicts have for them.
var Limits = map[string]float64{
	"ackWaitLeast": ackWaitLeast, "answersMost": answersMost, "appLeast": 1e6 * appLeast, "appMuch": appMuch, "askedMuch": askedMuch, "backupMuch": backupMuch, "benefitLeast": benefitLeast, "besideLeast": besideLeast, "blackHoleLeast": blackHoleLeast, "blockedMuch": blockedMuch,
	"briefly": briefly, "byChance": byChance, "cleanMost": cleanMost, "copiesMuch": copiesMuch, "cutMuch": cutMuch, "fallCosts": fallCosts, "fewKB": fewBytes / 1e3, "fewSegment": fewSegment, "finTimeouts": finTimeouts,
	"firstTimeout": firstTimeout, "fullMuch": fullMuch, "fullSome": fullSome, "gapMuch": gapMuch, "goneLeast": goneLeast, "idleLeast": idleLeast, "idleMuch": idleMuch, "idleShare": idleShare,
	"leastStanding": leastStanding, "leftMuch": leftMuch, "lossCosts": lossCosts, "lossLeast": lossLeast, "lossMuch": lossMuch, "lossesCost": lossesCost, "mainLimit": mainLimit,
	"minWithoutOption": minWithoutOption, "mostSawtooth": mostSawtooth, "networkMuch": networkMuch, "networkSome": networkSome, "noticeable": noticeable, "queueRatio": queueRatio,
	"quietMuch": quietMuch, "quietSome": quietSome, "rttRatio": rttRatio, "senderMuch": senderMuch, "shareMuch": shareMuch, "shortRun": shortRun, "slowSetup": slowSetup, "speedRatio": speedRatio,
	"stallLeast": stallLeast, "standRatio": standRatio, "steadyMost": steadyMost, "unseenMuch": unseenMuch,
	"highRank": highRank, "causeByChance": causeByChance, "roundsByChance": roundsByChance, "nearMost": nearMost, "randomRounds": randomRounds, "anyRank": anyRank, "unsteadyRate": 100 * unsteadyRate,
	"steadyRate": 100 * steadyRate, "burstLosses": burstLosses,
	"AnswerTime": report.AnswerTime, "DeadAfter": float64(symptoms.DeadAfter), "DeadRounds": symptoms.DeadRounds, "DownSegments": symptoms.DownSegments,
	"FallLeast": float64(symptoms.FallLeast), "FallRTT": float64(symptoms.FallRTT), "FallRatio": symptoms.FallRatio, "FallRounds": symptoms.FallRounds, "FallWindow": float64(symptoms.FallWindow),
	"FallWindowRounds": symptoms.FallWindowRounds,
}

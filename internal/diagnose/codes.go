package diagnose

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/remedy"
	"mpanalyze/internal/report"
	"mpanalyze/internal/symptoms"
)

// code is the explanation of a verdict for the command explain.
type code struct {
	Code     string
	Meaning  string
	Rule     string // the condition of the verdict, with the limits
	Severity string // severity and cost
	Source   string // source of the rule; empty for this program
}

// codes has the explanation of every verdict, in the order of the command explain. The limits in it are
// those of [limitsByName].
//
//go:embed verdicts.json
var codes []byte

// Codes returns an explanation for each verdict. Limits come from the constants by which
// verdicts are found.
func Codes() (out []catalogue.Metric) {
	var all []code
	if err := json.Unmarshal(codes, &all); err != nil {
		panic("diagnose: verdicts.json: " + err.Error()) // a test reads the file
	}
	for _, c := range all {
		out = append(out, catalogue.Metric{
			Name: c.Code, JSON: c.Code, Also: []string{}, Unit: catalogue.VerdictUnit, Levels: []catalogue.Level{catalogue.OfVerdict},
			Better: catalogue.NeitherIsBetter, Definition: filled(c.Meaning), Formula: filled(c.Rule), Source: cmp.Or(c.Source, "this program"), Caveats: filled(c.Severity),
			Family: catalogue.FamilyVerdicts, Remedy: remedy.Of(report.VerdictCode(c.Code), nil),
		})
	}
	return out
}

// filled returns a text of verdicts.json with the limits in it.
func filled(text string) string {
	t, err := template.New("").Funcs(template.FuncMap{"limit": limit, "span": span}).Option("missingkey=error").Parse(text)
	var out strings.Builder
	if err == nil {
		err = t.Execute(&out, limitsByName)
	}
	if err != nil {
		panic("diagnose: verdicts.json: " + err.Error()) // a test fills in all of them
	}
	return out.String()
}

// limit writes a percentage as the explanations have it.
func limit(percent float64) string { return strconv.FormatFloat(percent, 'g', -1, 64) + " %" }

// span writes a time given in nanoseconds as a limit.
func span(ns float64) string {
	if ns >= 1e9 {
		return strconv.FormatFloat(ns/1e9, 'g', -1, 64) + " s"
	}
	return strconv.FormatFloat(ns/1e6, 'g', -1, 64) + " ms"
}

// enough says which directions are judged.
var enough = fmt.Sprintf("Only directions with %g kB of data or more are judged", fewBytes/1e3)

// idleReasons are the reasons other than the scheduler for which a path is idle.
var idleReasons = fmt.Sprintf("it is a backup; nothing was outstanding for >= %s of the time; the receive window had no room for a segment for >= %s of the time; the capture is not the sender's",
	limit(quietSome), limit(fullMuch))

// limitsByName are the limits of the verdicts, and parts that several texts have in common.
var limitsByName = map[string]any{
	"appMuch": float64(appMuch), "backupMuch": float64(backupMuch), "benefitLeast": float64(benefitLeast), "besideLeast": float64(besideLeast), "blackHoleLeast": float64(blackHoleLeast),
	"blockedMuch": float64(blockedMuch), "briefly": float64(briefly), "byChance": float64(byChance), "copiesMuch": float64(copiesMuch), "cutMuch": float64(cutMuch), "fallCosts": float64(fallCosts),
	"fewSegment": float64(fewSegment), "finTimeouts": float64(finTimeouts), "firstTimeout": float64(firstTimeout), "fullMuch": float64(fullMuch), "fullSome": float64(fullSome),
	"gapMuch": float64(gapMuch), "goneLeast": float64(goneLeast), "idleLeast": float64(idleLeast), "idleMuch": float64(idleMuch), "idleShare": float64(idleShare), "leastStanding": float64(leastStanding),
	"leftMuch": float64(leftMuch), "lossCosts": float64(lossCosts), "lossLeast": float64(lossLeast), "lossMuch": float64(lossMuch), "lossesCost": float64(lossesCost), "mainLimit": float64(mainLimit),
	"minWithoutOption": float64(minWithoutOption), "mostSawtooth": float64(mostSawtooth), "networkMuch": float64(networkMuch), "networkSome": float64(networkSome), "noticeable": float64(noticeable),
	"queueRatio": float64(queueRatio), "quietMuch": float64(quietMuch), "rttRatio": float64(rttRatio), "senderMuch": float64(senderMuch), "shareMuch": float64(shareMuch), "shortRun": float64(shortRun),
	"slowSetup": float64(slowSetup), "speedRatio": float64(speedRatio), "stallLeast": float64(stallLeast), "standRatio": float64(standRatio), "unseenMuch": float64(unseenMuch),
	"AnswerTime": float64(report.AnswerTime), "DeadAfter": float64(symptoms.DeadAfter), "DeadRounds": float64(symptoms.DeadRounds), "FallLeast": float64(symptoms.FallLeast), "FallRTT": float64(symptoms.FallRTT),
	"FallRatio": float64(symptoms.FallRatio), "FallRounds": float64(symptoms.FallRounds), "FallWindow": float64(symptoms.FallWindow), "FallWindowRounds": float64(symptoms.FallWindowRounds),
	"appLeast": 1e6 * appLeast, "fewKB": fewBytes / 1e3, "enough": enough, "idleReasons": idleReasons, "lossCauseRule": lossCauseRule,
}

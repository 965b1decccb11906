package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/overview"
	"mpanalyze/internal/report"
)

// failSeverities holds the severities that why --fail-on knows. Its other words are codes.
var failSeverities = []string{string(report.Critical), string(report.Major)}

// kinds returns the words that why --fail-on takes.
func kinds() []string {
	words := slices.Clone(failSeverities)
	for _, m := range diagnose.Codes() {
		words = append(words, m.Name)
	}
	return words
}

// checkKinds refuses unknown words of why --fail-on. It refuses an empty list, too: a script in
// which a variable is not set must not pass.
func checkKinds(words []string, given bool) (err error) {
	switch {
	case len(words) > 0:
	case given:
		return errors.New("--fail-on is empty; want critical, warning or codes; mpanalyze explain lists the codes")
	default:
		return nil
	}
	known := kinds()
	for _, word := range words {
		if !slices.Contains(known, word) {
			err = errors.Join(err, fmt.Errorf("--fail-on %q: no severity and no code of a verdict%s", word, didYouMean(word, known)))
		}
	}
	if err != nil {
		err = errors.Join(err, errors.New("--fail-on takes critical, warning and codes; mpanalyze explain lists the codes"))
	}
	return err
}

// failing returns an error with its own exit status if a report has verdicts of one of these
// kinds. The error names their codes. It also returns an error if there is no connection,
// because nothing was judged then.
func failing(s report.Source, words []string) error {
	if len(words) == 0 {
		return nil
	}
	if s.NumConnections()+s.NumTCP() == 0 {
		return &statusError{ExitFailed, fmt.Sprintf("--fail-on %s: there is no connection to judge; look at the capture, --filter and --connection", strings.Join(words, ","))}
	}
	all, err := overview.Of(s, overview.Keep{})
	if err != nil {
		return err
	}
	var found []string
	for i := range all.Groups {
		g := &all.Groups[i]
		severe := slices.Contains(words, string(g.Severity)) || g.Severity == report.Critical && slices.Contains(words, string(report.Major))
		if name := string(g.Code); (severe || slices.Contains(words, name)) && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return &statusError{ExitWorse, fmt.Sprintf("--fail-on %s: found %s", strings.Join(words, ","), strings.Join(found, ", "))}
}

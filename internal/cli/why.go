package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/checks"
	"mpanalyze/internal/overview"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/sentences"
)

// whyOptions is the command line of why.
type whyOptions struct {
	session
	outputOptions
	json   jsonOutput
	failOn []string
}

func newWhy(a *app) *cobra.Command {
	o := &whyOptions{}
	c := command("why", o.both.orFiles, withOptions(a.why, o))
	o.session.register(c)
	o.outputOptions.register(c)
	f := c.Flags()
	o.json.register(c, "the verdicts of every connection, and all together, as JSON (mpanalyze explain --schema why)")
	f.Func("fail-on", "exit with status 3 if there is a verdict of these `KINDS`: critical, warning (or more severe), codes, separated by commas; may be repeated", o.addKinds)
	complete(c, "fail-on", noSpace, kinds)
	registerForms(c)
	return c
}

func (a *app) why(c *cobra.Command, o *whyOptions, args []string) error {
	eo, err := o.session.options(a, c, args, o.outputOptions.check())
	if err != nil {
		return err
	}
	return a.stored(c.Context(), eo, func(s *report.Stored) error {
		a.sayMistaken(s.Head())
		failed := a.failing(s, o.failOn)
		err := o.json.write(a, func(w io.Writer) error { return plaintext.WhyJSON(w, s) },
			func(w io.Writer) error { return plaintext.Why(w, s, o.outputOptions.options(&a.Streams)) })
		return errors.Join(err, failed)
	})
}

// kinds returns the words that why --fail-on takes: severities, and codes.
func kinds() []string {
	words := []string{string(report.Critical), string(report.Major)}
	for _, m := range sentences.Codes() {
		words = append(words, m.Name)
	}
	return words
}

// addKinds takes the words of why --fail-on. It refuses an empty list, too: a script in which a variable
// is not set must not pass.
func (o *whyOptions) addKinds(list string) (err error) {
	known := kinds()
	for word := range strings.SplitSeq(list, ",") {
		if !slices.Contains(known, word) {
			err = errors.Join(err, fmt.Errorf("%q: no severity and no code of a verdict%s", word, catalogue.DidYouMean(word, known)))
		}
		o.failOn = append(o.failOn, word)
	}
	if err != nil {
		err = errors.Join(err, errors.New("want critical, warning or codes; mpanalyze explain lists the codes"))
	}
	return err
}

// failing returns an error with its own exit status if a report has verdicts of one of these
// kinds. The error names their codes. It also returns an error if there is no connection,
// because nothing was judged then.
func (a *app) failing(s report.Source, words []string) error {
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
	var list []checks.Check
	for _, word := range words {
		check := checks.Check{Name: "no verdict " + word}
		for i := range all.Groups {
			g := &all.Groups[i]
			severe := word == string(g.Severity) || g.Severity == report.Critical && word == string(report.Major)
			if name := string(g.Code); severe || word == name {
				found = campaign.Once(found, name)
				check.Add(checks.Failed, fmt.Sprintf("%sconnection %d: %s: %s", map[bool]string{true: "TCP "}[g.WorstTCP], g.Worst, name, cmp.Or(g.Headline, g.Text)))
			}
		}
		list = append(list, check)
	}
	return a.judged(fmt.Sprintf("--fail-on %s: found %s", strings.Join(words, ","), strings.Join(found, ", ")), list...)
}

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/checks"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/gate"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// registerForms adds the flags that write the results of checks in the forms of continuous integration.
// [app.writeForms] reads them when the command has ended.
func registerForms(c *cobra.Command) {
	f := c.Flags()
	f.String("junit", "", "write the results of the checks, or why there are none, as JUnit XML to `FILE`")
	f.String("tap", "", "write the same as KTAP version 1, which kernel CI reads, to `FILE`")
	f.Bool("github", false, "print what failed as annotations of GitHub Actions, too, and append the results to the summary of its step")
	writes(c, "junit", "tap")
}

// refuseUnchecked refuses the forms where the flag is missing without which a command checks nothing.
func refuseUnchecked(c *cobra.Command) error {
	f := c.Flags()
	for _, judging := range []string{"fail-on", "diff"} {
		given := f.Changed("junit") || f.Changed("tap") || f.Changed("github")
		if given && f.Lookup(judging) != nil && !f.Changed(judging) {
			return mistakes(c, fmt.Errorf("--junit, --tap and --github need --%s: without it nothing is checked", judging))
		}
	}
	return nil
}

// judged keeps the checks of a command for the forms. It returns an error with the exit status that they stand for; nil where all
// passed. The message is what was said, or else each line behind its check: what failed, then what cannot be told.
func (a *app) judged(said string, list ...checks.Check) error {
	a.suite.Checks = append(a.suite.Checks, list...)
	var failed, unknown []string
	for i := range list {
		for status, lines := range map[checks.Status]*[]string{checks.Failed: &failed, checks.Unknown: &unknown} {
			for _, line := range list[i].Lines(status) {
				*lines = append(*lines, "--fail-on "+list[i].Name+": "+line)
			}
		}
	}
	text := cmp.Or(said, strings.Join(slices.Concat(failed, unknown), "\n"))
	switch {
	case failed != nil:
		return &statusError{ExitWorse, text}
	case unknown != nil:
		return &statusError{ExitCannotTell, text}
	}
	return nil
}

// differs judges what differs between a file and what it is compared with, as one check.
func differs[D fmt.Stringer](a *app, file, with string, found []D) error {
	check := checks.Check{Name: file + " is as " + with}
	for _, d := range found {
		check.Add(checks.Failed, d.String())
	}
	return a.judged(differences(len(found), with), check)
}

// differences says how many there are.
func differences(n int, file string) string { return textwrap.Count(n, "difference") + " from " + file }

// writeForms writes the results of the checks in the forms that the command line asks for. What the command itself failed with is
// the result of two further checks. It writes nothing where there was nothing to judge, as for --help. The arguments are read anew
// for the flags of the forms, because the parser stops at a mistake and does not see what stands behind it.
func (a *app) writeForms(c *cobra.Command, args []string, err error) error {
	if err == nil && len(a.suite.Checks) == 0 {
		return nil
	}
	forms := pflag.NewFlagSet("", pflag.ContinueOnError)
	forms.Usage, forms.ParseErrorsAllowlist.UnknownFlagsHandling = func() {}, pflag.IgnoreUnknownFlag
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "junit" || f.Name == "tap" || f.Name == "github" {
			forms.AddFlag(f)
		}
	})
	_ = forms.Parse(args) // its error is the one that there is
	s := a.suite
	s.Command, s.File = c.CommandPath(), plaintext.Clean(cmp.Or(append([]string{s.File}, c.Flags().Args()...)...))
	s.Took = time.Since(s.Start)
	s.Checks = append(failures(err, len(s.Checks) > 0), s.Checks...)
	var errs []error
	for flag, form := range map[string]struct {
		head  string
		write func(io.Writer) error
	}{"junit": {"<?xml ", s.WriteJUnit}, "tap": {"KTAP version", s.WriteTAP}} {
		name, _ := c.Flags().GetString(flag) // empty for a command without the flag
		switch {
		case name == "":
		case len(a.suite.Checks) == 0 && name != "-" && !begins(name, form.head):
			errs = append(errs, fmt.Errorf("--%s: %s was there before and is no such file, so it is not replaced", flag, name))
		default:
			errs = append(errs, a.create(name, form.write))
		}
	}
	if github, _ := c.Flags().GetBool("github"); github {
		errs = append(errs, s.WriteAnnotations(a.beside(c)), appendTo(a.Getenv("GITHUB_STEP_SUMMARY"), s.WriteMarkdown))
	}
	return errors.Join(errs...)
}

// failures returns checks whether the command ended well, which is there only if it did not, and whether the captures are whole, if
// there is something to say about that.
func failures(err error, judged bool) []checks.Check {
	list := []checks.Check{{Name: "command ends well"}, {Name: "capture is whole"}}
	eachMessage(err, func(cause error, line string) {
		switch code := exitCode(cause); {
		case code == ExitDamaged, engine.Damaged(cause): // the latter with another status where nothing was read
			list[1].Add(checks.Unknown, line)
		case code == ExitFailed, code == ExitFault:
			list[0].Add(checks.Unknown, line)
		}
	})
	if list[1].Status() == checks.Passed && !judged {
		list = list[:1]
	}
	if list[0].Status() == checks.Passed {
		list = list[1:]
	}
	return list
}

// begins reports whether a file begins with a text, so that it may be replaced by a command that failed before it knew all of its
// inputs. A file that is absent or empty, a device and a pipe may be, too.
func begins(name, text string) bool {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return true
	}
	f, err := os.Open(name)
	if err != nil {
		return true // it cannot be written, either
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, int64(len(text))))
	return err == nil && string(head) == text
}

// beside returns where annotations go: standard output, or standard error where the former has the JSON or the table of a flag.
func (a *app) beside(c *cobra.Command) (w io.Writer) {
	w = a.Out
	c.Flags().Visit(func(f *pflag.Flag) {
		if value := f.Value.String(); value == "-" || f.Name == "json" && value == "true" {
			w = a.Err
		}
	})
	return w
}

// appendTo appends a text to a file, which other steps may have begun; "" for none.
func appendTo(name string, write func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		err = errors.Join(write(f), f.Close())
	}
	return err
}

// gates is the flag that sets limits on the figures of a report.
type gates struct {
	texts  []string
	parsed []*gate.Gate
}

func (o *gates) register(c *cobra.Command) {
	c.Flags().StringArrayVar(&o.texts, "fail-on", nil, "exit with status 3 where a figure is beyond a limit: `'FIGURE < LIMIT'`, as in 'b2a.goodput < 5Mbit/s', 'path.LTE.srtt.p95 > 120ms', 'subflows < 2', 'events.mp_fail > 0' or 'verdicts.path_died > 0'; may be repeated")
	complete(c, "fail-on", noSpace, gateStarts)
	registerForms(c)
}

// gateStarts returns the beginnings of the values of --fail-on: metrics that have numbers, with
// the sign after which a worse value stands.
func gateStarts() []string {
	return append(described(metrics.Table(), func(m *catalogue.Metric) (string, bool) {
		if m.Better == catalogue.HigherIsBetter {
			return "<", hasNumbers(m)
		}
		return ">", hasNumbers(m)
	}), gate.Counts()...)
}

// hasNumbers reports whether directions or subflows have a metric.
func hasNumbers(m *catalogue.Metric) bool {
	return slices.ContainsFunc(m.Levels, func(l catalogue.Level) bool {
		return l == catalogue.OfConnectionDir || l == catalogue.OfSubflowDir || l == catalogue.OfSubflow
	})
}

// check reads the gates. It refuses those on figures that are not computed.
func (o *gates) check(f *families, direction report.Direction) (err error) {
	o.parsed = nil
	for _, text := range o.texts {
		g, e := gate.Parse(text)
		switch {
		case e != nil && slices.Contains(kinds(), strings.TrimSpace(text)):
			e = fmt.Errorf("--fail-on %s: that is a verdict; mpanalyze why --fail-on %s fails on it", text, text)
		case e != nil:
			e = fmt.Errorf("--fail-on %w", e)
		case direction != "" && g.Of.Direction != "" && g.Of.Direction != direction:
			e = fmt.Errorf("--fail-on %q: --direction %s leaves %s out", text, direction, g.Of.Direction)
		default:
			e = f.refuse("--fail-on "+text, g.Of.Metric.Name, g.Of.Metric.Family)
			o.parsed = append(o.parsed, g)
		}
		err = errors.Join(err, e)
	}
	return err
}

// judge returns an error with its own exit status if a figure is beyond a limit, or cannot be judged.
func (o *gates) judge(a *app, s report.Source) error {
	if len(o.parsed) == 0 {
		return nil
	}
	list, judged, err := gate.Judge(s, o.parsed)
	switch {
	case err != nil:
		return err
	case judged == 0:
		return &statusError{ExitFailed, "--fail-on: no connection with Multipath TCP carried data; look at the capture, --filter and --connection"}
	}
	return a.judged("", list...)
}

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/checks"
	"mpanalyze/internal/output"
	"mpanalyze/internal/plaintext"
)

// ciForms are the flags that write the results of checks in the forms of continuous integration.
type ciForms struct {
	junit, summary string
	annotations    bool
}

func (o *ciForms) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.junit, "junit", "", "write the results of the checks as JUnit XML to `FILE`")
	f.StringVar(&o.summary, "step-summary", "", "append the results of the checks as Markdown to `FILE`, as in \"$GITHUB_STEP_SUMMARY\"")
	writes(c, "junit", "step-summary")
	f.BoolVar(&o.annotations, "annotations", false, "print what failed as annotations of GitHub Actions, too, on standard error")
}

// check refuses the forms where there is nothing to check.
func (o *ciForms) check(checked bool) error {
	given := o.junit != "" || o.summary != "" || o.annotations
	return refuse(given && !checked, "--junit, --step-summary and --annotations need --fail-on: without it nothing is checked")
}

// write writes the forms.
func (o *ciForms) write(a *app, s *checks.Suite) error {
	s.File = plaintext.Clean(s.File)
	for i := range s.Checks {
		for k := range s.Checks[i].Lines {
			line := &s.Checks[i].Lines[k]
			line.Text = plaintext.Clean(line.Text)
		}
	}
	var err error
	if o.junit != "" {
		err = output.Write(o.junit, s.WriteJUnit)
	}
	if o.summary != "" {
		err = errors.Join(err, appendTo(o.summary, s.WriteMarkdown))
	}
	if o.annotations {
		err = errors.Join(err, s.WriteAnnotations(a.Err))
	}
	return err
}

// appendTo appends a text to a file, which other steps may have begun.
func appendTo(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		err = errors.Join(write(f), f.Close())
	}
	if err != nil {
		return fmt.Errorf("--step-summary: %w", err)
	}
	return nil
}

// statusOf returns the exit status that checks stand for, and its message: what failed, then what
// cannot be told. head begins the lines of a check.
func statusOf(s *checks.Suite, head func(*checks.Check) string) (ExitCode, string) {
	said := map[checks.Status][]string{}
	for i := range s.Checks {
		c := &s.Checks[i]
		for _, l := range c.Lines {
			said[l.Status] = append(said[l.Status], head(c)+l.Text)
		}
	}
	switch failed, unknown := said[checks.Failed], said[checks.Unknown]; {
	case len(failed) > 0:
		return ExitWorse, strings.Join(append(failed, unknown...), "\n")
	case len(unknown) > 0:
		return ExitCannotTell, strings.Join(unknown, "\n")
	}
	return ExitOK, ""
}

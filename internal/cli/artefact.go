package cli

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/output"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/storage"
)

// The files of an artefact, besides the tables as Parquet.
const (
	artefactHashes  = "captures.sha256"
	artefactOptions = "options.json"
	artefactScript  = "make-again.sh"
)

// artefactFigures are the kinds of figures in an artefact. Those behind the first need captures.
var artefactFigures = []string{"box", "cdf", "grid"}

//go:embed artefact.sh
var artefactText string

// artefact is what a comparison leaves for reviewers: captures by their hashes, options,
// tables, figures, values, and a script that makes all of it again.
type artefact struct {
	app     *app
	c       *cobra.Command
	args    []string // of the command, without flags
	inputs  []campaign.Input
	options *engine.Options
	study   *study
	status  ExitCode
	files   []string // written so far
}

// artefactTexts are the texts of a comparison that an artefact has.
var artefactTexts = []string{tableText, tableCSV, tableMarkdown, tableLaTeX, comparePage, compareJSON, valuesCSV}

// artefactNames are all files that an artefact may have.
func artefactNames() []string {
	names := slices.Concat([]string{artefactHashes, artefactOptions, artefactScript, "table.parquet", "values.parquet"}, artefactTexts)
	for _, kind := range artefactFigures {
		names = append(names, kind+".svg")
	}
	return names
}

// write writes the directory.
func (x *artefact) write() error {
	hashes, err := x.hashes()
	if err != nil {
		return err
	}
	return output.WriteDir(x.study.artefact, func(dir *output.Dir) error { return x.fill(dir, hashes) })
}

func (x *artefact) fill(dir *output.Dir, hashes string) error {
	s := *x.study
	s.columns = 0 // the text does not depend on the terminal
	texts := s.texts("table")
	texts[artefactHashes] = func(w io.Writer) error { _, err := io.WriteString(w, hashes); return err }
	texts[artefactOptions] = x.said
	for _, name := range slices.Concat([]string{artefactHashes, artefactOptions}, artefactTexts) {
		if err := dir.Write(name, texts[name]); err != nil {
			return err
		}
		x.files = append(x.files, name)
	}
	if err := s.parquetTables(dir); err != nil {
		return err
	}
	x.files = append(x.files, "table.parquet", "values.parquet")
	if err := x.figures(dir); err != nil {
		return err
	}
	x.files = append(x.files, artefactScript)
	if err := dir.Write(artefactScript, x.script); err != nil {
		return err
	}
	path, err := dir.Path(artefactScript)
	if err == nil {
		_ = os.Chmod(path, 0o755) // "sh make-again.sh" does without
		err = x.study.opened.Unchanged()
	}
	return err
}

// hashed returns the files that the command reads, each once.
func (o *compareOptions) hashed(inputs []campaign.Input) (names []string) {
	for i := range inputs {
		for _, name := range inputs[i].AllFiles() {
			names = campaign.Once(names, name)
		}
	}
	if o.manifest != "" {
		names = campaign.Once(names, o.manifest)
	}
	return names
}

// checkHashed refuses files that an artefact cannot have a hash of, before the runs are analysed.
func (o *compareOptions) checkHashed(inputs []campaign.Input) (err error) {
	if o.artefact == "" {
		return nil
	}
	for _, name := range o.hashed(inputs) {
		info, missing := os.Stat(name)
		switch {
		case storage.Is(name) || strings.ContainsAny(name, "\n\r\\") && filepath.Separator == '/':
			missing = fmt.Errorf("--artefact: %s: want captures that are files, with names without backslashes and line ends, so that sha256sum can check them", plaintext.Clean(name))
		case missing != nil:
			missing = fmt.Errorf("--artefact has a hash of each capture, and one cannot be read: %s; leave that run out, or name its file", withoutOperation(missing))
		case !info.Mode().IsRegular():
			missing = fmt.Errorf("--artefact: %s is no regular file, so it cannot be read again", name)
		}
		err = errors.Join(err, missing)
	}
	return err
}

// hashes returns the SHA-256 of each file that the command reads, as sha256sum -c takes it.
func (x *artefact) hashes() (text string, err error) {
	for _, name := range x.study.hashed(x.inputs) {
		hash, err := engine.HashFile(x.c.Context(), &x.study.opened, name)
		if err != nil {
			return "", err
		}
		text += hash + "  " + filepath.ToSlash(name) + "\n"
	}
	return text, nil
}

// said writes what made the artefact.
func (x *artefact) said(w io.Writer) error {
	return report.WriteIndented(w, struct {
		MadeBy  *report.MadeBy `json:"made_by"`
		Command []string       `json:"command"`
	}{x.options.MadeBy(), append([]string{"mpanalyze", "compare"}, x.arguments()...)}, "", "  ")
}

// notAgain are flags besides those of outputs that change nothing of what is in the artefact.
var notAgain = []string{"no-cache", "jobs", "github"}

// arguments returns the command line without outputs, in an order of its own.
func (x *artefact) arguments() []string {
	again := func(f *pflag.Flag) bool { return !isOutput(f) && !slices.Contains(notAgain, f.Name) }
	return append(flagsGiven(x.c, again), x.args...)
}

// flagsGiven returns those flags of the command line that keep wants, by name.
func flagsGiven(c *cobra.Command, keep func(*pflag.Flag) bool) (words []string) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if !keep(f) {
			return
		}
		for _, v := range valuesOf(f) {
			words = append(words, flagName(f)+"="+v)
		}
	})
	return words
}

// notDrawn are flags of compare that plot has, too, and that its figures do not need: they have
// metrics of their own, and plot refuses a folder in which no run has records.
var notDrawn = []string{"metric", "evidence", "style", "output"}

// unlikeFigures are flags of compare that change figures, and that plot has not or means otherwise.
var unlikeFigures = []string{"from", "clock"}

// figures draws the runs of the scenarios. A kind that cannot be drawn is named and left out.
func (x *artefact) figures(dir *output.Dir) error {
	for _, flag := range unlikeFigures {
		if x.c.Flags().Changed(flag) {
			x.app.sayWarnings([]string{"the artefact has no figures: plot leaves --" + flag + " of compare out, so they would not be those of the tables"})
			return nil
		}
	}
	kinds := artefactFigures
	if slices.ContainsFunc(x.inputs, func(in campaign.Input) bool { return in.IsReport() }) {
		kinds = kinds[:1]
	}
	plot := newPlot(x.app)
	words := flagsGiven(x.c, func(f *pflag.Flag) bool {
		return !slices.Contains(notDrawn, f.Name) && plot.Flags().Lookup(f.Name) != nil
	})
	temp, err := os.MkdirTemp("", output.Prefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	for _, kind := range kinds {
		words = append(words, "--figure="+kind+"="+filepath.Join(temp, kind+".svg"))
	}
	said, failed := x.draw(append(words, x.scenarios()...))
	for _, kind := range kinds {
		figure, err := os.ReadFile(filepath.Join(temp, kind+".svg"))
		if err != nil {
			continue // it cannot be drawn, as said says
		}
		x.files = append(x.files, kind+".svg")
		if err := dir.Write(kind+".svg", func(w io.Writer) error { _, err := w.Write(figure); return err }); err != nil {
			return err
		}
	}
	inside := strings.NewReplacer(temp+string(filepath.Separator), "")
	fmt.Fprint(x.app.Err, inside.Replace(said))
	if failed != nil && exitCode(failed) == ExitFailed {
		x.app.sayWarnings([]string{"the artefact lacks figures: " + inside.Replace(failed.Error())})
	}
	return x.c.Context().Err()
}

// draw runs plot and returns its messages.
func (x *artefact) draw(words []string) (said string, err error) {
	var messages bytes.Buffer
	a := *x.app
	a.Err = &messages
	plot := newPlot(&a)
	plot.SetArgs(words)
	plot.SilenceErrors, plot.SilenceUsage = true, true
	plot.SetOut(io.Discard)
	plot.SetErr(io.Discard)
	err = plot.ExecuteContext(x.c.Context())
	return messages.String(), err
}

// scenarios returns the scenarios of the command line as plot takes them: a word for each run.
func (x *artefact) scenarios() (words []string) {
	for _, arg := range x.args {
		name, files, _ := strings.Cut(arg, "=")
		for f := range strings.SplitSeq(files, ",") {
			words = append(words, name+"="+f)
		}
	}
	return words
}

// script writes the script.
func (x *artefact) script(w io.Writer) error {
	shell := func(words ...string) string { return strings.Join(quoted(words), " ") }
	_, err := strings.NewReplacer(
		"@VERSION@", shell(x.app.programVersion()), "@FIRST@", shell(filepath.ToSlash(x.study.hashed(x.inputs)[0])), "@ARGUMENTS@", shell(x.arguments()...),
		"@STATUS@", strconv.Itoa(int(x.status)), "@FILES@", shell(x.files...),
	).WriteString(w, artefactText)
	return err
}

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mpanalyze/internal/plot"
)

// drawing is one figure that the command line asks for.
type drawing struct {
	kind    plot.Kind
	metrics []string
	output  string
	format  string
}

// readDrawings reads which figures the flags ask for. Its error says everything that is wrong
// with them.
func (o *plotOptions) readDrawings(a *app) (err error) {
	if len(o.figures) == 0 {
		return errors.Join(outputMissing(o.output, "figure.svg"), o.addDrawing(a, "-o", o.kind, o.metrics, o.output))
	}
	for _, text := range o.figures {
		kind, file, ok := strings.Cut(text, "=")
		kind, list, some := strings.Cut(kind, ":")
		if !ok || file == "" || some && list == "" {
			err = errors.Join(err, fmt.Errorf("--figure %s: want KIND=FILE or KIND:METRIC,METRIC=FILE, as in grid:srtt,path_delay=delays.pdf", text))
			continue
		}
		var names []string
		if some {
			names = strings.Split(list, ",")
		}
		err = errors.Join(err, o.addDrawing(a, "--figure", kind, names, file))
	}
	return err
}

// addDrawing adds a figure. flag is the flag that names the file, for messages.
func (o *plotOptions) addDrawing(a *app, flag, name string, metrics []string, file string) error {
	kind, err := plot.KindNamed(name)
	for i, m := range metrics {
		metrics[i] = ownName(m)
	}
	if err == nil {
		err = kind.Check(metrics)
	}
	format := o.format
	if format == "" {
		format = strings.ToLower(strings.TrimPrefix(filepath.Ext(file), "."))
	}
	switch {
	case file == "": // readDrawings reports this
	case !slices.Contains(plot.Formats(), format):
		err = errors.Join(err, fmt.Errorf("%s %s: want a name that ends in .svg, .png or .pdf, or --format", flag, file))
	case file == "-" && a.OutTTY:
		err = errors.Join(err, errors.New("a terminal cannot show a figure; redirect it to a file or a pipe"))
	}
	onePlace := !o.both.given() && o.pattern == "" && o.manifest == ""
	what := "--kind " + name
	if !kind.Pair(nil) {
		what += " with --metric " + strings.Join(metrics, ",")
	}
	err = errors.Join(err, refuse(err == nil && kind.Pair(metrics) && onePlace, "%s needs captures of both hosts: --sender FILE --receiver FILE", what))
	if err == nil && o.latex {
		err = o.checkLaTeX(file, format)
	}
	kind.Options = o.look
	o.drawings = append(o.drawings, &drawing{kind, metrics, file, format})
	return err
}

// besideFigure returns the name of the file for LaTeX beside a figure.
func besideFigure(file string) string { return strings.TrimSuffix(file, filepath.Ext(file)) + ".tex" }

// checkLaTeX refuses figures that LaTeX cannot include, and a file for LaTeX that would replace one of the user's own texts.
func (o *plotOptions) checkLaTeX(file, format string) error {
	text, err := os.ReadFile(besideFigure(file))
	return errors.Join(
		refuse(format == "svg" || !strings.EqualFold(filepath.Ext(file), "."+format), "--latex with %s: LaTeX includes files of PDF and PNG; want a name that ends in .pdf or .png", file),
		refuse(strings.ContainsAny(filepath.Base(file), `\{}$&#%^~"`), "--latex with %s: LaTeX cannot include a file whose name has one of \\ { } $ & # %% ^ ~ \"", file),
		refuse(err == nil && !bytes.HasPrefix(text, []byte(plot.LaTeXMark)), "--latex: %s is not a file of plot --latex, and would be lost; choose another name for the figure", besideFigure(file)),
		refuse(slices.ContainsFunc(o.drawings, func(d *drawing) bool { return besideFigure(d.output) == besideFigure(file) }), "--latex: %s would belong to two figures", besideFigure(file)))
}

// draws reports whether one of the figures is of one of these kinds.
func (o *plotOptions) draws(kinds ...string) bool {
	return slices.ContainsFunc(o.drawings, func(d *drawing) bool { return slices.Contains(kinds, d.kind.Name) })
}

package differential

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Plot is an xplot file. Coordinates are kept as text, because a time needs more digits
// than a float64 has; [Object.Values] converts them.
type Plot struct {
	X, Y           string // types of the axes
	Title          string
	XLabel, YLabel string
	Objects        []Object
}

// Object is one object that is drawn.
type Object struct {
	Kind   string   // xplot's word for it, such as line, dot, atext
	At     []string // x and y of its one or two points
	Colour string   // its own colour, or the colour that was set last; "" for the default
	Text   string   // text of the kinds that end in "text"
}

// Values returns the coordinates as numbers. The error names a coordinate that is no
// number.
func (o *Object) Values() ([]float64, error) {
	out := make([]float64, len(o.At))
	for i, v := range o.At {
		var err error
		if out[i], err = strconv.ParseFloat(v, 64); err != nil {
			return nil, fmt.Errorf("%s: coordinate %q is no number", o.Kind, v)
		}
	}
	return out, nil
}

// axisTypes are the types of an axis in xplot.
var axisTypes = []string{"timeval", "dtime", "double", "signed", "unsigned"}

// colours are the names of colours in xplot; it also accepts numbers.
var colours = []string{"white", "green", "red", "blue", "yellow", "purple", "orange", "magenta", "pink", "window"}

// points has the number of points of each kind of object.
var points = map[string]int{
	"dot": 1, "x": 1, "plus": 1, "box": 1, "diamond": 1, "invisible": 1, "line": 2, "dline": 2,
	"uarrow": 1, "darrow": 1, "larrow": 1, "rarrow": 1,
	"utick": 1, "dtick": 1, "ltick": 1, "rtick": 1, "htick": 1, "vtick": 1,
	"atext": 1, "btext": 1, "ltext": 1, "rtext": 1, "ctext": 1, "text": 1,
}

// parseXplot reads an xplot file as tcptrace, mptcptrace and mptcpplot write it, up to the line
// "go". It checks xplot's grammar: two axis types first, then titles, objects and colours
// in any order. Errors name the line.
func parseXplot(r io.Reader) (*Plot, error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	p := parser{in: in, plot: &Plot{}}
	for p.next() {
		if done, err := p.take(); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.line, err)
		} else if done {
			break
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", p.line+1, err)
	}
	if p.plot.X == "" {
		return nil, errors.New("no axis types; want a line like \"timeval double\" first")
	}
	return p.plot, nil
}

// parser is the state between lines.
type parser struct {
	in     *bufio.Scanner
	line   int
	words  []string
	colour string
	plot   *Plot
}

// next reads the next line.
func (p *parser) next() bool {
	if !p.in.Scan() {
		return false
	}
	p.line++
	p.words = strings.Fields(p.in.Text())
	return true
}

// below returns the line behind the current one, which is the text of a word such as title.
func (p *parser) below() (string, error) {
	word := p.words[0]
	if !p.next() {
		return "", fmt.Errorf("%s: the file ends where its text should stand", word)
	}
	return p.in.Text(), nil
}

// take interprets the line that was read; done means that it ends the plot.
func (p *parser) take() (done bool, err error) {
	if len(p.words) == 0 {
		return false, nil
	}
	word := p.words[0]
	switch {
	case p.plot.X == "":
		return false, p.axes()
	case word == "go":
		return true, nil
	case word == "title":
		p.plot.Title, err = p.below()
	case word == "xlabel":
		p.plot.XLabel, err = p.below()
	case word == "ylabel":
		p.plot.YLabel, err = p.below()
	case len(p.words) == 1 && isColour(word):
		p.colour = word
	default:
		err = p.object()
	}
	return false, err
}

// axes interprets the line with the types of the axes.
func (p *parser) axes() error {
	if len(p.words) != 2 || !slices.Contains(axisTypes, p.words[0]) || !slices.Contains(axisTypes, p.words[1]) {
		return fmt.Errorf("%q: want the types of two axes, of %s", p.in.Text(), strings.Join(axisTypes, ", "))
	}
	p.plot.X, p.plot.Y = p.words[0], p.words[1]
	return nil
}

// isColour reports whether a word names a colour.
func isColour(word string) bool {
	_, err := strconv.ParseUint(word, 10, 8)
	return err == nil || slices.Contains(colours, word)
}

// object interprets an object with its colour and text.
func (p *parser) object() error {
	kind := p.words[0]
	n, ok := points[kind]
	if !ok {
		return fmt.Errorf("%q is neither an object nor a colour", kind)
	}
	o := Object{Kind: kind, Colour: p.colour}
	rest := p.words[1:]
	switch {
	case len(rest) == 2*n:
	case len(rest) == 2*n+1 && isColour(rest[2*n]):
		o.Colour = rest[2*n]
	default:
		return fmt.Errorf("%s: want %d coordinates and perhaps a colour, got %q", kind, 2*n, strings.Join(rest, " "))
	}
	o.At = slices.Clone(rest[:2*n])
	if _, err := o.Values(); err != nil {
		return err
	}
	if strings.HasSuffix(kind, "text") {
		var err error
		if o.Text, err = p.below(); err != nil {
			return err
		}
	}
	p.plot.Objects = append(p.plot.Objects, o)
	return nil
}

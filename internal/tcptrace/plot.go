package tcptrace

import (
	"strconv"

	"mpanalyze/internal/decimal"
	"mpanalyze/internal/packet"
)

// plot is an xplot file. Points are a time in us and a number.
type plot struct {
	file
}

// The colours that tcptrace gives to what it draws.
const (
	white   = "white"  // data
	red     = "red"    // retransmission
	pink    = "pink"   // out of order
	blue    = "blue"   // hardware duplicate
	orange  = "orange" // SYN, FIN, window probe
	green   = "green"  // cumulative acknowledgment
	yellow  = "yellow" // window; ECN
	purple  = "purple" // SACK
	magenta = "magenta"
)

// newPlot begins a file; types are the types of the axes.
func newPlot(dir *folder, name, types, title, x, y string) *plot {
	p := &plot{file: file{folder: dir, name: name}}
	for _, line := range []string{types, "title", title, "xlabel", x, "ylabel", y} {
		p.line(line)
	}
	return p
}

func (p *plot) line(text string) {
	p.buf = append(append(p.buf, text...), '\n')
	p.spill()
}

// colour sets the colour of what follows.
func (p *plot) colour(name string) { p.line(name) }

// object draws something at one or two points. colour is for this object alone; "" stands for
// the current colour.
func (p *plot) object(kind string, colour string, coordinates ...int64) {
	p.buf = append(p.buf, kind...)
	for i, v := range coordinates {
		p.buf = append(p.buf, ' ')
		if i%2 == 0 {
			p.buf = appendTime(p.buf, unix(v))
		} else {
			p.buf = strconv.AppendInt(p.buf, v, 10)
		}
	}
	if colour != "" {
		p.buf = append(append(p.buf, ' '), colour...)
	}
	p.buf = append(p.buf, '\n')
	p.spill()
}

// text writes words at a point; kind says on which side.
func (p *plot) text(kind, colour string, at, y int64, words string) {
	p.object(kind, colour, at, y)
	p.line(words)
}

// close ends the file.
func (p *plot) close() {
	p.line("go")
	p.file.close()
}

// unix returns a time of the program in us, as us since the Unix epoch.
func unix(us int64) int64 { return us - packet.Origin/1000 }

// appendTime appends us as seconds with six decimals.
func appendTime(b []byte, us int64) []byte { return decimal.AppendFixed(b, us, 1e6) }

// curve is a line with dots at its points. Its label stands in the middle of the first
// step to a value other than 0.
type curve struct {
	label, colour string
	at, y         int64 // the latest point
	begun, named  bool
}

func (c *curve) extend(p *plot, at, y int64) {
	if !c.named && c.begun && y != 0 {
		c.named = true
		p.text("ltext", c.colour, midTime(c.at, at), (1+c.y+y)/2, c.label)
	}
	p.colour(c.colour)
	p.object("dot", "", at, y)
	if c.begun {
		p.object("line", "", at, y, c.at, c.y)
	}
	c.at, c.y, c.begun = at, y, true
}

// midTime returns the middle of two times as tcptrace does: it halves seconds and microseconds
// separately, so that half a second may be lost.
func midTime(from, to int64) int64 {
	d := elapsed(from, to)
	return from + d/1e6/2*1e6 + d%1e6/2
}

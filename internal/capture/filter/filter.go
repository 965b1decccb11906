package filter

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"mpanalyze/internal/capture"
)

// program decides about packets of one link type.
type program interface {
	match(raw *capture.Raw) bool
}

// Filter decides which packets to keep. It is for one goroutine.
type Filter struct {
	expr     string
	compile  func(link capture.LinkType, expr string) (program, error)
	programs map[capture.LinkType]program // one entry for each link type that came; nil if expr cannot be compiled for it
	link     capture.LinkType             // the link type of the latest packet
	current  program                      // its program
	met      bool                         // link and current are set
	errs     []error                      // one for each nil program
}

// Compile prepares a filter. The empty expression keeps every packet. An error
// says what is wrong with the expression, or that nothing here can compile
// it. An expression may be valid for some link types only ("ether host ..."
// on raw IP is not): see [Filter.Err].
func Compile(expr string) (*Filter, error) {
	expr = strings.TrimSpace(expr)
	f := &Filter{expr: expr, programs: make(map[capture.LinkType]program)}
	switch {
	case expr == "":
		f.compile = func(capture.LinkType, string) (program, error) { return constant(true), nil }
	case isNumeric(expr):
		p, err := parseNumeric(expr)
		if err != nil {
			return nil, err
		}
		f.compile = p.forLink
	default:
		err := check(expr)
		switch {
		case errors.Is(err, exec.ErrNotFound):
			return nil, fmt.Errorf("--filter %q: this program has no libpcap and finds no tcpdump, and one of them must compile the expression; "+
				"install tcpdump, or give what it prints on another machine: tcpdump -ddd %s", expr, quote(expr))
		case err != nil:
			return nil, fmt.Errorf("--filter %q: %w; the language is that of tcpdump (man pcap-filter), as in 'tcp port 5001'", expr, err)
		}
		f.compile = compile
	}
	return f, nil
}

// check reports an error if expr is valid for none of the usual link types,
// which together know every keyword: "ifname" needs a cooked capture, "ether"
// an Ethernet one.
func check(expr string) error {
	var first error
	for _, link := range []capture.LinkType{capture.LinkEthernet, capture.LinkSLL2, capture.LinkSLL} {
		_, err := compile(link, expr)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// Match reports whether to keep the packet. A packet of a link type for which
// the expression cannot be compiled is not kept, and [Filter.Err] says so.
func (f *Filter) Match(raw *capture.Raw) bool {
	if !f.met || raw.Link != f.link {
		f.choose(raw.Link)
	}
	return f.current != nil && f.current.match(raw)
}

// choose makes the program for the link type the current one.
func (f *Filter) choose(link capture.LinkType) {
	p, known := f.programs[link]
	if !known {
		var err error
		p, err = f.compile(link, f.expr)
		switch {
		case errors.Is(err, errRejectsAll):
			p = constant(false)
		case err != nil:
			p = nil
			f.errs = append(f.errs, fmt.Errorf("--filter %q: packets of link type %v are left out: %w", f.expr, link, err))
		}
		f.programs[link] = p
	}
	f.link, f.current, f.met = link, p, true
}

// Err returns the joined errors of all link types for which the expression could not be
// compiled, or nil if there are none.
func (f *Filter) Err() error { return errors.Join(f.errs...) }

// errRejectsAll says that no packet of a link type can match, such as "ip6" on raw IPv4. For one
// link type this is a valid result. It is an error only if no link type can match.
var errRejectsAll = errors.New("no packet can match it")

// constant is the empty expression, which keeps every packet, or one that rejects all packets of a link type.
type constant bool

func (c constant) match(*capture.Raw) bool { return bool(c) }

// quote puts expr in quotes for a shell.
func quote(expr string) string { return "'" + strings.ReplaceAll(expr, "'", `'\''`) + "'" }

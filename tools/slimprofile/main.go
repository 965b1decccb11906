// Command slimprofile copies a CPU profile from standard input to standard output. It leaves out
// what the compiler does not read: the machine's files and addresses, and samples without code
// of this module.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

func main() {
	p, err := profile.Parse(os.Stdin)
	if err == nil {
		slim(p)
		err = p.Write(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "slimprofile:", err)
		os.Exit(1)
	}
}

// slim removes everything from p that the compiler does not read.
func slim(p *profile.Profile) {
	p.Sample = slices.DeleteFunc(p.Sample, func(s *profile.Sample) bool { return !slices.ContainsFunc(s.Location, ours) })
	p.Mapping, p.Comments, p.TimeNanos = nil, nil, 0
	for _, l := range p.Location {
		l.Mapping, l.Address = nil, 0
	}
	for _, s := range p.Sample {
		s.Label, s.NumLabel, s.NumUnit = nil, nil, nil
	}
	*p = *p.Compact()
}

// ours reports whether a function of this module is at this place.
func ours(l *profile.Location) bool {
	return slices.ContainsFunc(l.Line, func(l profile.Line) bool { return strings.HasPrefix(l.Function.Name, "mpanalyze/") })
}

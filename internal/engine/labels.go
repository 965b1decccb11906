package engine

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"mpanalyze/internal/report"
)

// maxAddressesNamed is how many addresses a message names.
const maxAddressesNamed = 16

// unusedLabels adds a warning to a report if labels fit no address in it. It does nothing if the
// report does not have all connections or paths, because labels may fit the others.
func (o *Options) unusedLabels(s report.Source) error {
	if o.Several || o.live != nil || o.Connection != AllConnections || o.Detail == report.Lines {
		return nil
	}
	text, err := UnusedLabels(o.Labels, s)
	if text != "" {
		doc := s.Head()
		doc.Warnings = append(doc.Warnings, warning(report.WarnUnused, text, 0, 1))
	}
	return err
}

// UnusedLabels returns a sentence that names the labels that fit no address in any of the reports, and the
// addresses in the reports; "" if all labels fit. Such a path was not used, or the address is wrong.
func UnusedLabels(labels []Label, reports ...report.Source) (string, error) {
	k := labelCheck{unfit: slices.Clone(labels), seen: map[string]bool{}}
	for _, s := range reports {
		if err := k.report(s); err != nil {
			return "", err
		}
	}
	if len(k.unfit) == 0 {
		return "", nil
	}
	var names []string
	for _, l := range k.unfit {
		names = append(names, l.String())
	}
	return fmt.Sprintf("not used: %s: no path begins or ends there; addresses are: %s", strings.Join(names, ", "), someOf(k.seen)), nil
}

// labelCheck holds the labels that have not fitted an address yet, and the addresses so
// far.
type labelCheck struct {
	unfit []Label
	seen  map[string]bool
}

// report looks at the ends of all paths in a report, until every label has fitted.
func (k *labelCheck) report(s report.Source) error {
	for i := 0; i < s.NumConnections() && len(k.unfit) > 0; i++ {
		c, err := s.ConnectionAt(i)
		if err != nil {
			return err
		}
		for j := range c.Subflows {
			f := &c.Subflows[j]
			k.ends(&f.A, &f.B, f.ReceiverA, f.ReceiverB)
		}
	}
	for i := 0; i < s.NumTCP() && len(k.unfit) > 0; i++ {
		c, err := s.TCPAt(i)
		if err != nil {
			return err
		}
		k.ends(&c.A, &c.B)
	}
	return nil
}

func (k *labelCheck) ends(ends ...*report.Endpoint) {
	for _, e := range ends {
		if e == nil || k.seen[e.Addr] {
			continue
		}
		k.seen[e.Addr] = true
		if addr, err := netip.ParseAddr(e.Addr); err == nil {
			k.unfit = slices.DeleteFunc(k.unfit, func(l Label) bool { return l.Prefix.Contains(addr) })
		}
	}
}

// someOf lists names, sorted, up to a bound.
func someOf(set map[string]bool) string {
	if len(set) == 0 {
		return "none"
	}
	names := slices.Sorted(maps.Keys(set))
	if n := len(names); n > maxAddressesNamed {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxAddressesNamed], ", "), n-maxAddressesNamed)
	}
	return strings.Join(names, ", ")
}

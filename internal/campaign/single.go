package campaign

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"mpanalyze/internal/report"
)

// ExtractSingle is [Extract] for a run of one path alone, over Multipath TCP or plain TCP: it
// takes the connection with the most data bytes. It fails if the data was carried by several
// paths. The goodput of plain TCP is its throughput without the bytes of copies.
func ExtractSingle(doc *report.Document, connection int) (*Run, error) {
	tcp := largestTCP(doc)
	c, err := chooseConnection(doc, connection)
	switch {
	case err == nil && (tcp == nil || c.A2B.Volume()+c.B2A.Volume() >= tcp.A2B.Volume()+tcp.B2A.Volume() || connection != AnyConnection):
		r, err := Extract(doc, c.ID)
		if err == nil && len(r.Paths) > 1 {
			err = fmt.Errorf("is no run of one path alone: its data went over %s", strings.Join(r.Paths, ", "))
		}
		return r, err
	case connection != AnyConnection:
		return nil, err
	case tcp == nil || tcp.A2B.Volume()+tcp.B2A.Volume() == 0:
		return nil, errors.New("has no connection with data")
	}
	r := extractTCP(tcp, len(doc.TCP)+len(doc.Connections))
	r.noteMaking(doc)
	return r, nil
}

// largestTCP returns the plain TCP connection with the most data; nil for none.
func largestTCP(doc *report.Document) (best *report.TCP) {
	for i := range doc.TCP {
		c := &doc.TCP[i]
		if best == nil || c.A2B.Volume()+c.B2A.Volume() > best.A2B.Volume()+best.B2A.Volume() {
			best = c
		}
	}
	return best
}

// extractTCP takes the figures of a plain TCP connection, under the names that they have for a
// connection of Multipath TCP.
func extractTCP(c *report.TCP, connections int) *Run {
	r := &Run{Connection: c.ID, Connections: connections, Vantage: c.Vantage, Bulk: report.A2B, Paths: []string{c.Path}, AllPaths: []string{c.Path}}
	if c.B2A.Volume() > c.A2B.Volume() {
		r.Bulk = report.B2A
	}
	for _, e := range []*report.Endpoint{&c.A, &c.B} {
		r.Addresses = append(r.Addresses, e.Addr)
	}
	for _, d := range report.Directions {
		of := c.Dir(d)
		if of == nil {
			continue
		}
		r.addAll(string(d), subPlan(), reflect.ValueOf(of).Elem())
		sent, unique := of.Bytes, of.BytesUnique
		if of.Throughput != nil && sent != nil && unique != nil && *sent > 0 {
			r.add(goodputOf(d), of.Throughput.Avg*float64(*unique)/float64(*sent))
		}
	}
	r.sort()
	return r
}

// goodputOf names the figure that is used for aggregation.
func goodputOf(d report.Direction) string { return string(d) + ".goodput_mbps.avg" }

// singlesAreApart returns an error if a path is named twice, or if the runs of one path show
// another path.
func (s *Set) singlesAreApart() error {
	for _, sc := range s.Single {
		for _, m := range sc.Runs {
			for _, p := range m.Paths {
				if p != sc.Name && slices.ContainsFunc(s.Single, func(o *Scenario) bool { return o.Name == p }) {
					return fmt.Errorf("--single %s: run %s went over %s", sc.Name, m.Name, p)
				}
			}
		}
	}
	return nil
}

package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Packed are the names of a run's figures as places in the catalogue of all names. Names take
// four fifths of a result, and are the same in most runs.
type Packed struct {
	Catalogue string `json:"catalogue"` // version of the catalogue, see [Pack]
	// A direction, or a direction and the label of a path, and places in the catalogue, from 0:
	// "b2a.LTE 0-12,15". In the order of the names.
	Names []string `json:"names"`
}

// catalogueNames are all names that figures have behind direction and path, in order. version is a
// hash of them.
type catalogueNames struct {
	names   []string
	place   map[string]int
	version string
}

var allNames = sync.OnceValue(func() *catalogueNames {
	c := &catalogueNames{names: slices.Sorted(maps.Keys(fieldNames())), place: map[string]int{}}
	for i, n := range c.names {
		c.place[n] = i
	}
	hash := sha256.Sum256([]byte(strings.Join(c.names, "\n")))
	c.version = hex.EncodeToString(hash[:6])
	return c
})

// Pack packs the sorted names of a run's figures. A name that is not in the catalogue has no places.
func Pack(names []string) *Packed {
	c := allNames()
	p := &Packed{Catalogue: c.version, Names: []string{}}
	var of string
	first, last := -1, -1 // places of a span that is not written yet; first is -1 for none
	var spans []string
	write := func() {
		if first < 0 {
			return
		}
		text := strconv.Itoa(first)
		if last > first {
			text += "-" + strconv.Itoa(last)
		}
		spans, first = append(spans, text), -1
	}
	end := func() {
		if write(); len(spans) > 0 {
			p.Names, spans = append(p.Names, of+" "+strings.Join(spans, ",")), nil
		}
	}
	for _, name := range names {
		direction, path, metric := splitFigure(name)
		at, found := c.place[metric]
		if !found {
			end()
			p.Names = append(p.Names, name+" ")
			continue
		}
		if path != "" {
			direction += "." + path
		}
		if direction != of {
			end()
			of = direction
		}
		if first < 0 || at != last+1 {
			write()
			first = at
		}
		last = at
	}
	end()
	return p
}

// Unpack returns the names, of which there have to be n.
func (p *Packed) Unpack(n int) ([]string, error) {
	c := allNames()
	if p.Catalogue != c.version {
		return nil, errors.New("was made by a version of mpanalyze with other figures; run mpanalyze task with this version")
	}
	names := make([]string, 0, min(n, len(c.names)*len(p.Names)))
	for _, entry := range p.Names {
		at := strings.LastIndexByte(entry, ' ')
		if at < 0 {
			return nil, fmt.Errorf("names figures by %q, which is no list of places", entry)
		}
		of, spans := entry[:at], entry[at+1:]
		if spans == "" {
			names = append(names, of)
			continue
		}
		for span := range strings.SplitSeq(spans, ",") {
			from, to, several := strings.Cut(span, "-")
			first, err := strconv.Atoi(from)
			last := first
			if several && err == nil {
				last, err = strconv.Atoi(to)
			}
			if err != nil || first < 0 || last < first || last >= len(c.names) || len(names)+last-first >= n {
				return nil, fmt.Errorf("names figures by %q, of which there are %d, and %d values", span, len(c.names), n)
			}
			for _, name := range c.names[first : last+1] {
				names = append(names, of+"."+name)
			}
		}
	}
	if len(names) != n {
		return nil, fmt.Errorf("has %d names for %d figures", len(names), n)
	}
	return names, nil
}

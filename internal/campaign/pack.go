package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Packed are the names of a run's figures as places in the catalogue of all names. Names take
// four fifths of a result, and are the same in most runs.
type Packed struct {
	Catalogue string        `json:"catalogue"` // version of the catalogue, see [Pack]
	Names     []packedNames `json:"names"`     // in the order of the names
}

// packedNames are names that follow each other and have one beginning.
type packedNames struct {
	Of string `json:"of"` // a direction, or a direction and the label of a path, as in "b2a.LTE"; without places a whole name
	At []int  `json:"at"` // places in the catalogue, each less the one before; the first from 0
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
	p := &Packed{Catalogue: c.version}
	last := 0 // place
	for _, name := range names {
		of, path, metric := splitFigure(name)
		if path != "" {
			of += "." + path
		}
		at, found := c.place[metric]
		if n := len(p.Names); !found {
			p.Names = append(p.Names, packedNames{Of: name})
			continue
		} else if n == 0 || p.Names[n-1].Of != of || at < last {
			p.Names, last = append(p.Names, packedNames{Of: of}), 0
		}
		group := &p.Names[len(p.Names)-1]
		group.At, last = append(group.At, at-last), at
	}
	return p
}

// Unpack returns the names, of which there have to be n.
func (p *Packed) Unpack(n int) ([]string, error) {
	c := allNames()
	if p.Catalogue != c.version {
		return nil, errors.New("was made by a version of mpanalyze with other figures; run mpanalyze task with this version")
	}
	var names []string
	for _, group := range p.Names {
		if len(group.At) == 0 {
			names = append(names, group.Of)
		}
		at := 0
		for _, gap := range group.At {
			if at += gap; at < 0 || at >= len(c.names) {
				return nil, fmt.Errorf("has a figure at place %d of %d", at, len(c.names))
			}
			names = append(names, group.Of+"."+c.names[at])
		}
	}
	if len(names) != n {
		return nil, fmt.Errorf("has %d names for %d figures", len(names), n)
	}
	return names, nil
}

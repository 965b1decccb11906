package cli

import (
	"errors"
	"slices"

	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

// stores collect the rows for several figures while a capture is read once: one for each figure.
type stores struct {
	report.NopRows
	list []*timeline.Store
}

// newStores returns stores for figures with these configurations.
func newStores(configs []timeline.Config) *stores {
	s := &stores{}
	for _, c := range configs {
		s.list = append(s.list, timeline.New(c))
	}
	return s
}

// Wants reports whether a series is gathered.
func (s *stores) Wants(metric string) bool {
	return slices.ContainsFunc(s.list, func(x *timeline.Store) bool { return x.Wants(metric) })
}

// each gives rows to all stores.
func (s *stores) each(give func(*timeline.Store) error) (err error) {
	for _, x := range s.list {
		err = errors.Join(err, give(x))
	}
	return err
}

// Series takes values of series ([report.RowSink]).
func (s *stores) Series(rows []report.SeriesRow) error {
	return s.each(func(x *timeline.Store) error { return x.Series(rows) })
}

// Chunks takes rows of chunks.
func (s *stores) Chunks(rows []report.ChunkRow) error {
	return s.each(func(x *timeline.Store) error { return x.Chunks(rows) })
}

// Packet takes a packet that was looked for in both captures ([report.PacketSink]).
func (s *stores) Packet(r *report.PacketRow) error {
	return s.each(func(x *timeline.Store) error { return x.Packet(r) })
}

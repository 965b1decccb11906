package engine

import (
	"context"
	"errors"
	"fmt"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/decode"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/build"
	"mpanalyze/internal/split"
)

// Record reads the captures of one host as [Analyze] does, and lets rec note which
// packets belong together. It returns the index of the whole. If a capture is damaged,
// the index comes with a [DamageError]. Record fails with an [InputError] if the parts
// together could not give the same report as the whole.
func Record(ctx context.Context, o Options, rec *split.Recorder) (*split.Index, error) {
	r, err := open(ctx, o)
	if err != nil {
		return nil, &InputError{err}
	}
	defer r.close()
	r.noter, r.batchLimit = rec, smallBatch
	ignoreSYN, ignoreOneSided := func(*conn.LoneSYN) {}, func(*conn.OneSided) {}
	table := conn.NewTable(conn.Options{MaxState: o.MaxState, MaxLate: o.maxLate, LoneSYN: ignoreSYN, OneSided: ignoreOneSided, Journal: rec}, rec)
	var last conn.Position
	stopped := r.readAll(ctx, func(b *batch) {
		last = checkOrder(rec, b.segs[:b.n], last)
		table.SegmentsInOrder(b.segs[:b.n])
		r.free <- b
	})
	r.decoder.Finish()
	if stopped != nil {
		return nil, stopped
	}
	table.Finish()
	r.refuseClock(rec)
	doc := r.document(table)
	for _, w := range doc.Warnings {
		if w.Code == "evicted_for_memory" {
			rec.Refuse("open connections take more memory than --max-memory allows; give more")
		}
	}
	if err := rec.Err(); err != nil {
		return nil, &InputError{fmt.Errorf("%s cannot be split: %w", o.Paths[0], err)}
	}
	return &split.Index{
		Version: o.Version, Filter: o.Filter, Decap: o.Decap, MaxMemory: o.MaxState, PayloadFrom: r.payloadFrom,
		Captures: doc.Captures, Warnings: doc.Warnings,
	}, r.outcome(nil)
}

// checkOrder refuses packets that could not be put in order, and returns the position
// of the last one. Each part is put in order separately. This gives the same result
// only if all packets are in order.
func checkOrder(rec *split.Recorder, segs []packet.Segment, last conn.Position) conn.Position {
	for i := range segs {
		at := conn.Position{Time: segs[i].Time, Num: segs[i].Num}
		if last.Num > 0 && !last.Before(at) || untimed(&segs[i]) {
			rec.Refuse("packet %d is out of order by more than 1 ms or 64 packets; reordercap puts a capture in order", at.Num)
		}
		last = at
	}
	return last
}

// untimed reports whether a segment has no time of its own, although it is not far behind its place:
// refuseClock refuses those.
func untimed(s *packet.Segment) bool {
	return s.Have&packet.Untimed != 0 && (s.Have&packet.ClockChanged == 0 || !s.Clock.OutOfOrder)
}

// refuseClock refuses captures whose clock was set, because the packets that prove this
// may be in any part.
func (r *reader) refuseClock(rec *split.Recorder) {
	if steps, n := r.clock.Steps(); n > 0 {
		rec.Refuse("the clock of the capture was set at packet %d, which concerns connections of all parts; cut the capture there", steps[0].Packet)
	}
	if r.copies.twoPlaces {
		rec.Refuse("packets were captured at two places with a path between them (packet %d), and the parts would not show it; give the capture of each place alone", r.copies.placesFrom)
	}
	if l := r.clock.Late(); l.Count > 0 {
		rec.Refuse("packet %d stands far behind its place in the file; reordercap puts a capture in order", l.Packet)
	}
}

// fragmentNoter gets the numbers of fragments.
type fragmentNoter interface {
	Fragment(num uint64)
	Reassembled(num uint64)
}

func (r *reader) noteFragment(num uint64, outcome decode.Outcome) {
	switch {
	case outcome == decode.Fragment:
		r.noter.Fragment(num)
	case outcome == decode.TCP && r.decoder.Reassembled(num):
		r.noter.Reassembled(num)
	}
}

// Merge analyses the parts of a split in a directory and makes the report that
// [AnalyzeStored] makes of the whole capture. The captures, the filter, and the options
// for memory and tunnels are those of the split. The report has all families of metrics
// and all connections, but no figures over several connections. It fails with an
// [InputError] if a part was changed. It uses results of [MergePart] if they come from
// the same program and options.
func Merge(ctx context.Context, dir string, o Options) (*report.Stored, error) {
	x, err := o.readIndex(dir)
	if err != nil {
		return nil, err
	}
	stored := report.NewStored(o.stored)
	met, err := o.merge(ctx, dir, x, stored)
	if err != nil {
		return nil, errors.Join(err, stored.Close())
	}
	return stored, met
}

// readIndex reads the index of a split, and sets the options for reading from it.
func (o *Options) readIndex(dir string) (*split.Index, error) {
	x, err := split.ReadIndex(dir)
	if err != nil {
		return nil, &InputError{err}
	}
	o.Filter, o.Decap, o.MaxState = x.Filter, x.Decap, x.MaxMemory
	return x, nil
}

// MergePart analyses one part of a split as [Merge] would, and writes the result next
// to the part. number counts from 1.
func MergePart(ctx context.Context, dir string, number int, o Options) error {
	x, err := o.readIndex(dir)
	if err != nil {
		return err
	}
	if number < 1 || number > len(x.Parts) {
		return &InputError{fmt.Errorf("there is no part %d in %s; its parts are 1 to %d", number, dir, len(x.Parts))}
	}
	part := &x.Parts[number-1]
	stored := report.NewStored(o.stored)
	builder, late := o.builder(stored), build.NewLatePackets(o.Detail)
	err = o.partInto(ctx, builder, late, dir, x, part)
	if err == nil {
		stored.Finish(&report.Document{})
		late.Amend(stored)
		err = o.writeResult(dir, part, stored, builder.LeftOut)
	}
	return errors.Join(err, stored.Close())
}

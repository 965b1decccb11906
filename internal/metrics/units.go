package metrics

import (
	"slices"

	"mpanalyze/internal/catalogue"
)

// units are all units, in the order of their rows in a table of series.
var units = number([]*unit{
	roundTripUnit,
	inFlightUnit,
	cwndUnit,
	dsrUnit,
	burstUnit,
	orderUnit,
	rateUnit,
	delayUnit,
	inOrderUnit,
	holQueueUnit,
	bufferBlockingUnit,
	windowUnit,
	factUnit,
	countUnit,
	lossUnit,
	pathUnit,
	timeAccountUnit,
	handoverUnit,
	pairUnit,
	streamingUnit,
	regretUnit,
})

// number gives each unit its slot, and each series its index. The first row with the
// name of a series is marked as having a series.
func number(all []*unit) []*unit {
	for i, u := range all {
		u.slot = i
		for _, s := range u.series {
			s.index, s.slot = len(allSeries), heldSlots
			allSeries = append(allSeries, s)
			if s.holds {
				heldSlots++
			}
			at := slices.IndexFunc(u.rows, func(m catalogue.Metric) bool { return m.Name == s.name })
			u.rows[at].Series, u.rows[at].Holds = true, s.holds
		}
	}
	return all
}

// heldSlots is how many series hold.
var heldSlots int

package metrics

// units are all units, in the order in which they take an event. That is also the
// order of their rows in a table of series, and what reads the smoothed round-trip
// time of a packet stands behind roundTripUnit, which changes it.
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
	handoverUnit,
	pairUnit,
})

// number gives each unit its slot.
func number(all []*unit) []*unit {
	for i, u := range all {
		u.slot = i
		u.none = u.meter()
		u.none.renew(&noDir)
	}
	return all
}

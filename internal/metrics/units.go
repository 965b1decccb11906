package metrics

// units are all units, in the order in which they take an event. It matters in
// two places: what rests on the smoothed round-trip time comes behind roundTripUnit,
// and controllers see a window behind windowUnit.
var units = number([]*unit{
	roundTripUnit,
	inFlightUnit,
	rateUnit,
	burstUnit,
	orderUnit,
	delayUnit,
	inOrderUnit,
	holQueueUnit,
	windowUnit,
	bufferBlockingUnit,
	dsrUnit,
	cwndUnit,
})

// number gives each unit its slot.
func number(all []*unit) []*unit {
	for i, u := range all {
		u.slot = i
		u.none = u.open(&noDir)
	}
	return all
}

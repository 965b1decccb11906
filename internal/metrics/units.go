package metrics

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

// number gives each unit its slot, and each series its index.
func number(all []*unit) []*unit {
	for i, u := range all {
		u.slot = i
		for _, s := range u.series {
			s.index, s.slot = len(allSeries), heldSlots
			allSeries = append(allSeries, s)
			if s.holds {
				heldSlots++
			}
		}
	}
	return all
}

// heldSlots is how many series hold.
var heldSlots int

// meters are what units measure of one direction of a connection. Each is made when the
// direction first shows an event for it. The order in which they take an event does not
// matter. Some read the smoothed round-trip time, so it is up to date before.
type meters struct {
	window      *Window
	rates       *rateMeter
	order       *Order
	bursts      *burstMeter
	inFlight    *inFlightMeter
	cwnd        *cwndMeter
	dsr         *dsrMeter
	delays      *Delays
	inOrder     *inOrderMeter
	holQueue    *HoLQueue
	timeAccount *timeAccount
	streaming   *streamingMeter
	regret      *regretMeter
}

// meterSet is a set of meters, a bit for each.
type meterSet uint16

// The meters.
const (
	hasInFlight meterSet = 1 << iota
	hasCwnd
	hasDSR
	hasBursts
	hasOrder
	hasRates
	hasDelays
	hasInOrder
	hasHoLQueue
	hasWindow
	hasTimeAccount
	hasStreaming
	hasRegret
)

// A meter makes itself an empty meter of direction d. It drops all figures, but keeps
// memory that it can use again.
type meter interface{ renew(d *DataDir) }

// made returns the meter of d at a place, and makes it if there is none.
func made[T any, P interface {
	*T
	meter
}](d *DataDir, at *P) P {
	if *at == nil {
		makeMeter(d, at)
	}
	return *at
}

// makeMeter is not inlined, so that made is.
//
//go:noinline
func makeMeter[T any, P interface {
	*T
	meter
}](d *DataDir, at *P) {
	*at = new(T)
	(*at).renew(d)
}

// renew makes all meters that there are empty meters of direction d.
func (l *meters) renew(d *DataDir) {
	renew(l.inFlight, d)
	renew(l.cwnd, d)
	renew(l.dsr, d)
	renew(l.bursts, d)
	renew(l.order, d)
	renew(l.rates, d)
	renew(l.delays, d)
	renew(l.inOrder, d)
	renew(l.holQueue, d)
	renew(l.window, d)
	renew(l.timeAccount, d)
	renew(l.streaming, d)
	renew(l.regret, d)
}

func renew[T any, P interface {
	*T
	meter
}](x P, d *DataDir) {
	if x != nil {
		x.renew(d)
	}
}

// The meters of noDir are empty ones, for readers of directions that showed no event for
// them.
func init() {
	noDir.meters = meters{
		inFlight: new(inFlightMeter), cwnd: new(cwndMeter), dsr: new(dsrMeter), bursts: new(burstMeter), order: new(Order),
		rates: new(rateMeter), delays: new(Delays), inOrder: new(inOrderMeter), holQueue: new(HoLQueue),
		window: new(Window), timeAccount: new(timeAccount), streaming: new(streamingMeter), regret: new(regretMeter),
	}
	noDir.renew(&noDir)
}

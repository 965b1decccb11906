package metrics

// A pause of the data has cells without data. A series has a row for each of them, so that
// its rows follow each other without a gap. These bounds are for very long pauses: a clock can
// jump by years between two packets.
const (
	// maxEmptyRun is how many empty cells in a row have a row each: of 100 ms, half an hour.
	// Of a longer stretch the first and the last cell have one.
	maxEmptyRun = 20_000
	// maxEmptyRows is how many such rows all series of one direction of a subflow, or of a
	// connection, have. Beyond it every stretch counts as long.
	maxEmptyRows = 1 << 20
)

// emitEmpty hands out the zeros of n cells without data; the first begins at the time at.
// It takes no time where the series is not wanted.
func (o *seriesWriter) emitEmpty(s *Series, at, cell, n int64) {
	if !o.wants(s) || o.withholds(s) {
		return
	}
	if n > 2 && (n > maxEmptyRun || o.empty+n > maxEmptyRows) {
		o.sink.Value(s, at, 0)
		o.sink.Value(s, at+(n-1)*cell, 0)
		o.sink.Omitted(s, n-2)
		return
	}
	o.empty += n
	for i := range n {
		o.sink.Value(s, at+i*cell, 0)
	}
}

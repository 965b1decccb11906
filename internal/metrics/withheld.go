package metrics

import "mpanalyze/internal/conn"

// rests says on what series rest that the capture may have cut off.
var rests = [nSeries]struct{ maps, acks bool }{
	SeriesPathDelay:         {true, true},
	SeriesWaitingTime:       {true, true},
	SeriesHoLWait:           {true, true},
	SeriesInOrderWait:       {true, false},
	SeriesShare:             {true, false},
	SeriesGoodput:           {true, false},
	SeriesProtocolDelay:     {true, true},
	SeriesHoLDegree:         {true, true},
	SeriesHoLBlocking:       {true, true},
	SeriesHoLDegreeAllPaths: {true, true},
	SeriesHoLQueue:          {true, true},
	SeriesDSNOffset:         {true, false},
	SeriesRwnd:              {false, true},
	SeriesRwndFree:          {true, true},
	SeriesAwndDelta:         {false, true},
}

// withheld reports whether a series has no value at this moment, as the capture
// has by now cut off what it rests on. What came before stays written, so that
// of a series there may be values though its figure is absent in the end.
func (m *Connection) withheld(s Series, from conn.Side) bool {
	r := &rests[s]
	return r.maps && m.mapsMissing(from) || r.acks && m.acksCut(from) != ""
}

// mapsMissing is [Connection.MapsCut] while the connection goes on: payload
// waits for a mapping that the capture cut off, or data was acknowledged that
// passed on a subflow which it cut off.
func (m *Connection) mapsMissing(from conn.Side) bool {
	for _, s := range m.Subs {
		l := s.Sub.Spaces[from]
		if !l.OptionsCut {
			continue
		}
		if n, _ := l.FirstUnmapped(); n > 0 || l.UnmappedBytes > 0 {
			return true
		}
	}
	return m.k.hidden && m.Conn.Spaces[from].AckedMissingBytes() > 1
}

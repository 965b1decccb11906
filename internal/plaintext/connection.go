package plaintext

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/bykey"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
	"mpanalyze/internal/textwrap"
)

// connection writes the block of one connection. why says whether the block has its verdict.
func (p *printer) connection(c *report.Connection, why bool) {
	p.line("", "")
	p.line(bold, fmt.Sprintf("connection %d", c.ID))
	p.wrapped("", "  ", identity(c, p.Verbose))
	p.wrapped("", "  ", tokens(c))
	if c.Fallback != nil {
		p.wrapped(yellow, "  ", "fell back to plain TCP: "+Clean(*c.Fallback))
	}
	if why { // else the first block says it
		p.verdict("  ", report.Known(c.Verdicts))
	}
	for _, d := range report.Directions {
		if dir := c.Dir(d); dir != nil {
			p.wrapped("", "  ", string(d)+": "+direction(dir, c.DurationS))
			p.timeAccount(string(d), dir)
			p.asked(d, dir.Streaming, dir.SchedulerRegret)
		}
	}
	p.subflows(c.Subflows)
	p.network(c.Subflows)
	p.absences(c.Subflows)
	p.noVantage(c)
	p.footnotes(c)
	p.unasked(c)
	p.events(c)
}

// unasked names the families of metrics that were not asked for. It knows a family by one
// of its metrics that every direction of a connection has.
func (p *printer) unasked(c *report.Connection) {
	var families []string
	for _, f := range []struct{ metric, family string }{
		{"protocol_delay_ms", "delays"}, {"out_of_order", "order"}, {"rwnd_bytes", "windows"}, {"handovers", "verdicts"},
	} {
		if why, _ := cmp.Or(c.A2B, c.B2A, &report.ConnDir{}).Unavailable.Of(f.metric); why == catalogue.Unasked {
			families = append(families, f.family)
		}
	}
	if len(families) > 0 {
		p.wrapped(dim, "  ", "no "+strings.Join(families, ", ")+": "+catalogue.Unasked)
	}
}

// identity describes the connection: ends, version, time, state, place of the capture. With
// verbose it also says how the place is known.
func identity(c *report.Connection, verbose bool) string {
	ends := ""
	if len(c.Subflows) > 0 {
		ends = endpoint(c.Subflows[0].A) + " to " + endpoint(c.Subflows[0].B) + ", "
	}
	seen := seenAt(c.Vantage)
	if verbose && c.VantageEvidence != "" {
		seen += " (" + Clean(c.VantageEvidence) + ")"
	}
	if c.OnlyIn != nil {
		seen += fmt.Sprintf("; only in the %s's capture", *c.OnlyIn)
	}
	return fmt.Sprintf("%sMPTCP %s, %s, %s; %s from %s, %s", ends, versionOf(c), textwrap.Count(len(c.Subflows), "subflow"),
		c.State, seconds(c.DurationS), moment(c.Start), seen)
}

// tokens returns the tokens of both hosts, and whether checksums are used.
func tokens(c *report.Connection) string {
	name := func(t *string) string {
		if t == nil {
			return "unknown"
		}
		return Clean(*t)
	}
	text := fmt.Sprintf("tokens %s (a), %s (b); %s", name(c.TokenA), name(c.TokenB), Checksums(c.Checksum))
	if !c.Handshake {
		text += "; handshake not captured"
	}
	return text
}

// Checksums says whether DSS checksums are used, or that the capture does not show it.
func Checksums(used *bool) string {
	switch {
	case used == nil:
		return "checksums not known"
	case *used:
		return "with checksums"
	}
	return "no checksums"
}

// A summary shows these figures of a direction only from these limits on. The report has them
// in any case.
const (
	leastLimited = 0.01   // time with the receive window used up, as a part of the connection's time
	longLimited  = 1000   // the same time in ms; from here on it is shown for a connection of any length
	leastOrder   = 0.0005 // chunks out of order, as a part of all chunks
)

// direction returns a line about one direction of a connection. duration is the time of the
// connection in seconds.
func direction(d *report.ConnDir, duration float64) string {
	text := known(d.Bytes, size)
	if why, unknown := d.Unavailable.Of("bytes"); unknown {
		text = "bytes not known: " + Clean(why)
	}
	if d.Goodput != nil {
		text += ", " + rate(*d.Goodput) + " Mbit/s"
	}
	if d.RetransmittedBytes > 0 {
		text += ", retransmitted " + size(d.RetransmittedBytes)
	}
	if n := report.Known(d.ReinjectedBytes); n > 0 {
		text += ", reinjected " + size(n)
	}
	if d.ProtocolDelay != nil {
		text += fmt.Sprintf(", protocol delay %s ms (max %s)", digits(d.ProtocolDelay.Avg), digits(d.ProtocolDelay.Max))
	}
	if d.HoLBlocking != nil {
		text += fmt.Sprintf(", head-of-line blocking %s ms (max %s)", digits(d.HoLBlocking.Avg), digits(d.HoLBlocking.Max))
	}
	if n := d.RwndLimitedMS; n != nil && *n > 0 && (*n >= leastLimited*1e3*duration || *n >= longLimited) {
		text += fmt.Sprintf(", receive window used up for %s ms", digits(*d.RwndLimitedMS))
	}
	if d.OutOfOrder != nil && d.OutOfOrder.Ratio >= leastOrder {
		text += fmt.Sprintf(", %.1f%% out of order", 100*d.OutOfOrder.Ratio)
	}
	return text
}

// subflows writes a table with a row for each subflow and direction in which data ran.
func (p *printer) subflows(all []report.Subflow) {
	g := grid{fold: true, columns: []column{
		{title: "subflow"},
		{title: "state", drop: 7},
		{title: "dir"},
		{title: "bytes", right: true},
		{title: "share", right: true},
		{title: "Mbit/s", right: true, drop: 5},
		{title: "SRTT ms", right: true, drop: 1},
		{title: "retrans", right: true, drop: 2},
		{title: "drops", right: true, drop: 6},
		{title: "reinj", right: true, drop: 3},
	}}
	shown := p.limit(len(all), maxSubflows)
	for i := range all[:shown] {
		s := &all[i]
		name, state := fmt.Sprintf("%d %s", s.ID, Clean(s.Path)), string(s.State)
		if s.Backup {
			name += " (backup)"
		}
		rows := 0
		for _, d := range report.Directions {
			dir := s.Dir(d)
			if dir == nil || dir.CapturedSegments == 0 && (rows > 0 || d == report.A2B && s.B2A != nil && s.B2A.CapturedSegments > 0) {
				continue // one row must stand, even of an idle subflow
			}
			if rows++; rows == 2 {
				name, state = "", ""
			}
			g.rows = append(g.rows, append([]string{name, state}, cells(d, dir)...))
		}
	}
	p.grid("  ", &g)
	p.omitted("  ", len(all)-shown, "subflow")
}

func drops(d report.Drops) string { return count(d.Count, d.Percent) }

// cells returns the cells of one direction of a subflow.
func cells(name report.Direction, d *report.SubDir) []string {
	return []string{
		string(name), known(d.Bytes, size), known(d.Share, percent), known(d.Throughput, rate), known(d.SRTT, srtt),
		count(d.RetransmittedSegments, d.RetransmissionRatio), known(d.Drops, drops), known(d.ReinjectedBytes, size),
	}
}

// absences explains the dashes of the table above, a line per reason.
func (p *printer) absences(all []report.Subflow) {
	var dashes bykey.Lists[string]
	for i := range all[:p.limit(len(all), maxSubflows)] {
		for _, d := range report.Directions {
			dir := all[i].Dir(d)
			if dir == nil || dir.CapturedSegments == 0 {
				continue
			}
			for _, m := range []struct{ metric, title string }{{"srtt_ms", "SRTT"}, {"drops", "drops"}, {"throughput_mbps", "Mbit/s"}, {"share_percent", "share"}} {
				if why, absent := dir.Unavailable.Of(m.metric); absent {
					dashes.Add(m.title+"\x00"+why, fmt.Sprintf("%d %s", all[i].ID, d))
				}
			}
		}
	}
	for _, key := range dashes.Keys {
		title, why, _ := strings.Cut(key, "\x00")
		p.wrapped(dim, "  ", fmt.Sprintf("no %q on %s: %s", title, strings.Join(dashes.Of[key], ", "), Clean(why)))
	}
}

// noVantage says which figures are missing in the lines of the directions because the place of
// the capture is not known.
func (p *printer) noVantage(c *report.Connection) {
	if c.Vantage != report.VantageUnknown {
		return
	}
	var where []string
	reason := ""
	for _, d := range report.Directions {
		dir := c.Dir(d)
		if dir.Volume() == 0 || dir.ProtocolDelay != nil {
			continue
		}
		if why, absent := dir.Unavailable.Of("protocol_delay_ms"); absent && why != catalogue.Unasked {
			where, reason = append(where, string(d)), why
		}
	}
	if len(where) > 0 {
		p.wrapped(dim, "  ", fmt.Sprintf("no protocol delay, head-of-line blocking on %s: %s", strings.Join(where, ", "), Clean(reason)))
	}
}

// footnotes says how the figures above could be misunderstood.
func (p *printer) footnotes(c *report.Connection) {
	for _, v := range report.Known(c.Verdicts) {
		if v.Code == report.VerdictUncaptured && v.Direction != nil {
			p.wrapped(dim, "  ", fmt.Sprintf("shares of %s are of what the captures show: a path is missing", *v.Direction))
		}
	}
	for _, d := range report.Directions {
		dir := c.Dir(d)
		if dir == nil || report.Known(dir.Bytes) == 0 {
			continue
		}
		if c.Vantage == d.Receiver() && lossShown(c.Subflows, d) {
			p.wrapped(dim, "  ", fmt.Sprintf("%s was captured at its receiver: retrans counts only segments that arrived twice, drops is a lower bound", d))
		}
	}
}

// lossShown reports whether the table of subflows has a repetition or a loss in a direction.
func lossShown(all []report.Subflow, d report.Direction) bool {
	return slices.ContainsFunc(all, func(s report.Subflow) bool {
		dir := s.Dir(d)
		return dir != nil && (dir.RetransmittedSegments > 0 || dir.Drops != nil && dir.Drops.Count > 0)
	})
}

// routine are the events of an ordinary session; a summary counts them and
// lists the others.
var routine = map[report.EventKind]bool{
	report.EventJoin: true, report.EventAttached: true, report.EventAddAddr: true, report.EventAddAddrEcho: true,
	report.EventFin: true, report.EventDataFin: true, report.EventReceiveBufferBlock: true,
}

// events counts all events by kind and lists the first ones that are not routine.
func (p *printer) events(c *report.Connection) {
	if len(c.Events) == 0 {
		return
	}
	counts := map[report.EventKind]int{}
	var notable []*report.Event
	for i := range c.Events {
		counts[c.Events[i].Kind]++
		if kind := c.Events[i].Kind; !routine[kind] && counts[kind] <= p.limit(counts[kind], maxOfKind) {
			notable = append(notable, &c.Events[i])
		}
	}
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", counts[kind], Clean(string(kind))))
	}
	if c.EventsOmitted > 0 {
		kinds = append(kinds, fmt.Sprintf("%d not listed", c.EventsOmitted))
	}
	p.wrapped(dim, "  ", "events: "+strings.Join(kinds, ", "))
	shown := p.limit(len(notable), maxEvents)
	for _, e := range notable[:shown] {
		text := seconds(e.TS)
		if e.Subflow != nil {
			text += fmt.Sprintf(" subflow %d", *e.Subflow)
		}
		text += " " + Clean(string(e.Kind))
		if e.Detail != "" {
			text += ": " + Clean(e.Detail)
		}
		p.wrapped(yellow, "  ! ", text)
	}
	p.omitted("  ", len(notable)-shown, "event")
}

// versionOf names the version of a connection, which the capture may not show.
func versionOf(c *report.Connection) string {
	if c.Version == nil {
		return "of unknown version"
	}
	return version(*c.Version)
}

func version(n int) string { return "v" + strconv.Itoa(n) }

package evidence

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// The codes of warnings about records.
const (
	WarnOther    = "evidence_other_connection"
	WarnHost     = "evidence_wrong_host"
	WarnClock    = "evidence_clock"
	WarnCut      = "evidence_cut"
	WarnUnknown  = "evidence_unknown_file"
	WarnConflict = "evidence_conflict"
	WarnUnread   = "evidence_unread"
)

// Finish puts what is known of the hosts into a document, when the captures have been read.
func (x *Records) Finish(doc *report.Document) {
	for _, h := range x.hosts {
		h.setClock(h.fits(), h.here)
		h.foreign = h.sides == [2]int64{} && h.rows > 0
		doc.Warnings = append(doc.Warnings, h.warnings()...)
		doc.Hosts = append(doc.Hosts, h.report())
	}
	end := func(h report.HostRecords) report.Side { return cmp.Or(report.Known(h.Host), "~") }
	slices.SortStableFunc(doc.Hosts, func(a, b report.HostRecords) int { return cmp.Compare(end(a), end(b)) })
}

// side returns which end the host is: as its sockets joined, else as the user named it; empty if
// neither tells.
func (h *host) side() report.Side {
	switch a, b := h.sides[0], h.sides[1]; {
	case a > b, a > 0 && a == b && h.End != report.SideB:
		return report.SideA
	case b > 0:
		return report.SideB
	}
	return h.End
}

// warnings returns what is odd about the records of a host.
func (h *host) warnings() (out []report.Warning) {
	warn := func(code, text string, n int64, file *string) {
		out = append(out, report.Warning{Code: code, Message: text, Count: n, File: file})
	}
	for _, f := range h.Files {
		if f.Cut > 0 && f.Part == "" {
			warn(WarnCut, fmt.Sprintf("%s, line %d: a row ends too early; all other rows were used", f.Path, f.Cut), f.CutRows, &f.Path)
		}
		if f.Unread > 0 {
			warn(WarnUnread, f.Path+": "+f.Reason, f.Unread, &f.Path)
		}
		if f.Strange {
			warn(WarnUnknown, fmt.Sprintf("%s: %s; it was skipped", f.Path, f.Reason), 1, &f.Path)
		}
	}
	from := strings.Join(h.From, ", ")
	side := h.side()
	switch joined := h.sides[0] + h.sides[1]; {
	case h.foreign:
		warn(WarnOther, from+": no row is of a connection in the captures; its sockets were not used", h.rows, nil)
	case joined > 0 && h.End != "" && h.End != side:
		warn(WarnHost, fmt.Sprintf("%s: it was given for host %s and has the sockets of host %s; it is used for host %s", from, h.End, side, side), 1, nil)
	}
	for k, c := range h.conflicts {
		if c.Count > 0 {
			c.Message += fmt.Sprintf("; %d such rows. No verdict uses %s of these sockets", c.Count, fieldNames[k])
			out = append(out, c)
		}
	}
	fits := h.fits()
	if h.clock.Method != report.ClockCounters {
		return out
	}
	if off := h.offset; far(off, *h.clock.UncertaintyMS) {
		warn(WarnClock, fmt.Sprintf("%s: its stamps are %.3f s from the time of the capture; that was corrected by the counters", from, float64(-off)/1e9), int64(len(fits)), nil)
	} else if d := drift(fits); d > driftLimit || d < -driftLimit {
		warn(WarnClock, fmt.Sprintf("%s: the offset of its stamps changes by %.3f s; times of rows without a time of their own are off by as much", from, float64(d)/1e9), int64(len(fits)), nil)
	}
	return out
}

// report returns what the records say of the host.
func (h *host) report() report.HostRecords {
	out := report.HostRecords{From: h.From, Clock: h.clock, Kernel: text(h.Kernel), IPRoute: text(h.Tools)}
	if side := h.side(); side != "" {
		out.Host = &side
	}
	unused := map[*hosts.File]int64{}
	for _, s := range h.sockets {
		for f, n := range s.files {
			if !s.joined {
				unused[f] += n
			}
		}
	}
	for _, e := range h.Records[hosts.Monitor] {
		if e.Token != "" && !h.tokens[e.Token] {
			unused[e.File]++
		}
	}
	for _, f := range h.Files {
		out.Files = append(out.Files, fileOf(f, unused[f]))
	}
	if l := h.State(hosts.Limits, "").Latest(); l != nil {
		out.Limits = &report.RecordLimits{Subflows: l.Values["subflows"].N, AddAddrAccepted: l.Values["add_addr_accepted"].N}
	}
	if l := h.State(hosts.Endpoints, "").First(); l != nil {
		out.Endpoints = &report.List[report.RecordEndpoint]{}
		for _, e := range l.List {
			r := report.RecordEndpoint{Address: e.Name, ID: int(e.Values["id"].N), Flags: e.Flags, Dev: text(e.Text)}
			if port := int(e.Values["port"].N); port != 0 {
				r.Port = &port
			}
			*out.Endpoints = append(*out.Endpoints, r)
		}
	}
	for _, r := range h.Records[hosts.Sysctl] {
		out.Sysctl.Set(r.Name, h.State(hosts.Sysctl, r.Name).Latest().Text)
	}
	state := h.State(hosts.Nstat, "")
	if why := state.Why(); why != "" {
		out.Unavailable.Set("counters", why)
	} else {
		out.Counters = &report.Counts{}
		for name := range state.After.Values {
			if v, _, ok := state.Difference(name); ok {
				(*out.Counters)[name] = v
			}
		}
	}
	for _, dev := range h.Records[hosts.Addr] {
		out.Interfaces = append(out.Interfaces, h.interfaceOf(dev))
	}
	return out
}

// text returns a text; nil for an empty one.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func fileOf(f *hosts.File, unused int64) report.RecordFile {
	out := report.RecordFile{
		File: f.Name, Kind: text(string(f.Kind)), Part: text(f.Part), Samples: f.Samples, Rows: f.Rows, RowsUnused: f.RowsUnused + unused + f.Unread,
		UnknownFields: f.UnknownFields, Status: f.Status, Reason: text(f.Reason),
	}
	if f.First != hosts.NoStamp {
		out.First, out.Last = new(report.Time(f.First)), new(report.Time(f.Last))
	}
	switch {
	case unused == 0 || f.Status == report.RecordUnused:
	case unused == f.Rows:
		out.Status, out.Reason = report.RecordUnused, text("no row is of a connection in the captures")
	case out.Reason == nil:
		out.Status, out.Reason = report.RecordPartly, text("rows are of other connections")
	}
	return out
}

// interfaceOf returns what the records say of a device: counters from after alone count from its start.
func (h *host) interfaceOf(dev *hosts.Record) report.RecordInterface {
	out := report.RecordInterface{Dev: dev.Name}
	for _, a := range slices.SortedFunc(slices.Values(dev.Addresses), netip.Addr.Compare) {
		out.Addresses = append(out.Addresses, a.String())
	}
	link, queue := h.State(hosts.Link, dev.Name), h.State(hosts.Qdisc, dev.Name)
	for _, c := range []struct {
		of   hosts.State
		name string
		to   **int64
	}{
		{link, hosts.SentPackets, &out.SentPackets},
		{link, hosts.ReceivedPackets, &out.ReceivedPackets},
		{link, hosts.SentDropped, &out.TxDropped},
		{link, hosts.ReceivedDropped, &out.RxDropped},
		{queue, hosts.Dropped, &out.QdiscDropped},
		{queue, hosts.QueueOverlimits, &out.QdiscOverlimits},
	} {
		was, _, _ := c.of.Before.Value(c.name)
		if n, _, ok := c.of.After.Value(c.name); ok {
			*c.to = new(n - was)
		}
	}
	if link.After != nil {
		out.Up = new(link.After.Has("UP"))
	}
	if queue.After != nil {
		out.Qdisc, out.QdiscBacklog = text(queue.After.Text), new(queue.After.Values[hosts.QueueBacklog].N)
	}
	return out
}

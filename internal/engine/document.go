package engine

import (
	"fmt"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/decode"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
)

// document returns a report with captures and warnings, and no connections.
func (r *reader) document(t *conn.Table) *report.Document {
	doc := &report.Document{Schema: report.SchemaName, MadeBy: r.options.MadeBy()}
	damage := map[string]*capture.DamageError{}
	for _, d := range r.source.Damage() {
		damage[d.File] = d
	}
	for i, f := range r.source.Files() {
		doc.Captures = append(doc.Captures, r.capture(i, f, damage[f.File]))
		if i < len(t.LeftOut) {
			doc.Captures[i].Skipped.NoConnection = t.LeftOut[i]
		}
		doc.Captures[i].SHA256 = r.hashes.of(f.File)
	}
	doc.Warnings = append(doc.Warnings, oddityWarnings(r.source.Files())...)
	counts := r.decoder.Counts()
	for _, a := range decode.Anomalies() {
		if n := counts.Anomaly(a); n.Count > 0 {
			doc.Warnings = append(doc.Warnings, warning(a.String(), anomalyText[a], n.First, int64(n.Count)))
		}
	}
	doc.Warnings = append(doc.Warnings, r.copyWarnings()...)
	if n := counts.Outcome(decode.Cut); n.Count > 0 {
		doc.Warnings = append(doc.Warnings, warning("header_cut", "the snapshot length cut TCP headers off; capture at least 128 bytes of each packet, 256 in a tunnel", n.First, int64(n.Count)))
	}
	if r.filter != nil {
		if err := r.filter.Err(); err != nil {
			doc.Warnings = append(doc.Warnings, warning("filter", err.Error(), 0, 1))
		}
	}
	doc.Warnings = append(doc.Warnings, r.clockWarnings()...)
	for _, w := range t.Warnings.List() {
		doc.Warnings = append(doc.Warnings, warning(w.Code, w.Message, w.Packet, w.Count))
	}
	return doc
}

// oddities are what records have that is odd, as warnings.
var oddities = []struct {
	code, message string
	of            func(*capture.FileInfo) *capture.Oddity
}{
	{
		"record_longer", "records hold more bytes than they say were on the wire; all that they hold was used",
		func(f *capture.FileInfo) *capture.Oddity { return &f.Longer },
	},
	{
		"time_out_of_range", "times before 1896 or after 2116 cannot be counted: these packets got the time of the packet before, and their connections have no figures of time; editcap -t SECONDS moves the times of a capture",
		func(f *capture.FileInfo) *capture.Oddity { return &f.Uncountable },
	},
}

// oddityWarnings returns a warning for each oddity of the files, with the place of its first packet.
func oddityWarnings(files []capture.FileInfo) (out report.List[report.Warning]) {
	for _, kind := range oddities {
		var in *capture.FileInfo
		n, first := uint64(0), capture.Place{}
		for i := range files {
			o := kind.of(&files[i])
			if n += o.Count; o.Count > 0 && (in == nil || o.First.Num < first.Num) {
				in, first = &files[i], o.First
			}
		}
		if in == nil {
			continue
		}
		where := ""
		if in.Compression != "" {
			where = " of the uncompressed data"
		}
		text := fmt.Sprintf("%s; the first is in %s, packet %d, byte offset %d%s", kind.message, in.File, first.FileNum, first.Offset, where)
		out = append(out, warning(kind.code, text, first.Num, int64(n)))
	}
	return out
}

var anomalyText = map[decode.Anomaly]string{
	decode.UnknownLink:         "packets of a link type that is not known were left out",
	decode.LengthBeyondFrame:   "IP headers claim more bytes than their frame has; the header's length was used",
	decode.LengthFromFrame:     "IP headers without a length (segmentation offload); the frame's length was used",
	decode.DatagramIncomplete:  "fragmented datagrams were never complete",
	decode.FragmentsContradict: "fragments overlap and contradict each other",
	decode.TooManyTunnels:      "packets with too many tunnels inside each other were left out",
	decode.OptionsCut:          "the snapshot length cut TCP options off, and what depends on those is missing; capture at least 128 bytes of each packet, 256 in a tunnel",
}

func warning(code, message string, packet uint64, n int64) report.Warning {
	w := report.Warning{Code: code, Message: message, Count: n}
	if packet > 0 {
		at := int64(packet)
		w.Packet = &at
	}
	return w
}

func (r *reader) capture(i int, f capture.FileInfo, d *capture.DamageError) report.Capture {
	format := f.Format
	if f.Compression != "" {
		format += "+" + f.Compression
	}
	s := &r.skipped[i]
	out := report.Capture{
		File: f.File, Format: format, SnapLen: int64(f.SnapLen), Packets: int64(f.Packets), Bytes: int64(f.WireBytes),
		Truncated: f.Truncated, Snapped: int64(f.Snapped),
		Skipped: report.Skipped{
			NotIP: s[decode.NotIP], NotTCP: s[decode.NotTCP] + s[decode.ICMP], Fragments: s[decode.Fragment],
			Malformed: s[decode.Malformed] + s[decode.Cut], Duplicates: s[decode.Duplicate], Filtered: s[filtered],
		},
	}
	for _, l := range f.LinkTypes {
		out.LinkTypes = append(out.LinkTypes, l.String())
	}
	if f.Packets > 0 {
		first, last := report.Time(f.First), report.Time(f.Last)
		out.First, out.Last = &first, &last
	}
	if d != nil {
		out.Damage = &report.Damage{Packet: int64(d.Packet) - 1, Offset: d.Offset, Message: d.Error()}
	}
	return out
}

// MadeBy returns the version and the options that a report with these options names.
func (o *Options) MadeBy() *report.MadeBy {
	out := report.Options{
		Labels:   report.List[string]{},
		Evidence: report.List[string]{},
		Interval: o.Interval.String(), Skip: o.Skip.String(), Until: o.Until.String(),
		Metrics: (catalogue.AllFamilies &^ o.Omit).String(), Filter: o.Filter, Decap: o.Decap, Vantage: string(o.Vantage),
		QoEAlpha: o.QoE.Alpha, QoEBeta: o.QoE.Beta, QoEGamma: o.QoE.Gamma,
		Regret: o.Regret, Fairness: o.Fairness,
		Bitrate: o.Player.Bitrate, Playout: o.Player.Playout.String(), MessageGap: o.Player.MessageGap.String(),
		Clock:     map[clock.Mode]string{clock.Auto: "auto", clock.None: "none", clock.Offset: "offset", clock.Drift: "drift"}[o.Clock],
		Direction: string(o.Direction),
	}
	if len(o.Receiver) > 0 {
		out.End = string(o.End)
	}
	for _, l := range o.Labels {
		out.Labels = append(out.Labels, fmt.Sprintf("%v=%s", l.Prefix, l.Name))
	}
	for _, s := range o.Evidence {
		text := s.Path
		if s.End != "" {
			text = string(s.End) + "=" + text
		}
		out.Evidence = append(out.Evidence, text)
	}
	if o.Connection != AllConnections {
		id := o.Connection
		out.Connection = &id
	}
	return &report.MadeBy{Version: o.Version, Options: out}
}

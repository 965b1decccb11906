package differential

import (
	"strconv"
	"strings"

	"mpanalyze/internal/report"
)

// measure is a column of tcptrace that has a counterpart in the report.
type measure struct {
	column string // without direction
	// ours is our figure, and whether there is one, in one direction.
	ours func(d direction) (float64, bool)
	// tolerance is what rounding on both sides can make, in the column's unit.
	tolerance float64
	// read reads a cell that is no number; nil for one that is.
	read func(cell string) (float64, error)
}

// direction is one direction of a connection in the report, and the one back.
type direction struct {
	*report.SubDir
	back *report.SubDir
}

const (
	// tenth is what tcptrace's times in ms with one decimal can be off, with
	// 2 us for stamps that it cuts to whole microseconds.
	tenth = 0.05 + 0.002
	// thousandth is the same for seconds with three decimals.
	thousandth = 0.0005 + 0.000002
)

// measures are all columns whose definitions agree, as METRICS.md says, or
// differ in a way that an exception states exactly.
var measures = []measure{
	{"resets_sent", count(func(d direction) int64 { return d.Resets }), 0, nil},
	{"pure_acks_sent", count(func(d direction) int64 { return d.PureAcks }), 0, nil},
	{"sacks_sent", count(func(d direction) int64 { return *d.SACKBlocks + *d.DSACKBlocks }), 0, nil},
	{"dsack_pkts_sent", count(func(d direction) int64 { return *d.DSACKBlocks }), 0, nil},
	{"unique_bytes_sent", count(func(d direction) int64 { return *d.BytesUnique }), 0, nil},
	{"actual_data_pkts", count(func(d direction) int64 { return d.CapturedSegments }), 0, nil},
	{"actual_data_bytes", count(func(d direction) int64 { return *d.Bytes }), 0, nil},
	{"rexmt_data_pkts", count(func(d direction) int64 { return d.RetransmittedSegments }), 0, nil},
	{"rexmt_data_bytes", count(func(d direction) int64 { return d.RetransmittedBytes }), 0, nil},
	{"outoforder_pkts", count(func(d direction) int64 { return d.OutOfOrderSegments }), 0, nil},
	{"zero_win_adv", count(func(d direction) int64 { return d.ZeroWindowEvents }), 0, nil},
	{"SYN/FIN_pkts_sent", count(func(d direction) int64 { return d.Fins }), 0, part(1)},
	{"req_1323_ws/ts", said(func(d direction) bool { return d.WindowScale != nil }), 0, part(0)},
	{"req_1323_ws/ts", said(func(d direction) bool { return d.Timestamps != nil && *d.Timestamps }), 0, part(1)},
	{"req_sack", said(func(d direction) bool { return d.SACKPermitted != nil && *d.SACKPermitted }), 0, part(0)},
	// tcptrace books duplicate ACKs on the direction that they acknowledge.
	{"duplicate_acks", count(func(d direction) int64 { return *d.back.DupAcks }), 0, nil},
	{"mss_requested", option16(func(d direction) *int { return d.MSS }), 0, nil},
	{"adv_wind_scale", option16(func(d direction) *int { return d.WindowScale }), 0, nil},
	{"max_owin", stat(func(d direction) *report.Stat { return d.InFlightBytes }, func(s *report.Stat) float64 { return s.Max }), 0, nil},
	{"idletime_max", func(d direction) (float64, bool) {
		if d.IdleMax == nil {
			return 0, false
		}
		return *d.IdleMax, true
	}, tenth, nil},
	{"data_xmit_time", dataTime, thousandth, nil},
	{"RTT_samples", newest(func(s *report.Stat) float64 { return float64(s.Samples) }), 0, nil},
	{"RTT_min", newest(func(s *report.Stat) float64 { return s.Min }), tenth, nil},
	{"RTT_max", newest(func(s *report.Stat) float64 { return s.Max }), tenth, nil},
	{"RTT_avg", newest(func(s *report.Stat) float64 { return s.Avg }), tenth, nil},
}

// part reads one of the values in a cell like "1/0" or "Y/N"; Y is 1 and N is 0.
func part(i int) func(cell string) (float64, error) {
	return func(cell string) (float64, error) {
		values := strings.Split(cell, "/")
		switch v := values[min(i, len(values)-1)]; v {
		case "Y":
			return 1, nil
		case "N":
			return 0, nil
		default:
			return strconv.ParseFloat(v, 64)
		}
	}
}

// said is 1 where an option was in the SYN and 0 where it was not.
func said(f func(d direction) bool) func(d direction) (float64, bool) {
	return func(d direction) (float64, bool) {
		if f(d) {
			return 1, true
		}
		return 0, true
	}
}

func count(f func(d direction) int64) func(d direction) (float64, bool) {
	return func(d direction) (float64, bool) { return float64(f(d)), true }
}

// option16 is a figure from an option in the SYN, which tcptrace writes as 0
// where there is none.
func option16(f func(d direction) *int) func(d direction) (float64, bool) {
	return func(d direction) (float64, bool) {
		if v := f(d); v != nil {
			return float64(*v), true
		}
		return 0, true
	}
}

func stat(of func(d direction) *report.Stat, f func(s *report.Stat) float64) func(d direction) (float64, bool) {
	return func(d direction) (float64, bool) {
		if s := of(d); s != nil {
			return f(s), true
		}
		return 0, false
	}
}

// newest is a figure of rtt_newest, whose samples are nearest to tcptrace's:
// those of the segment that an ACK acknowledges to its end.
func newest(f func(s *report.Stat) float64) func(d direction) (float64, bool) {
	return stat(func(d direction) *report.Stat { return d.RTTNewest }, f)
}

// dataTime returns the time from the first to the last payload in seconds,
// which the throughput was made with.
func dataTime(d direction) (float64, bool) {
	if d.Throughput == nil || d.Throughput.Avg == 0 {
		return 0, false
	}
	return float64(*d.Bytes) * 8 / (d.Throughput.Avg * 1e6), true
}

package tcptrace

import (
	"fmt"
	"strconv"
	"strings"
)

// group is the part of the long output that a field belongs to.
type group uint8

const (
	groupBase group = iota
	groupOwin       // option -W
	groupRTT        // option -r
)

// field is a pair of columns: one figure in both directions.
type field struct {
	group  group
	label  string // in the long output
	unit   string // behind the figure in the long output
	column string // in separated values, without direction; "" = label with _ for blanks
	when   func(p *Pair) bool
	value  func(p *Pair, d *SubflowDir) string
}

// name returns the column's name in the direction "a2b" or "b2a". One name of tcptrace does not
// follow the rule.
func (f *field) name(direction string) string {
	column := f.column
	if column == "" {
		column = strings.ReplaceAll(f.label, " ", "_")
	}
	if column == "RTT_full_sz_stdev" && direction == "a2b" {
		column = "RTT full_sz_stdev"
	}
	return column + "_" + direction
}

// missing stands for a figure that does not exist.
const missing = "NA"

func count(f func(d *SubflowDir) int64) func(*Pair, *SubflowDir) string {
	return func(_ *Pair, d *SubflowDir) string { return strconv.FormatInt(f(d), 10) }
}

// millis prints a time in ms that f returns in us.
func millis(f func(d *SubflowDir) float64) func(*Pair, *SubflowDir) string {
	return func(_ *Pair, d *SubflowDir) string { return fmt.Sprintf("%.1f", f(d)/1000) }
}

func yes(b bool) string {
	if b {
		return "Y"
	}
	return "N"
}

// either is for a line that the long output has only if f is true for one of the directions.
func either(f func(d *SubflowDir) bool) func(p *Pair) bool {
	return func(p *Pair) bool { return f(&p.Dirs[0]) || f(&p.Dirs[1]) }
}

// fields are tcptrace's figures in its order.
var fields = []field{
	{label: "total packets", value: count(func(d *SubflowDir) int64 { return d.Packets })},
	{label: "resets sent", when: either(func(d *SubflowDir) bool { return d.Resets > 0 }), value: count(func(d *SubflowDir) int64 { return d.Resets })},
	{label: "ack pkts sent", value: count(func(d *SubflowDir) int64 { return d.AckPkts })},
	{label: "pure acks sent", value: count(func(d *SubflowDir) int64 { return d.PureAcks })},
	{label: "sack pkts sent", value: count(func(d *SubflowDir) int64 { return d.SACKPkts })},
	{label: "dsack pkts sent", value: count(func(d *SubflowDir) int64 { return d.DSACKPkts })},
	{label: "max sack blks/ack", value: count(func(d *SubflowDir) int64 { return d.MaxSACKBlocks })},
	{label: "unique bytes sent", value: count(func(d *SubflowDir) int64 { return d.UniqueBytes })},
	{label: "actual data pkts", value: count(func(d *SubflowDir) int64 { return d.DataPkts })},
	{label: "actual data bytes", value: count(func(d *SubflowDir) int64 { return d.DataBytes })},
	{label: "rexmt data pkts", value: count(func(d *SubflowDir) int64 { return d.RexmtPkts })},
	{label: "rexmt data bytes", value: count(func(d *SubflowDir) int64 { return d.RexmtBytes })},
	{label: "zwnd probe pkts", value: count(func(d *SubflowDir) int64 { return d.ProbePkts })},
	{label: "zwnd probe bytes", value: count(func(d *SubflowDir) int64 { return d.ProbeBytes })},
	{label: "outoforder pkts", value: count(func(d *SubflowDir) int64 { return d.OutOfOrder })},
	{label: "pushed data pkts", value: count(func(d *SubflowDir) int64 { return d.Pushed })},
	{label: "SYN/FIN pkts sent", value: func(_ *Pair, d *SubflowDir) string { return fmt.Sprintf("%d/%d", d.SYNs, d.FINs) }},
	{label: "req 1323 ws/ts", when: either(func(d *SubflowDir) bool { return d.AskWS || d.AskTS }), value: func(_ *Pair, d *SubflowDir) string { return yes(d.AskWS) + "/" + yes(d.AskTS) }},
	{label: "adv wind scale", when: either(func(d *SubflowDir) bool { return d.AskWS }), value: count(func(d *SubflowDir) int64 { return int64(d.WindowScale) })},
	{label: "req sack", when: either(func(d *SubflowDir) bool { return d.AskSACK }), value: func(_ *Pair, d *SubflowDir) string { return yes(d.AskSACK) }},
	{label: "sacks sent", when: either(func(d *SubflowDir) bool { return d.AskSACK }), value: count(func(d *SubflowDir) int64 { return d.SACKPkts })},
	{label: "urgent data pkts", unit: "pkts", value: count(func(d *SubflowDir) int64 { return d.UrgentPkts })},
	{label: "urgent data bytes", unit: "bytes", value: count(func(d *SubflowDir) int64 { return d.UrgentBytes })},
	{label: "mss requested", unit: "bytes", value: count(func(d *SubflowDir) int64 { return d.MSS })},
	{label: "max segm size", unit: "bytes", value: count(func(d *SubflowDir) int64 { return d.MaxSegm })},
	{label: "min segm size", unit: "bytes", value: count(func(d *SubflowDir) int64 { return d.MinSegm })},
	{label: "avg segm size", unit: "bytes", value: count((*SubflowDir).avgSegm)},
	{label: "max win adv", unit: "bytes", value: count(func(d *SubflowDir) int64 { return d.MaxWin })},
	{label: "min win adv", unit: "bytes", value: count(func(d *SubflowDir) int64 { return d.MinWin })},
	{label: "zero win adv", unit: "times", value: count(func(d *SubflowDir) int64 { return d.ZeroWins })},
	{label: "avg win adv", unit: "bytes", value: func(p *Pair, d *SubflowDir) string {
		return strconv.FormatInt(d.avgWin(p.Dirs[0].winScaled && p.Dirs[1].winScaled), 10)
	}},
	{group: groupOwin, label: "max owin", unit: "bytes", value: count(func(d *SubflowDir) int64 { return d.MaxOwin })},
	{group: groupOwin, label: "min non-zero owin", unit: "bytes", value: count(func(d *SubflowDir) int64 { return d.MinOwin })},
	{group: groupOwin, label: "avg owin", unit: "bytes", value: count((*SubflowDir).avgOwin)},
	{group: groupOwin, label: "wavg owin", unit: "bytes", value: weightedOwin},
	{label: "initial window", unit: "bytes", column: "initial_window_bytes", value: count(func(d *SubflowDir) int64 { return d.InitialBytes })},
	{label: "initial window", unit: "pkts", column: "initial_window_pkts", value: count(func(d *SubflowDir) int64 { return d.InitialPkts })},
	{label: "ttl stream length", unit: "bytes", value: streamLength(0)},
	{label: "missed data", unit: "bytes", value: streamLength(1)},
	{label: "truncated data", unit: "bytes", value: count(func(d *SubflowDir) int64 { return d.TruncatedBytes })},
	{label: "truncated packets", unit: "pkts", value: count(func(d *SubflowDir) int64 { return d.TruncatedPkts })},
	{label: "data xmit time", unit: "secs", value: func(_ *Pair, d *SubflowDir) string {
		return fmt.Sprintf("%.3f", float64(elapsed(d.firstData, d.lastData))/1e6)
	}},
	{label: "idletime max", unit: "ms", value: idle},
	{label: "hardware dups", unit: "segs", when: either(func(d *SubflowDir) bool { return d.HardwareDups > 0 }), value: count(func(d *SubflowDir) int64 { return d.HardwareDups })},
	{label: "throughput", unit: "Bps", value: throughput},

	{group: groupRTT, label: "RTT samples", value: count(func(d *SubflowDir) int64 { return d.RTT.n })},
	{group: groupRTT, label: "RTT min", unit: "ms", value: millis(func(d *SubflowDir) float64 { return d.RTT.min })},
	{group: groupRTT, label: "RTT max", unit: "ms", value: millis(func(d *SubflowDir) float64 { return d.RTT.max })},
	{group: groupRTT, label: "RTT avg", unit: "ms", value: millis(func(d *SubflowDir) float64 { return d.RTT.avg() })},
	{group: groupRTT, label: "RTT stdev", unit: "ms", value: millis(func(d *SubflowDir) float64 { return d.RTT.stdev() })},
	{group: groupRTT, label: "RTT from 3WHS", unit: "ms", value: millis(func(d *SubflowDir) float64 { return float64(d.RTT3WHS) })},
	{group: groupRTT, label: "RTT full_sz smpls", value: count(func(d *SubflowDir) int64 { return d.RTTFull.n })},
	{group: groupRTT, label: "RTT full_sz min", unit: "ms", value: millis(func(d *SubflowDir) float64 { return d.RTTFull.min })},
	{group: groupRTT, label: "RTT full_sz max", unit: "ms", value: millis(func(d *SubflowDir) float64 { return d.RTTFull.max })},
	{group: groupRTT, label: "RTT full_sz avg", unit: "ms", value: millis(func(d *SubflowDir) float64 { return d.RTTFull.avg() })},
	{group: groupRTT, label: "RTT full_sz stdev", unit: "ms", value: millis(func(d *SubflowDir) float64 { return d.RTTFull.stdev() })},
	{group: groupRTT, label: "post-loss acks", value: count(func(d *SubflowDir) int64 { return d.PostLossAcks })},
	{group: groupRTT, label: "ambiguous acks", when: ambiguous, value: count(func(d *SubflowDir) int64 { return d.RTTLast.n })},
	{group: groupRTT, label: "RTT min (last)", unit: "ms", when: ambiguous, value: millis(func(d *SubflowDir) float64 { return d.RTTLast.min })},
	{group: groupRTT, label: "RTT max (last)", unit: "ms", when: ambiguous, value: millis(func(d *SubflowDir) float64 { return d.RTTLast.max })},
	{group: groupRTT, label: "RTT avg (last)", unit: "ms", when: ambiguous, value: millis(func(d *SubflowDir) float64 { return d.RTTLast.avg() })},
	{group: groupRTT, label: "RTT sdv (last)", unit: "ms", when: ambiguous, value: millis(func(d *SubflowDir) float64 { return d.RTTLast.stdev() })},
	{group: groupRTT, label: "segs cum acked", value: count(func(d *SubflowDir) int64 { return d.CumAcked })},
	{group: groupRTT, label: "duplicate acks", value: count(func(d *SubflowDir) int64 { return d.DupAcks })},
	{group: groupRTT, label: "triple dupacks", value: count(func(d *SubflowDir) int64 { return d.TripleDupAcks })},
	{group: groupRTT, label: "max # retrans", value: count(func(d *SubflowDir) int64 { return d.MaxRetrans })},
	{group: groupRTT, label: "min retr time", unit: "ms", value: millis(func(d *SubflowDir) float64 { return d.RetransTime.min })},
	{group: groupRTT, label: "max retr time", unit: "ms", value: millis(func(d *SubflowDir) float64 { return d.RetransTime.max })},
	{group: groupRTT, label: "avg retr time", unit: "ms", value: millis(func(d *SubflowDir) float64 { return d.RetransTime.avg() })},
	{group: groupRTT, label: "sdv retr time", unit: "ms", value: millis(func(d *SubflowDir) float64 { return d.RetransTime.stdev() })},
}

// ambiguous reports whether a segment that was sent twice was acknowledged.
func ambiguous(p *Pair) bool { return p.Dirs[0].RTTLast.n+p.Dirs[1].RTTLast.n > 0 }

func weightedOwin(p *Pair, d *SubflowDir) string {
	if p.elapsed() == 0 {
		return missing
	}
	return strconv.FormatInt(int64(float64(d.owinWeighted)/(float64(p.elapsed())/1e6)), 10)
}

// streamLength returns the length of the stream. With got = 1 it returns how much of the stream
// is missing.
func streamLength(got int64) func(*Pair, *SubflowDir) string {
	return func(_ *Pair, d *SubflowDir) string {
		n, ok := d.streamLength()
		if !ok {
			return missing
		}
		return strconv.FormatInt(n-got*d.UniqueBytes, 10)
	}
}

func idle(_ *Pair, d *SubflowDir) string {
	if d.Packets == 0 {
		return missing
	}
	return fmt.Sprintf("%.1f", float64(d.MaxIdle)/1000)
}

func throughput(p *Pair, d *SubflowDir) string {
	if p.elapsed() == 0 {
		return missing
	}
	return fmt.Sprintf("%.0f", float64(d.UniqueBytes)/(float64(p.elapsed())/1e6))
}

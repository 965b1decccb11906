package metrics

import (
	"fmt"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/stats"
)

// Terms returns what the explain command knows besides metrics: figures within metrics,
// the clock of two captures, and the summary of many values. They have no series, and
// no other command takes their names.
func Terms() (all []catalogue.Metric) {
	for _, m := range termRows {
		m.Also = append([]string{}, m.Also...)
		all = append(all, m)
	}
	return all
}

// termRows are sorted by name.
var termRows = []catalogue.Metric{
	{
		Name: "blocked", JSON: "handovers.blocked_ms", Also: []string{"blocked_ms"}, Unit: "ms", Levels: []catalogue.Level{catalogue.OfFigure}, Better: catalogue.LowerIsBetter,
		Definition: "How long in-order delivery waited for data of a path that died.",
		Formula: "from the beginning of gap_ms to recovered_s or the end of the connection: the time in which the first missing byte is one of the dead subflow and later data has passed on others. " +
			"At the sender ACKs and SACKs show this, elsewhere what had arrived",
		Source: "this program", Evidence: catalogue.Everywhere, Family: catalogue.FamilyVerdicts,
	},
	{
		Name: "bound", JSON: "clock.bound_ms", Also: []string{"bound_ms"}, Unit: "ms", Levels: []catalogue.Level{catalogue.OfReport}, Better: catalogue.LowerIsBetter,
		Definition: "Largest possible error of offset_ms, and so of every one-way delay, where the two directions of a path do not take the same time.",
		Formula:    "(least delay forth + least delay back) / 2, of the path with the shortest round trip. Where the offset is left at 0, the distance from 0 to the offset for equal times is added", Source: "this program",
		Evidence: catalogue.Evidence{Both: catalogue.Matched},
		Caveats:  "No two captures can tell an asymmetric path from an offset: this bound is certain, uncertainty_ms is not.",
	},
	{
		Name: "buffer_density", JSON: "out_of_order.buffer_density_percent", Also: []string{"buffer_density_percent", "reorder_buffer_density", "RBD"}, Unit: "percent", Levels: []catalogue.Level{catalogue.OfFigure}, Better: catalogue.NeitherIsBetter,
		Definition: "How often so many chunks were in a reorder buffer.",
		Formula: "the chunks above missing data are counted after each chunk that arrives first. Value k of the list is the percentage of these counts with 0 chunks (k = 0), or with 2^(k-1) to 2^k - 1 chunks (k = 1, 2, ...): " +
			"0, 1, 2 to 3, 4 to 7 and so on",
		Source: "RFC 5236 Section 5", Evidence: catalogue.Evidence{Sender: catalogue.SendOrder, Receiver: catalogue.Observed, Both: catalogue.Observed}, Family: catalogue.FamilyOrder,
		Caveats: "buffer_chunks is the same occupancy as a distribution. Data that was DATA_ACKed does not count as missing.",
	},
	{
		Name: "clock", JSON: "clock", Also: []string{"offset_ms", "drift_ppm", "step_ms", "step_s", "method"}, Unit: catalogue.Composite, Levels: []catalogue.Level{catalogue.OfReport}, Better: catalogue.NeitherIsBetter,
		Definition: "Difference between the clock of the receiver's capture and that of the sender's: offset_ms (how far it is ahead at the first packet), drift_ppm (how much it gains), and a step while the captures ran. Every delay between the captures is corrected for it.",
		Formula: "the captures are divided into at most 128 parts of equal length. Of each part the least delay counts, for each pair of addresses and each direction. Packets without payload are taken. Where there are none, other packets are, less the time that their size takes. " +
			"offset = (least forth - least back) / 2 of the pair with the shortest round trip. drift: slopes of these least delays, or of capture times against the TCP timestamps of the host where the capture was taken",
		Source: "this program", Evidence: catalogue.Evidence{Both: catalogue.Matched},
		Caveats: "By default (--clock auto) the offset stays 0 as long as no delay is negative then. The drift stays 0 unless it is four standard errors from 0. method says what was done. --clock none takes the times as they are. If the least delays of both directions add up to less than nothing, no offset is possible: offset_ms is null, and delays between the captures are absent.",
	},
	{
		Name: "drift_uncertainty", JSON: "clock.drift_uncertainty_ppm", Also: []string{"drift_uncertainty_ppm"}, Unit: "ppm", Levels: []catalogue.Level{catalogue.OfReport}, Better: catalogue.LowerIsBetter,
		Definition: "Possible error of drift_ppm, by the delays: in 95 % of sessions the true drift is within it.",
		Formula:    "three standard errors of two slopes, that of the least delays and the one that was taken, plus the difference of these slopes. It is at most 200 ppm where TCP timestamps show the drift", Source: "this program",
		Evidence: catalogue.Evidence{Both: catalogue.Matched},
	},
	{
		Name: "failback", JSON: "handovers.failback_ms", Also: []string{"failback_ms"}, Unit: "ms", Levels: []catalogue.Level{catalogue.OfFigure}, Better: catalogue.LowerIsBetter,
		Definition: "Time from the return of a path that had died until it carries its share of the payload again.",
		Formula: "from recovered_s to the beginning of the first second in which the path carries its share again. Its share is 90 % or more of the part of all payload that it carried in the second before its silence. Seconds begin at cells of 100 ms, counted from the first payload of the direction. " +
			"0 where that second begins with the cell that contains recovered_s",
		Source: "this program", Evidence: catalogue.Everywhere, Family: catalogue.FamilyVerdicts,
		Caveats: "Payload counts with retransmissions and copies. The link may work before recovered_s: the sender finds out with its next try.",
	},
	{
		Name: "fairness", JSON: "fairness", Also: []string{"jain_index", "Jain", "mptcp_share_percent", "ratio_to_best_tcp", "takes_more_than_tcp", "both_active_s", "least_congested_share_percent"}, Unit: catalogue.Composite, Levels: []catalogue.Level{catalogue.OfReport}, Better: catalogue.NeitherIsBetter,
		Definition: "Multipath TCP compared with plain TCP on the same path, in the same direction, at the same time. A path has the share of each and Jain's index. A connection has its rate, compared with that of plain TCP on its best path.",
		Formula: "two flows share a path if they have the same label (--label) or the same addresses, and have the same direction; the subflows of a connection on a path are one flow. Bytes are counted in cells that begin at multiples of their length since the Unix epoch. The length is 2^26 ns (67 ms), the same for all flows of a comparison. It doubles until each direction of a subflow takes at most 1024 cells from its first data to its last, and all flows together take at most 16384. A flow is active in the cells between its first and its last cell with data; these two do not count. All figures are of the cells in which at least one flow of each kind is active:" +
			"\n- rate: bytes in the flow's active cells among them / the time of these cells" +
			"\n- jain_index = (sum of rates)^2 / (flows x sum of squared rates)" +
			"\n- ratio_to_best_tcp = rate of the connection on all its paths / rate of plain TCP on the best of them. The latter is the largest of the mean rates of plain TCP, each over the cells in which both are active on that path\n" +
			"Goals of RFC 6356:\n- improve throughput: ratio_to_best_tcp >= 1\n- do no harm: most_to_tcp_on_a_path <= 1, and ratio_to_best_tcp <= 1 where the paths share a bottleneck\n- balance congestion: least_congested_share_percent is large",
		Source: "RFC 6356 Section 2; Jain, Chiu, Hawe, DEC TR-301, 1984", Evidence: catalogue.Everywhere,
		Caveats: "Directions of connections with less than 100 kB are left out. Payload counts as it passes, copies included; at the sender that is before the losses. If the application or a window limits a flow, it takes less than its share for that reason; these figures do not show this. A capture does not show whether paths share a bottleneck. --skip and --until have no effect on it. At most the 256 directions with the most bytes, and 1024 subflows at once, count (omitted_connections).", Option: "--fairness",
	},
	{
		Name: "lead", JSON: "reinjection_worth.lead_ms", Also: []string{"lead_ms"}, Unit: "ms", Levels: []catalogue.Level{catalogue.OfFigure}, Better: catalogue.NeitherIsBetter,
		Definition: "By how much the first copy of reinjected data arrived before the second.",
		Formula:    "arrival of the later copy - arrival of the earlier one, both at the receiver's capture. Either may be the original. Only data counts of which both copies arrived, and none before the second one left",
		Source:     "this program", Evidence: catalogue.Evidence{Both: catalogue.Matched},
		Caveats: "Only with two captures. If one copy had arrived before the other was sent, only the order counts.",
	},
	{
		Name: "n_reordering", JSON: "out_of_order.n_reordering_percent", Also: []string{"n_reordering_percent", "n_reordering_max", "n-reordering"}, Unit: "percent", Levels: []catalogue.Level{catalogue.OfFigure}, Better: catalogue.LowerIsBetter,
		Definition: "How many of the chunks that arrived first are n-reordered: the n chunks that arrived right before them all lie above them in the data sequence.",
		Formula:    fmt.Sprintf("value n of the list (n = 1, 2, ...) = 100 n-reordered chunks / chunks that arrived first. A chunk that is n-reordered is so for every smaller n, too. The list goes up to the largest n, %d at most; n_reordering_max is the largest n, also beyond", maxN),
		Source:     "RFC 4737 Section 5.3", Evidence: catalogue.Evidence{Sender: catalogue.SendOrder, Receiver: catalogue.Observed, Both: catalogue.Observed}, Family: catalogue.FamilyOrder,
		Caveats: "A TCP sender with a duplicate ACK threshold of 3 considers a 3-reordered segment lost; here chunks of all subflows are in one order.",
	},
	{
		Name: "statistics", JSON: "avg, min, max, p50, p95, p99, stddev, samples", Also: []string{"avg", "min", "max", "p50", "p95", "p99", "percentile", "percentiles", "median", "stddev", "sample_stddev", "samples", "cell_mean", "variance", "cov"},
		Unit: catalogue.Composite, Levels: []catalogue.Level{catalogue.OfFigure}, Better: catalogue.NeitherIsBetter,
		Definition: "Figures of a metric that has many values v with weights w. Values are those of series.csv, where the metric is in it, unless its definition names others; weights are 1 unless its definition names bytes or time.",
		Formula: "Within a run:" +
			"\n- avg = sum of w v / sum of w. Of a rate avg is bytes over active time, and cell_mean is the mean over cells" +
			"\n- variance = stddev² = sum of w (v - avg)² / sum of w, of the population" +
			"\n- cov = stddev / avg; of a rate stddev / cell_mean" +
			"\n- percentile p: the values stand in ascending order, each w times, W in all. It is the value at position p (W - 1), counted from 0, with linear interpolation between two values (type 7 of Hyndman and Fan, 1996)" +
			"\n- samples = number of values\n" +
			"Over the n runs of a scenario compare has sample_stddev, of the sample: its square is sum of (v - mean)² / (n - 1)",
		Source: "Hyndman and Fan 1996", Evidence: catalogue.Everywhere,
		Caveats: fmt.Sprintf("Only percentiles are approximate, and only where a metric has many values. Up to %d values they are exact; equal values in a row count once. With more values the error is at most 1/%d (%.1f %%) of the larger of the two values between which a percentile lies. Of one-way and end-to-end delays it is that part of their distance from the least of the first %d. Where a drift or a step of the clocks is taken out, percentiles are those of a sample. Those of hol_queue_segments, extent_chunks and buffer_chunks are exact for all numbers below 1024, however many there are.",
			stats.ExactLimit-1, stats.ErrorPart, 100.0/stats.ErrorPart, stats.ExactLimit-1),
	},
	{
		Name: "uncertainty", JSON: "clock.uncertainty_ms", Also: []string{"uncertainty_ms"}, Unit: "ms", Levels: []catalogue.Level{catalogue.OfReport}, Better: catalogue.LowerIsBetter,
		Definition: "Possible error of offset_ms, and so of every one-way delay, if the shortest path takes the same time in both directions.",
		Formula:    "the largest of these, but at most bound_ms:\n- 0.01 ms\n- a hundredth of bound_ms\n- half of the variation of the least delays (median over the parts of the captures, see clock)\n- the difference to the offsets of the other paths\nWhere the offset is left at 0, the distance from 0 to the offset for equal times is added",
		Source:     "this program", Evidence: catalogue.Evidence{Both: catalogue.Matched},
		Caveats: "Where the two directions of the path may differ, bound_ms counts.",
	},
}

package campaign

import (
	"slices"

	"mpanalyze/internal/report"
	"mpanalyze/internal/stats"
)

// Confidence is the confidence level of the intervals of means. It is also the level of
// verdicts unless the user chooses another one.
const Confidence = 0.95

// Aggregate is one figure over the runs of a scenario, in the figure's unit.
type Aggregate struct {
	// Arithmetic mean.
	Mean float64 `json:"mean"`
	// Standard deviation of the population of runs, for programs that read it; no table or page shows it.
	Stddev float64 `json:"stddev"`
	// Standard deviation of the sample of runs, which tables print behind ±: divided by the number of runs less 1; null for a single run, which has none.
	SampleStddev *float64 `json:"sample_stddev"`
	Median       float64  `json:"median"`
	Min          float64  `json:"min"`
	Max          float64  `json:"max"`
	// 95 % interval of the mean, by bootstrap with a fixed seed, corrected for bias and skewness (BCa); null for a single run, which has none.
	CI95 *[2]float64 `json:"ci95"`
	// Runs that have the figure; the other runs do not allow it.
	Runs int `json:"runs"`
	// Whose captures it comes from: "sender" or "receiver" of the data, "both" together, "middle", "several" where the runs differ; empty where that is not known.
	End string `json:"end"`
	// Cell of the sampling grid that the figure depends on, as in "100ms", "DATA_ACK" for a sample per DATA_ACK, "100ms+1s" where the runs differ; absent where it depends on none.
	Cell string `json:"cell,omitempty"`
}

// Summary is a scenario with its figures.
type Summary struct {
	Name string `json:"name"`
	// What was varied and what it was; absent where scenarios are no combinations of factors.
	Factors []Factor `json:"factors,omitempty"`
	// Runs that take part.
	Runs    int                  `json:"runs"`
	Metrics map[string]Aggregate `json:"metrics"`
	// Directions in which dsn_offset_bytes and out_of_order, of at least one run, describe the order of sending: captures at the sender show no other order.
	SendOrder []report.Direction `json:"send_order"`
}

// Summarize aggregates those figures that at least one run of the scenario has; figures is nil for
// all. An interval takes most of the time, so a table asks for its own figures alone.
func (sc *Scenario) Summarize(figures []string) Summary {
	s := Summary{Name: sc.Name, Runs: len(sc.Runs), SendOrder: sc.sendOrder()}
	s.Factors = sc.factors()
	if figures == nil {
		figures = sc.figures()
	}
	s.Metrics = make(map[string]Aggregate, len(figures))
	for _, name := range figures {
		x := sc.values(name)
		if len(x) == 0 {
			continue
		}
		a := aggregate(x)
		a.End, a.Cell = endOf(name, sc), gridCell(name, sc)
		s.Metrics[name] = a
	}
	return s
}

// figures returns the names of all figures of the runs, sorted.
func (sc *Scenario) figures() (all []string) {
	var last []string
	for _, m := range sc.Runs {
		if !slices.Equal(m.Names, last) { // most runs have the same ones
			last = m.Names
			all = distinct(append(all, last...))
		}
	}
	return all
}

func aggregate(x []float64) Aggregate {
	m := stats.Summarize(x)
	a := Aggregate{Mean: m.Mean, Stddev: m.Stddev, Median: m.Median, Min: m.Min, Max: m.Max, Runs: m.N, CI95: stats.MeanInterval(x, Confidence)}
	if m.N > 1 {
		a.SampleStddev = &m.Sample
	}
	return a
}

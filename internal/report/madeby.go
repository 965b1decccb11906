package report

// MadeBy is what made a report.
type MadeBy struct {
	// Version of the program, as mpanalyze version prints it.
	Version string `json:"version"`
	// Options of the analysis.
	Options Options `json:"options"`
}

// Options are those of an analysis.
type Options struct {
	// Cell of the sampling grid, as in "100ms"; "0s" for a sample per DATA_ACK.
	Interval string `json:"interval"`
	// Time left out after each direction's first data; "0s" for none.
	Skip string `json:"skip"`
	// Time after the first data from which on all is left out; "0s" for nothing.
	Until string `json:"until"`
	// What was derived: "all", "basic", or families separated by commas.
	Metrics string `json:"metrics"`
	// Expression of packets that were read; empty for all.
	Filter string `json:"filter"`
	// Whether tunnels were looked into.
	Decap bool `json:"decap"`
	// Place of the capture as stated: "a", "b" or "middle"; empty where it was deduced.
	Vantage string `json:"vantage"`
	// Names of paths, as in "10.0.1.0/24=wifi".
	Labels List[string] `json:"labels"`
	// Segments that a decrease takes away (cwnd_decisions).
	QoEAlpha float64 `json:"qoe_alpha"`
	// Segments that an increase adds (cwnd_decisions).
	QoEBeta float64 `json:"qoe_beta"`
	// Tolerance around the mean throughput estimate, as a part of it (cwnd_decisions).
	QoEGamma float64 `json:"qoe_gamma"`
	// Whether the choices of the scheduler were judged (scheduler_regret).
	Regret bool `json:"regret"`
	// Whether Multipath TCP was compared with plain TCP on the same path.
	Fairness bool `json:"fairness"`
	// Rate at which data was played, bit/s; 0 for no player (streaming).
	Bitrate float64 `json:"bitrate"`
	// Play in order before the player starts; "0s" without a player.
	Playout string `json:"playout"`
	// Pause that ends a message; "0s" for the default rule.
	MessageGap string `json:"message_gap"`
	// What was done about clocks of two captures that disagree: "auto", "none", "offset" or "drift".
	Clock string `json:"clock"`
	// Whose capture gives the figures that both captures show: "sender" or "receiver"; empty for a capture alone, and for the sender's figures with the receiver's order and head-of-line blocking.
	End string `json:"end"`
	// Id of the only connection that was asked for; null for all.
	Connection *int `json:"connection" null:"none"`
	// The only direction that was asked for: "a2b" or "b2a"; empty for both.
	Direction string `json:"direction"`
	// Records of the hosts, as in "b=host-server".
	Evidence List[string] `json:"evidence"`
}

// PartOfTime reports whether only a part of each direction's time was looked at (--from,
// --to); false where m is nil.
func (m *MadeBy) PartOfTime() bool {
	return m != nil && (given(m.Options.Skip) || given(m.Options.Until))
}

// given reports whether a time is set and not 0.
func given(text string) bool { return text != "" && text != "0s" }

// Window describes the time that was looked at, as in "in the first 3s after each
// direction's first data". It is empty if all of the time was.
func (m *MadeBy) Window() string {
	if !m.PartOfTime() {
		return ""
	}
	const origin = " after each direction's first data"
	switch o := &m.Options; {
	case !given(o.Until):
		return "later than " + o.Skip + origin
	case !given(o.Skip):
		return "in the first " + o.Until + origin
	default:
		return "from " + o.Skip + " to " + o.Until + origin
	}
}

package live

import (
	"encoding/json"
	"io"
	"net/netip"

	"mpanalyze/internal/report"
)

// SchemaName is the value of [Interval.Schema].
const SchemaName = "mpanalyze.live/1"

// Interval is what passed in one interval of the capture's time.
type Interval struct {
	Schema  string      `json:"schema"`  // mpanalyze.live/1
	Number  int64       `json:"number"`  // of the interval, from 0
	Start   report.Time `json:"start"`   // of the interval, by the stamps of the capture
	Seconds float64     `json:"seconds"` // length; where nothing passed for long, of several intervals; of the last one up to the last packet
	Last    bool        `json:"last"`    // nothing more comes
	Late    int64       `json:"late"`    // packets of an earlier time that came when its interval was over; they count here

	Opened int64 `json:"opened"` // connections that began; plain TCP, too, here and below
	Ended  int64 `json:"ended"`  // connections that ended, or were given up
	Open   int64 `json:"open"`   // connections that are open at the end of the interval
	Amounts

	Shown report.List[Connection] `json:"shown"` // the busiest connections, in the order in which they began
	Rest  Rest                    `json:"rest"`  // all others

	Verdicts        report.List[Verdict] `json:"verdicts"`         // that arose or went
	VerdictsOmitted int64                `json:"verdicts_omitted"` // further ones, which are not listed

	spent map[pathState]int64 // time of all subflows in the states of time_account, as far as it was settled in the interval, ns
}

// Amounts are how much passed.
type Amounts struct {
	Bytes      int64    `json:"bytes"`           // application data, each byte once; below 0 where later packets correct what was counted before
	Payload    int64    `json:"payload_bytes"`   // TCP payload, copies included
	Goodput    *float64 `json:"goodput_mbps"`    // of bytes; null where the interval has no length, or is the last one and covered for less than half, and where bytes is below 0
	Throughput *float64 `json:"throughput_mbps"` // of payload_bytes; null where the interval has no length, or is the last one and covered for less than half
}

// Rest is all connections that are not shown.
type Rest struct {
	Connections int64 `json:"connections"` // that are open, or carried payload in the interval
	Amounts
}

// Connection is what one connection did.
type Connection struct {
	Number     int                    `json:"number"`     // among all connections, from 0, in the order in which they were found
	Connection *int                   `json:"connection"` // its id in the report; null of plain TCP, which gets one at the end
	A          string                 `json:"a"`          // address and port of the host that began it
	B          string                 `json:"b"`          // of the other one
	Vantage    report.Vantage         `json:"vantage"`    // where the capture was taken, as far as it is known yet
	State      report.ConnState       `json:"state"`
	Ended      bool                   `json:"ended"` // no later interval has it
	A2B        ConnDir                `json:"a2b"`
	B2A        ConnDir                `json:"b2a"`
	Subflows   report.List[Subflow]   `json:"subflows"`
	Standing   report.List[VerdictOf] `json:"standing"` // verdicts that were listed and hold
}

// ConnDir is one direction of a connection.
type ConnDir struct {
	Bytes       *int64         `json:"bytes"`           // application data, each byte once; below 0 where later packets correct what was counted before
	Payload     int64          `json:"payload_bytes"`   // TCP payload, copies included
	Goodput     *float64       `json:"goodput_mbps"`    // of bytes
	Throughput  *float64       `json:"throughput_mbps"` // of payload_bytes
	Rwnd        *int64         `json:"rwnd_bytes"`      // the latest receive window that was offered for this direction
	RwndFree    *int64         `json:"rwnd_free_bytes"` // what of the window is not used
	Window      *float64       `json:"window_ms"`       // time in which less than a segment of the window was left
	Application *float64       `json:"application_ms"`  // time in which nothing was outstanding and the window had room
	DataAck     *float64       `json:"data_ack_ms"`     // for how long at the end data had been outstanding with no advance of the DATA_ACK
	WaitsFor    *Wait          `json:"waits_for"`       // what was waited for most; null where nothing was for long
	Unavailable report.Reasons `json:"unavailable"`
}

// Wait names what data waits for.
type Wait string

// The waits. The rest of the time, which they do not explain, is due to the paths and the
// congestion control.
const (
	WaitsForWindow      Wait = "window"      // room in the receive window
	WaitsForApplication Wait = "application" // the application had nothing to send
	WaitsForSubflow     Wait = "subflow"     // data that a subflow had to carry: see its head_of_line_ms
	WaitsForDataAck     Wait = "data_ack"    // no DATA_ACK for a second or longer
)

// Subflow is what one subflow did.
type Subflow struct {
	Subflow int    `json:"subflow"` // its id in the report
	Path    string `json:"path"`
	Backup  bool   `json:"backup"` // flag B in its handshake
	Open    bool   `json:"open"`   // it is established and not closed
	A2B     SubDir `json:"a2b"`
	B2A     SubDir `json:"b2a"`

	ends [2]netip.AddrPort // by side
}

// SubDir is one direction of a subflow.
type SubDir struct {
	Bytes         *int64         `json:"bytes"`                  // copies included; on a subflow of Multipath TCP what a mapping covers; below 0 where later packets correct that
	Payload       int64          `json:"payload_bytes"`          // TCP payload, copies included
	Throughput    *float64       `json:"throughput_mbps"`        // of payload_bytes
	Share         *float64       `json:"share_percent"`          // part of the connection's new data that it carried first
	Segments      int64          `json:"segments"`               // sent
	Retransmitted int64          `json:"retransmitted_segments"` // sent again
	Lost          *int64         `json:"lost_segments"`          // by which drops.count grew; below 0 where copies turned out to be needless
	Loss          *float64       `json:"loss_percent"`           // drops.percent so far
	SRTT          *float64       `json:"srtt_ms"`                // after the latest sample
	InFlight      int64          `json:"in_flight_bytes"`        // sent and not acknowledged, as the place of the capture shows it
	Blocked       *float64       `json:"head_of_line_ms"`        // time in which delivery waited for what it had to carry
	Kernel        *Kernel        `json:"kernel,omitempty"`       // the latest row of ss of the sending host, with --evidence; absent where there is none of the last 2 s
	Unavailable   report.Reasons `json:"unavailable"`

	first int64 // bytes of new data that it carried first
}

// VerdictOf names a verdict of a connection.
type VerdictOf struct {
	Code      report.VerdictCode `json:"code"`
	Severity  report.Severity    `json:"severity"`
	Direction *report.Direction  `json:"direction"` // null where it concerns both or none
	Subflow   *int               `json:"subflow"`   // null where it concerns no single one
}

// Verdict is a verdict that arose or went.
type Verdict struct {
	Change     Change      `json:"change"`
	Time       report.Time `json:"time"`       // of the look that found it
	Number     int         `json:"number"`     // of the connection, as in shown
	Connection *int        `json:"connection"` // its id in the report; null of plain TCP
	VerdictOf
	Text string `json:"text"` // as it was when the verdict arose, or last held
}

// Change is what became of a verdict.
type Change string

// The changes.
const (
	Arose Change = "arose" // it has held for a while, or at the end of the connection
	Gone  Change = "gone"  // it had been listed and does not hold any more
)

// Write writes an interval as a line of JSON.
func Write(w io.Writer, v *Interval) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

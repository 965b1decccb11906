package engine

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"sync/atomic"
	"time"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/sentences"
	"mpanalyze/internal/storage"
)

// Options says what to analyse and how.
type Options struct {
	Paths      []string           // files of one host, "-" for Stdin
	Receiver   []string           // files of its peer, for a report on both; empty for a report on one host
	Swap       bool               // exchange Paths and Receiver if the host of Receiver sends most of the data
	End        report.Host        // whose capture gives the figures that both show, with Receiver; empty for those of the sender with the receiver's order and head-of-line blocking
	Clock      clock.Mode         // what to do about clocks that disagree, with Receiver
	Stdin      io.Reader          // read where Paths holds "-"
	Files      *storage.Files     // what else reads the files of this analysis, as for a hash; nil for nothing
	Filter     string             // tcpdump expression; empty for every packet
	Decap      bool               // whether to look into tunnels
	FileOrder  bool               // take packets in the order of the file, even if their timestamps are not in order, as other programs do
	MaxState   int64              // bounds the memory for connections that are open, bytes; 0 for [conn.DefaultMaxState]
	Kernel     sentences.Kernel   // kernel that remedies are for; empty for one that nobody named
	Vantage    report.Vantage     // overrules the deduced vantage; empty to deduce it
	Interval   time.Duration      // cell of the sampling grid; 0 for a sample per DATA_ACK
	Skip       time.Duration      // time after a direction's first data that delays, order, rates and shares leave out
	Until      time.Duration      // time after a direction's first data from which on they leave out everything; 0 for never
	Connection int                // only this connection; [AllConnections] for all
	Direction  report.Direction   // only this direction; empty for both
	Labels     []Label            // names of paths; the first that matches counts
	QoE        metrics.QoE        // parameters of the decisions of a throughput-based congestion control
	Fairness   bool               // compare Multipath TCP with plain TCP on the same paths
	Regret     bool               // judge the choices of the scheduler
	Player     metrics.Player     // player of the data of each direction; the zero value for none
	Omit       catalogue.Families // families of metrics that are not computed
	Detail     report.Detail      // how much the report has about connections; for two captures, [report.WithData] and [report.Lines] mean everything

	Evidence []hosts.Source // records of the hosts

	Version   string // version of the program, for the report
	Several   bool   // this is one of several runs, and labels may be for the others; [UnusedLabels] checks them for all runs
	HashLimit int64  // the report has the SHA-256 of each file of at most so many bytes

	// Rows takes series, chunks, mappings and events as they settle; nil for
	// none.
	Rows report.RowSink
	// Series says whether a series is wanted, by its metric's name without
	// unit; nil for none.
	Series func(metric string) bool
	// Changes leaves out rows that repeat the value of the row before, in series of
	// quantities that keep their value until it changes. The last row is always
	// written.
	Changes bool

	// Packets takes every packet with payload of both captures; nil for none.
	Packets report.PacketSink

	// Modules are offered every connection, beside the metrics.
	Modules []conn.Module

	// Captured says that the modules read [packet.Segment.Captured].
	Captured bool

	Progress *Progress // updated while the analysis runs; nil for none

	OneGoroutine bool // one goroutine reads and tracks, because other runs are analysed at the same time

	live    *monitor // shows what passes while the captures are read; nil for none
	inOrder bool     // see needsOrder
	stored  int64    // bytes of reports on ended connections that stay in memory; 0 for the default of [report.NewStored]
}

// AllConnections in [Options.Connection] selects every connection.
const AllConnections = -1

// Label names the paths that begin or end at an address.
type Label struct {
	Prefix netip.Prefix
	Name   string
}

// String returns the name, and the address or subnet.
func (l Label) String() string {
	if l.Prefix.IsSingleIP() {
		return fmt.Sprintf("%s (%v)", l.Name, l.Prefix.Addr())
	}
	return fmt.Sprintf("%s (%v)", l.Name, l.Prefix)
}

// Progress is how far an analysis has come. Its fields may be read at any time
// from any goroutine.
type Progress struct {
	Bytes   atomic.Int64 // bytes read from the files on disk
	Total   atomic.Int64 // size of all files, bytes; 0 where it is not known, as for a pipe
	Packets atomic.Int64
}

// FollowResult is what was written of an application stream.
type FollowResult struct {
	SHA256 [32]byte
	Bytes  int64
}

// A DamageError says that one or several files are damaged, and that the report holds
// only what is before the damage; or that no packet has a link type that is known. Any other error
// says that nothing could be analysed: no such file, not a capture, no such connection.
type DamageError struct {
	Err     error
	Nothing bool // no file has a packet that could be read
}

func (e *DamageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause, of several files joined.
func (e *DamageError) Unwrap() error { return e.Err }

// Damaged reports whether err comes with a report on what is before the damage.
func Damaged(err error) bool {
	var d *DamageError
	return errors.As(err, &d)
}

package runs

import (
	"fmt"
	"path/filepath"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/evidence"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
	"mpanalyze/internal/storage"
)

// isLog reports whether a run is a log of ss in place of a capture. What can be read only once is
// taken for a capture.
func isLog(in *campaign.Input) bool {
	if len(in.Files) == 0 || in.IsReport() || in.Files[0] == "-" || storage.Is(in.Files[0]) {
		return false
	}
	info, err := storage.Stat(in.Files[0])
	return err == nil && info.Mode().IsRegular() && hosts.IsSS(in.Files[0])
}

// ofLog returns the figures of a run that is a log of ss.
func (o *Options) ofLog(in *campaign.Input, content string, captures []string) (*campaign.Run, error) {
	name := in.Files[0]
	switch {
	case len(in.AllFiles()) > 1:
		return nil, fmt.Errorf("%s: a log of ss is a run of its own; name the log of the host that sends alone", name)
	case in.Single:
		return nil, fmt.Errorf("%s: a run of one path alone takes a capture, not a log of ss", name)
	case o.Connection != campaign.AnyConnection:
		return nil, fmt.Errorf("%s: a log of ss has no ids of connections, which --connection names; the one with the most data is taken", name)
	case o.Options.Skip != 0:
		return nil, fmt.Errorf("%s: a log of ss has no figures without a time at their beginning, which --from asks for", name)
	}
	eo := o.optionsOf(in)
	if eo.Vantage == report.VantageMiddle {
		return nil, fmt.Errorf("%s: a log of ss is of one of the hosts, not of a place between them", name)
	}
	log, err := evidence.ReadLog(o.Files, name, report.Side(eo.Vantage))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	run := campaign.OfLog(log.Side, logSubflows(log, &eo))
	run.Connections, run.Content, run.Captures, run.MadeBy = log.Connections, content, captures, eo.MadeBy()
	return run, nil
}

// logVantage returns the end of a log by the name of its folder; empty if that does not tell.
func logVantage(in *campaign.Input) report.Vantage {
	if len(in.Files) == 0 {
		return ""
	}
	folder := filepath.Base(filepath.Dir(in.Files[0]))
	for _, f := range recordFolders {
		if folder == f.Path && isLog(in) {
			return report.Vantage(f.End)
		}
	}
	return ""
}

// logSubflows names the paths of the subflows, A first.
func logSubflows(log *evidence.Log, o *engine.Options) (out []campaign.LogSubflow) {
	for i := range log.Subflows {
		s := &log.Subflows[i]
		a, b := s.Local.Addr(), s.Peer.Addr()
		if log.Side == report.SideB {
			a, b = b, a
		}
		f := campaign.LogSubflow{
			Path: o.Label(a, b), Ends: [2]string{a.String(), b.String()},
			Sent: s.Sent, Received: s.Received, Segments: s.Segments, Again: s.RetransmittedSegments,
		}
		if f.Path == "" {
			f.Path = f.Ends[0] + "-" + f.Ends[1]
		}
		out = append(out, f)
	}
	return out
}

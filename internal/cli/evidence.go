package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/hosts"
)

// records holds the flag that names records of the hosts.
type records struct{ evidence []string }

func (r *records) register(c *cobra.Command) {
	c.Flags().StringArrayVar(&r.evidence, "evidence", nil, "records of a host (ss, nstat, ip mptcp and the like): a file or folder, `[a=|b=]PATH`; may be repeated")
}

// apply checks the flag and gives the records to the engine.
func (r *records) apply(o *engine.Options) error {
	for _, text := range r.evidence {
		s := hosts.Source{Path: text}
		if end, path, found := strings.Cut(text, "="); found && (end == string(hosts.EndA) || end == string(hosts.EndB)) {
			s = hosts.Source{End: hosts.End(end), Path: path}
		}
		if s.Path == "" {
			return fmt.Errorf("--evidence %q: want a file or folder, as in b=host-server", text)
		}
		o.Evidence = append(o.Evidence, s)
	}
	return nil
}

// registerRecordsDir adds the flag that names the folder with the records of each run.
func registerRecordsDir(c *cobra.Command, dir *string, without string) {
	c.Flags().StringVar(dir, "evidence-dir", "", "`DIR`ectory, relative to that of each capture, whose folders host-a and host-b hold records of the hosts; default: "+without)
}

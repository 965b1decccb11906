package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"mpanalyze/internal/overlay"
)

// overlayFile is the flag that names a file of series beside the captures.
type overlayFile string

func (o *overlayFile) register(c *cobra.Command) {
	c.Flags().StringVar((*string)(o), "overlay", "", "series beside the packets (signal strength, position, load): a CSV `FILE` with the columns time, value, name, unit; time is RFC 3339, or seconds since the epoch; numbers below 100000000 are seconds since the first packet")
	reads(c, "overlay")
}

// read reads the file and says which rows it left out. Without the flag there are no series.
func (o *overlayFile) read(a *app) ([]overlay.Series, error) {
	if *o == "" {
		return nil, nil
	}
	s, err := overlay.Read(string(*o))
	if err != nil {
		return nil, fmt.Errorf("--overlay %w", err)
	}
	a.sayWarnings(s.Warnings())
	return s.Series, nil
}

// checkOverlay refuses a file of series where no figure can show it.
func (o *plotOptions) checkOverlay() error {
	shown := slices.ContainsFunc(o.drawings, func(d *drawing) bool { return d.kind.Overlaid() })
	return refuse(o.overlay != "" && !shown, "--overlay needs --kind series or --kind time_account")
}

// setOverlay gives the series to the figures that show them.
func (o *plotOptions) setOverlay(a *app) error {
	list, err := o.overlay.read(a)
	for _, d := range o.drawings {
		if d.kind.Overlaid() {
			d.kind.Options.Overlay = list
		}
	}
	return err
}

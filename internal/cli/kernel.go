package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/remedy"
)

// kernelFlag is the flag that says which kernel remedies are for.
type kernelFlag string

func (k *kernelFlag) register(c *cobra.Command) {
	c.Flags().StringVar((*string)(k), "kernel", "", "say what to do in settings that this `kernel` has: a version as of uname -r (6.12), omr (OpenMPTCProuter) or 0.9x (multipath-tcp.org); default: the versions are said")
	completeFrom(c, "kernel", remedy.Kernels)
}

// apply checks the flag and gives it to the engine.
func (k *kernelFlag) apply(o *engine.Options) (err error) {
	if o.Kernel, err = remedy.ParseKernel(string(*k)); err != nil {
		return fmt.Errorf("--kernel %w", err)
	}
	return nil
}

package cli

import "github.com/spf13/cobra"

// withOptions returns the function that cobra calls to run a command: run with the options o.
func withOptions[O any](run func(*cobra.Command, *O, []string) error, o *O) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error { return run(c, o, args) }
}

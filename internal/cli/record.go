package cli

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os/exec"
	"syscall"

	"github.com/spf13/cobra"
)

// recordScript records what the kernel of a host says. It needs only a POSIX shell.
//
//go:embed record.sh
var recordScript string

// recordOptions is the command line of record.
type recordOptions struct {
	print     bool
	iface     string
	arguments []string
}

func newRecord(a *app) *cobra.Command {
	o := &recordOptions{}
	check := func(c *cobra.Command, args []string) error { return mistakes(c, o.check(args)) }
	c := command("record", check, func(c *cobra.Command, _ []string) error {
		if o.print {
			_, err := fmt.Fprint(a.Out, recordScript)
			return err
		}
		return a.record(c.Context(), o)
	})
	c.Flags().BoolVar(&o.print, "print", false, "print the script, and record nothing")
	c.Flags().StringVarP(&o.iface, "interface", "i", "any", "`interface` to capture on")
	return c
}

// check checks the arguments. The script looks at the number of seconds.
func (o *recordOptions) check(args []string) error {
	o.arguments = args
	return errors.Join(
		refuse(o.print && len(args) > 0, "--print takes no folder: the script takes it when it runs"),
		refuse(!o.print && (len(args) == 0 || len(args) > 2), "name a folder that does not exist yet, and perhaps a number of seconds"))
}

// record runs the script. A signal goes to the script, which then writes what is counted after.
func (a *app) record(ctx context.Context, o *recordOptions) error {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return errors.New("record needs a POSIX shell, and there is no sh here")
	}
	args := append([]string{"-c", recordScript, "record", "-i", o.iface}, o.arguments...)
	c := exec.CommandContext(ctx, shell, args...)
	c.Stdout, c.Stderr = a.Out, a.Err
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	if err := c.Run(); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

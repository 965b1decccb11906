package cli

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
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

const recordHelp = `Record what the kernel of this host says about Multipath TCP,
beside a capture. It samples ss each 0.2 s and runs ip mptcp monitor. Before and
after, it saves nstat, queues, interfaces, endpoints, limits and rules. All goes into
the folder DIR, until SECONDS are over or Ctrl-C. Each tool that is missing is a line
in missing.txt. The exit status is 1 where a file cannot be written, or where a tool
ended before the record did.

Nobody else can read DIR: it holds keys and tokens of connections, the beginnings of
payload and firewall rules. The head of the script lists which files are secret.

--print prints the script, to run on a host without mpanalyze. It needs only a POSIX
shell, also that of OpenWrt.

Give the folder to --evidence of analyze or why, with the capture in it.`

const recordExamples = `  mpanalyze record --print > record.sh && sudo sh record.sh host-b 30
  sudo mpanalyze record --interface any host-b 30
  mpanalyze why host-b/capture.pcap --evidence b=host-b`

func newRecord(a *app) *cobra.Command {
	o := &recordOptions{}
	c := &cobra.Command{
		Use:     "record DIR [SECONDS]",
		Short:   "Record what the kernel of this host says",
		Long:    recordHelp,
		Example: recordExamples,
		Args:    func(c *cobra.Command, args []string) error { return mistakes(c, o.check(args)) },
		RunE: func(c *cobra.Command, _ []string) error {
			if o.print {
				_, err := fmt.Fprint(a.Out, recordScript)
				return err
			}
			return a.record(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.print, "print", false, "print the script, and record nothing")
	c.Flags().StringVarP(&o.iface, "interface", "i", "any", "`interface` to capture on")
	return c
}

// check checks the arguments.
func (o *recordOptions) check(args []string) error {
	o.arguments = args
	switch {
	case o.print && len(args) > 0:
		return errors.New("--print takes no folder: the script takes it when it runs")
	case o.print:
		return nil
	case len(args) == 0 || len(args) > 2:
		return errors.New("name a folder that does not exist yet, and perhaps a number of seconds")
	case len(args) == 2:
		if n, err := strconv.Atoi(args[1]); err != nil || n < 1 {
			return fmt.Errorf("%q: want a number of seconds, 1 or more", args[1])
		}
	}
	return nil
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

// Command ratio measures commands one after the other and compares them with the first one. It
// prints ratios of CPU time (user and system) and of wall time, and the peak memory. Absolute
// times depend on the machine and on what else runs there. A ratio of two runs, one directly
// after the other, depends much less on that.
//
//	ratio -rounds 7 'tcpdump=tcpdump -r F -w /dev/null' 'mine=mpanalyze analyze --json F'
//
// Each round runs every command once. The order differs between rounds, because the state that a
// command leaves behind affects the next one. Each figure is the median over the rounds of the
// ratio within a round, with the extremes behind it. A command runs under sh, and its output is
// discarded. The command gets standard input, so that a pipe can be measured with one round and
// one command. With -fresh DIR the directory is removed before each run. Otherwise a command that
// writes there would also take time to truncate the files of the round before.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// usage is the time and memory that one run of a command took.
type usage struct {
	cpu, wall time.Duration
	peak      int64 // bytes of resident memory
}

// command is a named command line and its runs.
type command struct {
	name, line string
	runs       []usage
}

func main() {
	rounds := flag.Int("rounds", 5, "`times` to run each command")
	fresh := flag.String("fresh", "", "`directory` to remove before each run; none if empty")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: ratio [-rounds N] [-fresh DIR] NAME=COMMAND...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := measure(flag.Args(), *rounds, *fresh); err != nil {
		fmt.Fprintln(os.Stderr, "ratio:", err)
		os.Exit(1)
	}
}

func measure(args []string, rounds int, fresh string) error {
	commands := make([]command, len(args))
	for i, a := range args {
		name, line, ok := strings.Cut(a, "=")
		if !ok {
			return fmt.Errorf("%q is not NAME=COMMAND", a)
		}
		commands[i] = command{name: name, line: line}
	}
	if len(commands) == 0 || rounds < 1 {
		return errors.New("nothing to run; -help shows how")
	}
	order := rand.New(rand.NewPCG(1, 2)) // the same in every run
	for range rounds {
		for _, i := range order.Perm(len(commands)) {
			if err := os.RemoveAll(fresh); err != nil { // nothing where no directory is named
				return err
			}
			u, err := run(commands[i].line)
			if err != nil {
				return fmt.Errorf("%s: %w", commands[i].name, err)
			}
			commands[i].runs = append(commands[i].runs, u)
		}
	}
	return show(commands)
}

// run runs a command line once. The shell replaces itself with the command, so that only the
// command's usage is measured.
func run(line string) (usage, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("sh", "-c", "exec "+line)
	cmd.Stdin, cmd.Stderr = os.Stdin, &stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return usage{}, fmt.Errorf("%w\n%s", err, &stderr)
	}
	rusage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return usage{}, errors.New("this system does not tell what a process used")
	}
	return usage{
		cpu:  cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		wall: wall,
		peak: rusage.Maxrss << 10, // Linux counts in KiB
	}, nil
}

func show(commands []command) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\tCPU\tmin-max\twall\tmin-max\tpeak memory\t\n")
	base := commands[0].runs
	for _, c := range commands {
		cpu := ratios(c.runs, base, func(u usage) float64 { return u.cpu.Seconds() })
		wall := ratios(c.runs, base, func(u usage) float64 { return u.wall.Seconds() })
		var peak int64
		for _, u := range c.runs {
			peak = max(peak, u.peak)
		}
		fmt.Fprintf(w, "%s\t%.2f\t%.2f-%.2f\t%.2f\t%.2f-%.2f\t%.1f MiB\t\n", c.name,
			median(cpu), cpu[0], cpu[len(cpu)-1], median(wall), wall[0], wall[len(wall)-1], float64(peak)/(1<<20))
	}
	return w.Flush()
}

// ratios returns the ratios of figure between each run and the base's run in the same round,
// sorted.
func ratios(runs, base []usage, figure func(usage) float64) []float64 {
	out := make([]float64, len(runs))
	for i := range runs {
		out[i] = figure(runs[i]) / figure(base[i])
	}
	slices.Sort(out)
	return out
}

// median returns the middle of sorted values.
func median(v []float64) float64 {
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}

// Command tracegen writes a capture to measure mpanalyze with: two long
// Multipath TCP connections of two subflows each and a thousand short ones,
// seen from the client, with losses, retransmissions and reinjections, and on
// request from the server too. Others of its flags change how many connections
// there are, how far apart the two paths are, and which of them is captured; or
// write traffic that no host sends. The same flags give the same bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"mpanalyze/internal/tracegen"
)

func main() {
	packets := flag.Int("packets", 2_000_000, "write at least that many `packets`")
	long := flag.Int("long", 2, "long `connections`")
	short := flag.Int("short", 1000, "short `connections` beside the long ones")
	delay := flag.Duration("delay", 25*time.Millisecond, "one-way `delay` of the second path; the first has 10 ms")
	only := flag.Int("only", 0, "write only the packets of `path` 1 or 2; 0 for both")
	attack := flag.String("attack", "", "write so many rounds of the attack `NAME` and nothing else; \"list\" names all")
	snaplen := flag.Int("snaplen", 128, "`bytes` kept of each frame; 0 keeps all")
	seed := flag.Uint64("seed", 1, "`seed` of losses and jitter")
	server := flag.String("server", "", "write what the server sees to `FILE`")
	ng := flag.Bool("pcapng", false, "write pcapng instead of pcap")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: tracegen [flags] FILE    ('-' is standard output)")
		flag.PrintDefaults()
	}
	flag.Parse()
	if *attack == "list" {
		for _, a := range tracegen.Attacks() {
			fmt.Println(a.Name)
		}
		return
	}
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(1)
	}
	format := tracegen.Format{SnapLen: *snaplen, PcapNG: *ng}
	var err error
	if *attack != "" {
		err = writeAttack(flag.Arg(0), format, *attack, *packets)
	} else {
		load := tracegen.Load{Packets: *packets, Long: *long, Short: *short, Seed: *seed, Keep: *snaplen, Delay: *delay, Only: *only}
		err = write([2]string{flag.Arg(0), *server}, format, &load)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tracegen:", err)
		os.Exit(1)
	}
}

// write plays the load into two files, of what the client and of what the
// server sees: to standard output where a name is "-", nowhere where it is
// empty.
func write(names [2]string, format tracegen.Format, l *tracegen.Load) (err error) {
	var views [2]func(*tracegen.Packet)
	for i, name := range names {
		if name == "" {
			continue
		}
		f, openErr := create(name, format)
		if openErr != nil {
			return openErr
		}
		defer func() { err = errors.Join(err, f.close()) }()
		views[i] = func(p *tracegen.Packet) {
			if f.write(p); f.err != nil {
				l.Packets = 0 // the long transfers end, the rest is soon played
			}
		}
	}
	l.Play(views[0], views[1])
	return nil
}

// writeAttack writes so many rounds of an attack into a file.
func writeAttack(name string, format tracegen.Format, attack string, rounds int) error {
	f, err := create(name, format)
	if err != nil {
		return err
	}
	f.err = tracegen.WriteAttack(f.w, attack, rounds)
	return f.close()
}

// output is a capture file being written.
type output struct {
	file *os.File
	w    *tracegen.Writer
	err  error // the first; nothing is written after it
}

func create(name string, format tracegen.Format) (*output, error) {
	o := &output{file: os.Stdout}
	if name != "-" {
		var err error
		if o.file, err = os.Create(name); err != nil {
			return nil, err
		}
	}
	var err error
	o.w, err = tracegen.NewWriter(o.file, format)
	if err != nil {
		o.file.Close()
		return nil, err
	}
	return o, nil
}

func (o *output) write(p *tracegen.Packet) {
	if o.err == nil {
		o.err = o.w.Write(p)
	}
}

// close ends the file and returns the first error that it met.
func (o *output) close() error {
	if o.err == nil {
		o.err = o.w.Flush()
	}
	if err := o.file.Close(); o.err == nil {
		o.err = err
	}
	return o.err
}

// Command tracegen writes a capture to measure mpanalyze with: two long
// Multipath TCP connections of two subflows each and a thousand short ones,
// seen from the client, with losses, retransmissions and reinjections, and on
// request from the server too. The same flags give the same octets.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"mpanalyze/internal/tracegen"
)

func main() {
	packets := flag.Int("packets", 2_000_000, "write at least that many `packets`")
	short := flag.Int("short", 1000, "short `connections` beside the two long ones")
	snaplen := flag.Int("snaplen", 128, "`octets` kept of each frame; 0 keeps all")
	seed := flag.Uint64("seed", 1, "`seed` of losses and jitter")
	server := flag.String("server", "", "write what the server sees to `FILE`")
	ng := flag.Bool("pcapng", false, "write pcapng instead of pcap")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: tracegen [flags] FILE    ('-' is standard output)")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(1)
	}
	load := load{packets: *packets, short: *short, seed: *seed, keep: *snaplen}
	if err := write([2]string{flag.Arg(0), *server}, tracegen.Format{SnapLen: *snaplen, PcapNG: *ng}, &load); err != nil {
		fmt.Fprintln(os.Stderr, "tracegen:", err)
		os.Exit(1)
	}
}

// write plays the load into two files, of what the client and of what the
// server sees: to standard output where a name is "-", nowhere where it is
// empty.
func write(names [2]string, format tracegen.Format, l *load) (err error) {
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
				l.packets = 0 // the long transfers end, the rest is soon played
			}
		}
	}
	l.play(views[0], views[1])
	return nil
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

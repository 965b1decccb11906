// Command tracegen writes a capture to measure mpanalyze with: two long
// Multipath TCP connections of two subflows each and a thousand short ones,
// seen from the client, with losses, retransmissions and reinjections. The
// same flags give the same octets.
package main

import (
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
	if err := write(flag.Arg(0), tracegen.Format{SnapLen: *snaplen, PcapNG: *ng}, &load); err != nil {
		fmt.Fprintln(os.Stderr, "tracegen:", err)
		os.Exit(1)
	}
}

// write plays the load into a file, or to standard output where name is "-".
func write(name string, format tracegen.Format, l *load) error {
	file := os.Stdout
	if name != "-" {
		var err error
		if file, err = os.Create(name); err != nil {
			return err
		}
	}
	defer file.Close()
	w, err := tracegen.NewWriter(file, format)
	if err != nil {
		return err
	}
	l.play(func(p *tracegen.Packet) {
		if err != nil {
			return
		}
		if err = w.Write(p); err != nil {
			l.packets = 0 // the long transfers end, the rest is soon played
		}
	})
	if err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}

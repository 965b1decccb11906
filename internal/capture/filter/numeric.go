package filter

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/bpf"

	"mpanalyze/internal/capture"
)

// numeric is a program that tcpdump has compiled.
type numeric struct {
	vm    *bpf.VM
	link  capture.LinkType // the only one that it is run on
	bound bool             // link is set
}

// isNumeric reports whether text is the output of tcpdump -ddd: several lines that contain only
// numbers. No expression has this form.
func isNumeric(text string) bool {
	return strings.Contains(text, "\n") && strings.Trim(text, "0123456789 \t\r\n") == ""
}

// parseNumeric reads the output of tcpdump -ddd: a line with the number of
// instructions, then a line of code, jt, jf and k for each.
func parseNumeric(text string) (*numeric, error) {
	lines := strings.Split(text, "\n")
	count, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil || count != len(lines)-1 {
		return nil, fmt.Errorf("filter program: the first line says %q instructions and %d follow; "+
			"give the whole output of tcpdump -ddd", strings.TrimSpace(lines[0]), len(lines)-1)
	}
	program := make([]bpf.Instruction, count)
	for i, line := range lines[1:] {
		raw, err := parseInstruction(line)
		if err != nil {
			return nil, fmt.Errorf("filter program: line %d: %w", i+2, err)
		}
		program[i] = raw.Disassemble()
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		return nil, fmt.Errorf("filter program: %w", err)
	}
	return &numeric{vm: vm}, nil
}

// parseInstruction reads one line of a numeric program.
func parseInstruction(line string) (raw bpf.RawInstruction, err error) {
	fields := strings.Fields(line)
	if len(fields) != 4 {
		return raw, fmt.Errorf("%q is not an instruction of four numbers", line)
	}
	var v [4]uint64
	for i, bits := range [4]int{16, 8, 8, 32} {
		if v[i], err = strconv.ParseUint(fields[i], 10, bits); err != nil {
			return raw, fmt.Errorf("%q is not a number of %d bits", fields[i], bits)
		}
	}
	raw = bpf.RawInstruction{Op: uint16(v[0]), Jt: uint8(v[1]), Jf: uint8(v[2]), K: uint32(v[3])}
	if loadsLength(raw) {
		return raw, errors.New("the program uses the length of the packet, which is not known to it in a capture " +
			"with a snap length; leave out len, less and greater")
	}
	return raw, nil
}

// loadsLength reports whether an instruction is "ld len" or "ldx len". The
// virtual machine takes the captured length for it, tcpdump the one on the wire.
func loadsLength(raw bpf.RawInstruction) bool {
	const (
		classMask, modeMask     = 0x07, 0xe0
		classLD, classLDX, mode = 0x00, 0x01, 0x80
	)
	class := raw.Op & classMask
	return (class == classLD || class == classLDX) && raw.Op&modeMask == mode
}

// forLink returns the program for the first link type that is asked for, and an error for any
// other. The program does not say for which link type it was compiled, but it cannot fit two.
func (n *numeric) forLink(link capture.LinkType, _ string) (program, error) {
	if n.bound && link != n.link {
		return nil, fmt.Errorf("a numeric program fits one link type, and was used for %v", n.link)
	}
	n.link, n.bound = link, true
	return n, nil
}

// match implements program. A load beyond the captured bytes is no match, as
// in libpcap.
func (n *numeric) match(raw *capture.Raw) bool {
	kept, err := n.vm.Run(raw.Data)
	return err == nil && kept > 0
}

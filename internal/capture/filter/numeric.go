package filter

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/bpf"

	"mpanalyze/internal/capture"
)

// numeric is a program that tcpdump has compiled.
type numeric struct {
	instructions []bpf.Instruction
	lengths      []int // which of them load the length of the packet
	length       int   // the one that they load now
	vm           *bpf.VM
	link         capture.LinkType // the only one that it is run on
	bound        bool             // link is set
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
	n := &numeric{}
	for i, line := range lines[1:] {
		raw, err := parseInstruction(line)
		if err != nil {
			return nil, fmt.Errorf("filter program: line %d: %w", i+2, err)
		}
		instruction := raw.Disassemble()
		if register, ok := loadsLength(raw); ok {
			n.lengths = append(n.lengths, i)
			instruction = bpf.LoadConstant{Dst: register}
		}
		n.instructions = append(n.instructions, instruction)
	}
	if n.vm, err = bpf.NewVM(n.instructions); err != nil {
		return nil, fmt.Errorf("filter program: %w", err)
	}
	return n, nil
}

// loadsLength reports whether an instruction loads the length of the packet, and into which
// register. The virtual machine would take the captured length, where libpcap takes the one on the wire.
func loadsLength(raw bpf.RawInstruction) (bpf.Register, bool) {
	const classMask, modeMask, classLDX, modeLen = 0x07, 0xe0, 0x01, 0x80
	class := raw.Op & classMask
	return bpf.Register(class), class <= classLDX && raw.Op&modeMask == modeLen
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
	return bpf.RawInstruction{Op: uint16(v[0]), Jt: uint8(v[1]), Jf: uint8(v[2]), K: uint32(v[3])}, nil
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
// in libpcap. A program that loads the length is made anew where the length differs.
func (n *numeric) match(raw *capture.Raw) bool {
	if len(n.lengths) > 0 && raw.WireLen != n.length {
		n.length = raw.WireLen
		for _, i := range n.lengths {
			load := n.instructions[i].(bpf.LoadConstant)
			load.Val = uint32(n.length)
			n.instructions[i] = load
		}
		n.vm, _ = bpf.NewVM(n.instructions) // it accepted them before
	}
	kept, err := n.vm.Run(raw.Data)
	return err == nil && kept > 0
}

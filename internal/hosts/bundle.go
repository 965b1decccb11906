package hosts

import (
	"cmp"
	"strings"
)

// bundleReader splits a bundle into its parts: a rule of "=", a command, a rule, its output.
type bundleReader struct {
	host   *Host
	bundle *File
	named  bool        // the command of the part is read
	ruled  bool        // the line before was a rule
	part   *partReader // nil where nothing is read
}

// bundleReader returns what reads a bundle.
func (h *Host) bundleReader(f *File) partReader {
	b := &bundleReader{host: h, bundle: f}
	return partReader{b.line, func() {
		b.endPart()
		b.bundle.settle()
	}}
}

// line reads a line. Behind a command without its second rule, which the text lost, the output begins at once.
func (b *bundleReader) line(l *lines) {
	switch rule := isRule(l.text); {
	case rule && b.named:
		b.named = false
	case rule:
		b.endPart()
		b.ruled = true
	case b.ruled:
		b.begin(string(l.text))
		b.ruled, b.named = false, true
	default:
		if b.part != nil && (len(l.text) > 0 || b.named) {
			b.part.line(l)
		}
		b.named = false
	}
}

// begin begins the part of a command.
func (b *bundleReader) begin(command string) {
	kind := Kind(kindOfCommand(command))
	if kind == Unknown || len(b.host.Files) >= maxLines {
		return
	}
	f := &File{Path: b.bundle.Path, Name: b.bundle.Name, Kind: kind, Part: strings.TrimSpace(command), First: NoStamp, Last: NoStamp}
	b.host.Files = append(b.host.Files, f)
	p := b.host.partReader(f, middle)
	b.part = &p
	b.bundle.Rows++
}

// endPart ends the part that is being read.
func (b *bundleReader) endPart() {
	if b.part == nil {
		return
	}
	b.part.end()
	f := b.host.Files[len(b.host.Files)-1]
	b.bundle.CutRows, b.bundle.Cut = b.bundle.CutRows+f.CutRows, cmp.Or(b.bundle.Cut, f.Cut)
	b.part = nil
}

// kindOfCommand returns the kind of what a command prints, behind a prompt or sudo.
var kindOfCommand = firstOf("commands.txt", `^\s*((sudo|\$|#)\s+)*`, `\b`)

package hosts

import (
	"bytes"
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

// line reads a line. Behind a command without its second rule, which the text lost, the output begins at once.
func (b *bundleReader) line(l *lines) {
	switch rule := len(l.text) >= 10 && len(bytes.Trim(l.text, "=")) == 0; {
	case rule && b.named:
		b.named = false
	case rule:
		b.endPart()
		b.ruled = true
	case b.ruled:
		b.ruled, b.named = false, true
		command := string(l.text)
		if kind := Kind(kindOfCommand(command)); kind != Unknown && len(b.host.Files) < maxLines {
			f := newFile(b.bundle.Path)
			f.Kind, f.Part = kind, strings.TrimSpace(command)
			b.host.Files = append(b.host.Files, f)
			b.part = new(b.host.partReader(f, middle))
			b.bundle.Rows++
		}
	default:
		if b.part != nil && (len(l.text) > 0 || b.named) {
			b.part.line(l)
		}
		b.named = false
	}
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

package hosts

import (
	"regexp"
	"strings"
	"sync"
)

// bundleReader splits a bundle into its parts: a rule of "=", a command, a rule, its output.
type bundleReader struct {
	host   *Host
	bundle *File
	take   Visitor
	state  bundleState
	part   *partReader // nil where nothing is read
	file   *File
}

type bundleState uint8

const (
	inOutput bundleState = iota
	atCommand
	atRule
)

// bundleReader returns what reads a bundle.
func (h *Host) bundleReader(f *File, v Visitor) partReader {
	b := &bundleReader{host: h, bundle: f, take: v}
	return partReader{b.line, func() {
		b.endPart()
		b.bundle.settle("")
	}}
}

// line reads a line.
func (b *bundleReader) line(l *lines) {
	rule := isRule(l.text)
	switch b.state {
	case inOutput:
		if rule {
			b.endPart()
			b.state = atCommand
		} else if b.part != nil && len(l.text) > 0 {
			b.part.line(l)
		}
	case atCommand:
		if !rule {
			b.begin(string(l.text))
			b.state = atRule
		}
	case atRule:
		if b.state = inOutput; !rule && b.part != nil { // the text lost the second rule
			b.part.line(l)
		}
	}
}

// begin begins the part of a command.
func (b *bundleReader) begin(command string) {
	kind := kindOfCommand(command)
	if kind == Unknown || len(b.host.Files) >= maxLines {
		return
	}
	f := &File{Path: b.bundle.Path, Name: b.bundle.Name, Kind: kind, Part: strings.TrimSpace(command), First: NoStamp, Last: NoStamp}
	b.host.Files = append(b.host.Files, f)
	p := b.host.partReader(f, b.take, middle)
	b.file, b.part = f, &p
	b.bundle.Rows++
}

// endPart ends the part that is being read.
func (b *bundleReader) endPart() {
	if b.part == nil {
		return
	}
	b.part.end()
	b.bundle.CutRows += b.file.CutRows
	if b.bundle.Cut == 0 {
		b.bundle.Cut = b.file.Cut
	}
	b.part, b.file = nil, nil
}

// kindOfCommand returns the kind of what a command prints.
func kindOfCommand(command string) Kind {
	for i, x := range commands {
		if commandPatterns()[i].MatchString(command) {
			return x.kind
		}
	}
	return Unknown
}

// commands are the commands that print what is read. The first that fits counts.
var commands = []struct {
	pattern string
	kind    Kind
}{
	{`ip.* mptcp endpoint`, Endpoints},
	{`ip.* mptcp limits`, Limits},
	{`ip.* mptcp monitor: stop`, Unknown},
	{`ip.* mptcp monitor`, Monitor},
	{`ip.* r(oute|ule)`, Route},
	{`ip.* addr`, Addr},
	{`ip.* link`, Link},
	{`ip.* a\w*`, Addr},
	{`ip.* r\w*`, Route},
	{`ip.* l\w*`, Link},
	{`cat .*/proc/net/(mptcp_net/mptcp|mptcp$)`, ProcMPTCP},
	{`cat .*/proc/net/.*`, Nstat},
	{`ss`, SS},
	{`(nstat|netstat)`, Nstat},
	{`sysctl`, Sysctl},
	{`uname`, Uname},
	{`tc`, Qdisc},
	{`ethtool`, Offload},
	{`tcpdump`, Tcpdump},
	{`(nft|ip6?tables(-save)?)`, Firewall},
}

// commandPatterns are the patterns of commands, behind a prompt or sudo.
var commandPatterns = sync.OnceValue(func() (all []*regexp.Regexp) {
	for _, x := range commands {
		all = append(all, regexp.MustCompile(`^\s*((sudo|\$|#)\s+)*`+x.pattern+`\b`))
	}
	return all
})

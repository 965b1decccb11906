package hosts

import (
	"strings"
)

// bundleReader splits a bundle into its parts: a rule of "=", a command, a rule, its output.
type bundleReader struct {
	host   *Host
	bundle *File
	take   Visitor
	named  bool        // the command of the part is read
	ruled  bool        // the line before was a rule
	part   *partReader // nil where nothing is read
	file   *File
}

// bundleReader returns what reads a bundle.
func (h *Host) bundleReader(f *File, v Visitor) partReader {
	b := &bundleReader{host: h, bundle: f, take: v}
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
func kindOfCommand(text string) Kind {
	for _, x := range commands {
		if x.pattern().MatchString(text) {
			return x.kind
		}
	}
	return Unknown
}

// commands are the commands that print what is read. The first that fits counts.
var commands = []struct {
	pattern lazily
	kind    Kind
}{
	{command(`ip.* mptcp endpoint`), Endpoints},
	{command(`ip.* mptcp limits`), Limits},
	{command(`ip.* mptcp monitor: stop`), Unknown},
	{command(`ip.* mptcp monitor`), Monitor},
	{command(`ip.* r(oute|ule)`), Route},
	{command(`ip.* addr`), Addr},
	{command(`ip.* link`), Link},
	{command(`ip.* a\w*`), Addr},
	{command(`ip.* r\w*`), Route},
	{command(`ip.* l\w*`), Link},
	{command(`cat .*/proc/net/(mptcp_net/mptcp|mptcp$)`), ProcMPTCP},
	{command(`cat .*/proc/net/.*`), Nstat},
	{command(`ss`), SS},
	{command(`(nstat|netstat)`), Nstat},
	{command(`sysctl`), Sysctl},
	{command(`uname`), Uname},
	{command(`tc`), Qdisc},
	{command(`ethtool`), Offload},
	{command(`tcpdump`), Tcpdump},
	{command(`(nft|ip6?tables(-save)?)`), Firewall},
}

// command returns the pattern of a command, behind a prompt or sudo.
func command(text string) lazily { return pattern(`^\s*((sudo|\$|#)\s+)*` + text + `\b`) }

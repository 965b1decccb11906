package hosts

import (
	"strings"
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
	f := &File{Path: b.bundle.Path, Name: b.bundle.Name, Kind: kind, Part: strings.TrimSpace(command), First: NoStamp, Last: NoStamp, Base: UnknownBase}
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
	words := strings.Fields(command)
	for len(words) > 0 && (words[0] == "sudo" || words[0] == "$" || words[0] == "#") {
		words = words[1:]
	}
	if len(words) == 0 {
		return Unknown
	}
	switch text := strings.Join(words, " "); {
	case words[0] == "ip":
		return kindOfIP(text)
	case words[0] != "cat":
		return commandKinds[words[0]]
	case strings.Contains(text, "/proc/net/mptcp_net/mptcp"), strings.HasSuffix(text, "/proc/net/mptcp"):
		return ProcMPTCP
	case strings.Contains(text, "/proc/net/"):
		return Nstat
	}
	return Unknown
}

// commandKinds are the kinds of what commands print that print one kind.
var commandKinds = map[string]Kind{
	"ss": SS, "nstat": Nstat, "netstat": Nstat, "sysctl": Sysctl, "uname": Uname, "tc": Qdisc, "ethtool": Offload, "tcpdump": Tcpdump,
	"nft": Firewall, "iptables": Firewall, "iptables-save": Firewall, "ip6tables": Firewall, "ip6tables-save": Firewall,
}

// kindOfIP returns the kind of what a command of ip prints.
func kindOfIP(text string) Kind {
	for _, k := range []struct {
		word string
		kind Kind
	}{
		{"mptcp endpoint", Endpoints},
		{"mptcp limits", Limits},
		{"mptcp monitor: start", Monitor},
		{"mptcp monitor: stop", Unknown},
		{"mptcp monitor", Monitor},
		{" route", Route},
		{" rule", Route},
		{" addr", Addr},
		{" link", Link},
		{" a", Addr},
		{" r", Route},
		{" l", Link},
	} {
		if strings.Contains(text, k.word) {
			return k.kind
		}
	}
	return Unknown
}

package sentences

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/testrun"
)

// texts returns all texts, in which commands and sysctls may stand.
func texts() (out []string) {
	for _, k := range diagnose.Kinds() {
		for name := range k.Parts {
			switch first, _, _ := strings.Cut(name, " "); first {
			case "does", "upstream", "outOfTree", "router":
				out = append(out, plain(k, name))
			}
		}
	}
	for name := range diagnose.Common() {
		if strings.HasPrefix(name, "cause ") {
			out = append(out, filled(&diagnose.Kind{}, name, facts{"cause_host": "a"}))
		}
	}
	for i := range settings {
		out = append(out, settings[i].Without)
	}
	return out
}

// documented is a row of the page of settings.
type documented struct{ text, since, source string }

// foreign reports whether mainline Linux does not have the setting.
func (d *documented) foreign() bool { return d.since == "none" }

// page reads the table of testdata/settings.md, which has every command and every sysctl of the texts,
// the longest first: no text is the beginning of a later one.
func page(t *testing.T) (list []documented) {
	t.Helper()
	text, err := os.ReadFile("testdata/settings.md")
	assert.NilError(t, err)
	_, table, _ := strings.Cut(string(text), "| setting | Linux | source |\n| --- | --- | --- |\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != 3 {
			break
		}
		list = append(list, documented{strings.Trim(cells[0], "`"), cells[1], cells[2]})
	}
	slices.SortStableFunc(list, func(a, b documented) int { return len(b.text) - len(a.text) })
	return list
}

// TestEverySettingIsListed: what is left of the texts without the settings has no command and
// no sysctl any more, each setting stands in a text, and each has a source.
func TestEverySettingIsListed(t *testing.T) {
	used, list := map[string]bool{}, page(t)
	for _, text := range texts() {
		rest := text
		for _, s := range list {
			if strings.Contains(rest, s.text) {
				used[s.text] = true
				rest = strings.ReplaceAll(rest, s.text, "#")
			}
		}
		for _, word := range []string{"ip mptcp", "ip link", "ip rule", "ip route", "sysctl", "net.", "tc qdisc", "tc -", "ss -", "nstat", "mptcpize", "tcpdump", "bpf_"} {
			assert.Check(t, !strings.Contains(rest, word), "%q is a setting that is not in the list: %s", word, text)
		}
	}
	for _, s := range list {
		if !used[s.text] || s.source == "" {
			t.Errorf("%s: in a text: %v, source %q", s.text, used[s.text], s.source)
		}
	}
}

// TestSettingsAreDocumented: the page of settings has each with its first version.
func TestSettingsAreDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range page(t) {
		since, _ := needs(d.text)
		if want := d.since; want != since.String() && (since != release{} || want != "all" && want != "none") {
			t.Errorf("testdata/settings.md has %s since %s, and the texts since %v", d.text, want, since)
		}
		for _, s := range settings {
			seen[s.Text] = seen[s.Text] || s.Since == since && strings.Contains(d.text, s.Text)
		}
	}
	for _, s := range settings {
		assert.Check(t, seen[s.Text], "testdata/settings.md has no %s since %v", s.Text, s.Since)
	}
}

// example gives values to the placeholders of a command. Sysctls that are only named are
// read.
func example(text string) string {
	text = strings.NewReplacer("ADDRESS", "192.0.2.2", "INTERFACE", "lo", "PROGRAM", "true").Replace(text)
	words := strings.Fields(text)
	for i, w := range words {
		if w == "N" {
			words[i] = "1"
		}
	}
	switch text = strings.Join(words, " "); {
	case strings.HasPrefix(text, "net.") && strings.Contains(text, "="):
		return "sysctl -w " + text
	case strings.HasPrefix(text, "net."):
		return "sysctl " + text
	case strings.HasPrefix(text, "tcpdump -"): // -d: checks the arguments and captures nothing
		return strings.Replace(text, "tcpdump ", "tcpdump -d -i lo ", 1)
	case strings.HasPrefix(text, "--clamp-mss"): // an option of the target TCPMSS
		return "iptables -t mangle -A FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS " + text
	}
	return text
}

// prepared is what stands before a command in its network namespace: two addresses, and an
// endpoint to change.
const prepared = `set -e
ip link set lo up
ip address add 192.0.2.1/32 dev lo
ip address add 192.0.2.2/32 dev lo
ip mptcp endpoint add 192.0.2.1 dev lo id 1 subflow
`

// TestCommandsRun runs every command of the texts that this kernel has, in a network namespace
// of its own. A command that cannot run here is skipped with the reason; testdata/settings.md has the sources of all.
func TestCommandsRun(t *testing.T) {
	kernel, _ := runningKernel(t).release()
	ran := 0
	for _, s := range page(t) {
		t.Run(s.text, func(t *testing.T) {
			if s.foreign() {
				t.Skip("mainline Linux does not have it")
			}
			if since, _ := needs(s.text); kernel.before(since) {
				t.Skipf("Linux %v does not have it, only from %v on", kernel, since)
			}
			command := example(s.text)
			mayRun(t, command)
			out, err := testrun.Command(t, "unshare", "--net", "sh", "-c", prepared+command).CombinedOutput()
			if err != nil && strings.HasPrefix(s.text, "net.netfilter.nf_conntrack") && strings.Contains(string(out), "cannot stat") {
				t.Skip("the kernel module nf_conntrack is not loaded")
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", command, err, out)
			}
			ran++
		})
	}
	assert.Check(t, ran >= 10, "%d commands ran, want 10 or more", ran)
}

// runningKernel returns the kernel of this machine. It skips the test where no network
// namespace with Multipath TCP can be made.
func runningKernel(t *testing.T) Kernel {
	if os.Getuid() != 0 {
		t.Skip("only root may make network namespaces")
	}
	for _, program := range []string{"unshare", "ip", "sysctl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	if out, err := testrun.Command(t, "unshare", "--net", "sh", "-c", prepared).CombinedOutput(); err != nil {
		t.Skipf("no network namespace with Multipath TCP can be made here: %v: %s", err, out)
	}
	name, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		t.Skip(err)
	}
	k, err := ParseKernel(strings.TrimSpace(string(name)))
	if err != nil {
		t.Skip(err)
	}
	return k
}

// mayRun skips a command whose program, or the part of it that is needed, is not installed.
func mayRun(t *testing.T, text string) {
	program, _, _ := strings.Cut(text, " ")
	if program == "the" {
		t.Skip("these words say what the kernel does, and are no command")
	}
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
	switch {
	case strings.HasSuffix(text, "laminar"):
		if help, _ := testrun.Command(t, "ip", "mptcp", "help").CombinedOutput(); !strings.Contains(string(help), "laminar") {
			t.Skip("this version of ip does not know it")
		}
	case strings.HasSuffix(text, "=bbr"):
		if list, _ := os.ReadFile("/proc/sys/net/ipv4/tcp_available_congestion_control"); !strings.Contains(string(list), "bbr") {
			t.Skip("the module tcp_bbr is not loaded")
		}
	case text == "sysctl net.core.rmem_max":
		if _, err := os.Stat("/proc/sys/net/core/rmem_max"); err != nil {
			t.Skip(err)
		}
	}
}

package sentences

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kernel is the kernel that a remedy is for, as [ParseKernel] returns it: a version of
// mainline Linux ("6.12"), or one of the others. Empty is a kernel that nobody named: texts
// then have the settings of all, with the versions that have them.
type Kernel string

// Kernels that are no version of mainline Linux.
const (
	outOfTree       Kernel = "0.9x"
	openMPTCProuter Kernel = "omr"
)

// release is a version of mainline Linux: major and minor number.
type release [2]int

// first is the first release with Multipath TCP, oldest the one whose settings texts have
// without a version: it is the oldest for which the settings were looked up.
var (
	first  = release{5, 6}
	oldest = release{5, 15}
)

func (r release) before(o release) bool { return slices.Compare(r[:], o[:]) < 0 }

func (r release) String() string { return fmt.Sprintf("%d.%d", r[0], r[1]) }

// Kernels returns names that [ParseKernel] takes: those of long-term support, and the two
// others, each with what it is behind a tab.
func Kernels() (out []string) {
	for _, r := range []string{"5.15", "6.1", "6.6", "6.12", "6.18"} {
		out = append(out, r+"\tLinux, long-term support")
	}
	return append(out, string(openMPTCProuter)+"\tOpenMPTCProuter", string(outOfTree)+"\tkernel of multipath-tcp.org")
}

// ParseKernel reads the name of a kernel: omr, 0.9x, or a version of Linux as uname -r
// prints it, of which the first two numbers count. An empty text is no name.
func ParseKernel(text string) (Kernel, error) {
	switch {
	case text == "":
		return "", nil
	case Kernel(text) == openMPTCProuter:
		return openMPTCProuter, nil
	case strings.HasPrefix(text, "0.9"):
		return outOfTree, nil
	}
	r, ok := parseRelease(text)
	if !ok {
		return "", errors.New("want a version of Linux as uname -r prints it (6.12), omr for OpenMPTCProuter, or 0.9x for the kernel of multipath-tcp.org")
	}
	if r.before(first) {
		return "", fmt.Errorf("want %v or later, from which on Linux has Multipath TCP, 0.9x for the kernel of multipath-tcp.org, or omr for OpenMPTCProuter", first)
	}
	return Kernel(r.String()), nil
}

// parseRelease reads the first two numbers of a version.
func parseRelease(text string) (r release, ok bool) {
	n, _ := fmt.Sscanf(text, "%d.%d", &r[0], &r[1])
	return r, n == 2 && min(r[0], r[1]) >= 0
}

// release returns the version of mainline Linux; ok is false for the other kernels, and where
// none is named.
func (k Kernel) release() (r release, ok bool) {
	if k == outOfTree {
		return release{}, false
	}
	return parseRelease(string(k))
}

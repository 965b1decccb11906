package filter

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"mpanalyze/internal/capture"
)

// byTcpdump lets tcpdump compile expr for packets of a link type. tcpdump opens no interface for
// that, and needs no rights. The error wraps [exec.ErrNotFound] where there is no tcpdump.
func byTcpdump(link capture.LinkType, expr string) (program, error) {
	c := exec.Command("tcpdump", "-y", link.String(), "-ddd", "--", expr)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return nil, refused(said.String())
	case err != nil:
		return nil, fmt.Errorf("cannot start tcpdump: %w", err)
	}
	return parseNumeric(strings.TrimSpace(string(out)))
}

// refused is what libpcap says of an expression that it does not compile. Only the text tells
// [errRejectsAll] from other errors, in every version of libpcap.
func refused(said string) error {
	if strings.Contains(said, "rejects all packets") {
		return errRejectsAll
	}
	return errors.New(strings.TrimPrefix(strings.TrimSpace(said), "tcpdump: "))
}

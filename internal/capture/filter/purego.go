//go:build !cgo || nopcap

package filter

import (
	"errors"

	"mpanalyze/internal/capture"
)

const available = false

// compile is never reached: Compile refuses expressions in this build.
func compile(capture.LinkType, string) (program, error) {
	return nil, errors.New("expressions need libpcap")
}

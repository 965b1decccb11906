//go:build !cgo || nopcap

package filter

import "mpanalyze/internal/capture"

func compile(link capture.LinkType, expr string) (program, error) { return byTcpdump(link, expr) }

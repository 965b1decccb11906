package diagnose

import (
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// Remaining returns the causes that packets leave for a verdict whose code has several. Records of the
// hosts exclude some of them, or prove one. It is nil where the code itself is the cause. The file of
// the verdict lists them: a cause, and behind @ the host in which it lies, a, b, or that which sends or
// receives the data, or that the verdict names.
func Remaining(v *report.Verdict) (out []report.Cause) {
	k := kindOf(v)
	for text := range strings.FieldsSeq(k.Parts[k.Section("alternatives", v.Form)]) {
		code, host, inHost := strings.Cut(text, "@")
		c := report.Cause{Code: report.CauseCode(code)}
		if inHost {
			if c.Host = hostOf(v, host); c.Host == nil {
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// hostOf returns the host that the word of a list means; nil where the verdict does not tell.
func hostOf(v *report.Verdict, word string) *report.Side {
	hosts := map[string]report.Side{"a": report.SideA, "b": report.SideB}
	if v.Direction != nil {
		hosts["sender"], hosts["receiver"] = report.Side(side(from(v))), report.Side(side(from(v).Other()))
	}
	if p := parameter(v, word); p != nil {
		hosts[word] = report.Side(p.Text)
	}
	if host, told := hosts[word]; told {
		return &host
	}
	return nil
}

// sides are both ends of a connection.
var sides = [2]conn.Side{conn.A, conn.B}

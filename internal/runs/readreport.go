package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/report"
	"mpanalyze/internal/storage"
)

// whyNoReport returns what is wrong with a text that is not a report.
func whyNoReport(err error) string {
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
		return fmt.Sprintf("%q is a %s there", wrong.Field, wrong.Value)
	}
	return "no valid JSON: " + err.Error()
}

// ReadReport reads a report that analyze --json wrote. It returns an error if the
// report or its capture is damaged. files holds what else reads the report; nil for nothing.
func ReadReport(files *storage.Files, file string) (*report.Document, error) {
	text, err := files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseReport(file, text)
}

func parseReport(file string, text []byte) (*report.Document, error) {
	doc := &report.Document{}
	if err := json.Unmarshal(text, doc); err != nil {
		return nil, fmt.Errorf("%s: not a report: %s; analyze --json=FILE writes one", file, whyNoReport(err))
	}
	if doc.Schema != report.SchemaName {
		return nil, fmt.Errorf("%s: not a report of this program: its schema is %q, not %q; analyze --json=FILE writes one", file, doc.Schema, report.SchemaName)
	}
	if err := plausible(doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, c := range doc.Captures {
		if c.Truncated {
			return nil, damagedReport(file, c)
		}
	}
	return doc, nil
}

func damagedReport(file string, c report.Capture) error {
	why := errors.New("the file ends inside a packet")
	if c.Damage != nil {
		why = errors.New(c.Damage.Message)
	}
	return fmt.Errorf("%s: its capture %s is damaged: %w", file, c.File, why)
}

// These are more than any figure of a report can be: times are nanoseconds in 63 bits, and floats
// are exact for no larger count. The variance of a rate is its square.
const (
	maxFigure   = 1e19
	maxVariance = 1e38
	maxSeconds  = float64(math.MaxInt64) / 1e9
	maxCount    = 1 << 53
)

// plausible refuses a report with a value that no capture can give, and names the
// value. Such a value would make every mean and test of the campaign wrong.
func plausible(doc *report.Document) error {
	if path, value := impossible("", "", maxFigure, reflect.ValueOf(doc).Elem()); path != "" {
		return fmt.Errorf("%s is %v, which no capture gives: the report was altered or is damaged", path[1:], value)
	}
	return nil
}

// impossible returns the path of the first impossible value in v, and that value. name
// is the name of v in the report, most the bound of what v is a part of. The path is empty if
// there is no such value.
func impossible(path, name string, most float64, v reflect.Value) (string, any) {
	most = bound(name, most)
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return impossible(path, name, most, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			if at, value := impossible(fmt.Sprintf("%s[%d]", path, i), name, most, v.Index(i)); at != "" {
				return at, value
			}
		}
	case reflect.Struct:
		return impossibleField(path, most, v)
	case reflect.Int, reflect.Int64:
		if counted(name) && (v.Int() < 0 || v.Int() > maxCount) {
			return path, v.Int()
		}
	case reflect.Float64:
		if x := v.Float(); !(math.Abs(x) <= most) || x < 0 && neverNegative(name) {
			return path, x
		}
	}
	return "", nil
}

func impossibleField(path string, most float64, v reflect.Value) (string, any) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		name, below := report.JSONName(f), path
		if !f.Anonymous {
			below += "." + name
		}
		if at, value := impossible(below, name, most, v.Field(i)); at != "" {
			return at, value
		}
	}
	return "", nil
}

// bound returns the bound of figures with this name, which are part of some with the bound most.
func bound(name string, most float64) float64 {
	switch {
	case name == "variance":
		return maxVariance
	case name == "ms" || strings.HasSuffix(name, "_ms"):
		return maxSeconds * 1e3
	case strings.HasSuffix(name, "_s"):
		return maxSeconds
	}
	return most
}

// counted reports whether a whole number with this name is a count.
func counted(name string) bool {
	return name == "bytes" || name == "segments" || name == "samples" || name == "count" || name == "chunks" ||
		strings.HasSuffix(name, "_bytes") || strings.HasSuffix(name, "_segments") || strings.HasPrefix(name, "bytes_")
}

// neverNegative reports whether a number with this name is a ratio or a measure of
// spread. Delays of two clocks, offsets and degrees may be negative.
func neverNegative(name string) bool {
	return name == "stddev" || name == "variance" || name == "cov" || name == "percent" || name == "ratio" ||
		strings.HasSuffix(name, "_percent")
}

// maybeNegative names the figures that may be negative: offsets, degrees, and times of two
// clocks. Every other figure of a run in a cache is 0 or more.
var maybeNegative = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\.(aggregation_benefit|awnd_delta|dsn_offset_bytes|end_to_end_delay_ms|hol_degree_ms|hol_degree_all_paths_ms|ipdv_ms|(ack_)?owd_ms|reinjection_worth|rwnd_free_bytes|scheduler_regret|waiting_time_ms)(\.[a-z0-9_]+)*$`)
})

// plausibleRun reports whether a report can have the figures of a run that was kept. It is
// stricter than [plausible]: a run that is refused is only analysed again.
func plausibleRun(run *campaign.Run) bool {
	if len(run.Names) != len(run.Values) || !slices.IsSorted(run.Names) {
		return false
	}
	for i, v := range run.Values {
		name := run.Names[i]
		leaf, most := "", float64(maxFigure)
		for leaf = range strings.SplitSeq(name, ".") {
			most = bound(leaf, most)
		}
		if at, _ := impossible(name, leaf, most, reflect.ValueOf(v)); at != "" || v < 0 && !maybeNegative().MatchString(name) {
			return false
		}
	}
	return true
}

package engine

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"mpanalyze/internal/report"
)

// maxFigure is more than any figure of a report can be: times are nanoseconds in 63 bits,
// and so are counts of bytes. The variance of a rate is its square.
const (
	maxFigure   = 1e19
	maxVariance = 1e38
)

// plausible refuses a report with a value that no capture can give, and names the
// value. Such a value would make every mean and test of the campaign wrong.
func plausible(doc *report.Document) error {
	for i := range doc.Connections {
		c := &doc.Connections[i]
		if path, value := impossible(fmt.Sprintf("connections[%d]", i), "", reflect.ValueOf(c).Elem()); path != "" {
			return fmt.Errorf("%s is %v, which no capture gives: the report was altered or is damaged", path, value)
		}
	}
	return nil
}

// impossible returns the path of the first impossible value in v, and that value. name
// is the name of v in the report. The path is empty if there is no such value.
func impossible(path, name string, v reflect.Value) (string, any) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return impossible(path, name, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			if at, value := impossible(fmt.Sprintf("%s[%d]", path, i), name, v.Index(i)); at != "" {
				return at, value
			}
		}
	case reflect.Struct:
		return impossibleField(path, v)
	case reflect.Int, reflect.Int64:
		if v.Int() < 0 && counted(name) {
			return path, v.Int()
		}
	case reflect.Float64:
		if x := v.Float(); math.Abs(x) > bound(name) || x < 0 && neverNegative(name) {
			return path, x
		}
	}
	return "", nil
}

func impossibleField(path string, v reflect.Value) (string, any) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		name, below := report.JSONName(f), path
		if !f.Anonymous {
			below += "." + name
		}
		if at, value := impossible(below, name, v.Field(i)); at != "" {
			return at, value
		}
	}
	return "", nil
}

func bound(name string) float64 {
	if name == "variance" {
		return maxVariance
	}
	return maxFigure
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

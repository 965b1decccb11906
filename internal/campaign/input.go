package campaign

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/report"
)

// ParseScenario reads NAME=FILE,FILE,...: a scenario with a run per file.
func ParseScenario(text string) ([]Input, error) {
	name, files, ok := strings.Cut(text, "=")
	if !ok || name == "" || files == "" {
		return nil, fmt.Errorf("%q: want NAME=FILE,FILE,... with a capture or report per run", text)
	}
	var out []Input
	for f := range strings.SplitSeq(files, ",") {
		switch f {
		case "":
			return nil, fmt.Errorf("%q: an empty file name between commas", text)
		case "-":
			return nil, fmt.Errorf("%q: standard input cannot be a run", text)
		}
		out = append(out, Input{Scenario: name, Name: f, Files: []string{f}})
	}
	return out, nil
}

// ReadManifest reads a CSV file with a run per line. Its first line names the
// columns: scenario and files are needed, run and vantage known, every other
// one is a label. Several files of one host are separated by ";"; relative ones
// are taken from the manifest's folder.
func ReadManifest(file string) ([]Input, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.TrimLeadingSpace = true
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: no line of column names: %w", file, err)
	}
	head[0] = strings.TrimPrefix(head[0], "\ufeff")
	for i := range head {
		head[i] = strings.TrimSpace(head[i])
	}
	for _, need := range []string{"scenario", "files"} {
		if !slices.Contains(head, need) {
			return nil, fmt.Errorf("%s: has no column %s; want scenario, run, files, vantage and any labels", file, need)
		}
	}
	var out []Input
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		in, err := manifestLine(head, record, filepath.Dir(file))
		if err != nil {
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf("%s: line %d: %w", file, line, err)
		}
		if in.Name == "" {
			in.Name = strconv.Itoa(len(out) + 1)
		}
		out = append(out, in)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: lists no run", file)
	}
	return out, nil
}

func manifestLine(head, record []string, dir string) (Input, error) {
	in := Input{Labels: map[string]string{}}
	for i, name := range head {
		v := strings.TrimSpace(record[i])
		switch name {
		case "scenario":
			in.Scenario = v
		case "run":
			in.Name = v
		case "vantage":
			in.Vantage = report.Vantage(v)
		case "files":
			for f := range strings.SplitSeq(v, ";") {
				if f = strings.TrimSpace(f); f != "" {
					if !filepath.IsAbs(f) {
						f = filepath.Join(dir, f)
					}
					in.Files = append(in.Files, f)
				}
			}
		default:
			in.Labels[name] = v
		}
	}
	if in.Scenario == "" || len(in.Files) == 0 {
		return in, errors.New("needs a scenario and at least one file")
	}
	switch in.Vantage {
	case "", report.VantageA, report.VantageB, report.VantageMiddle:
		return in, nil
	}
	return in, fmt.Errorf("vantage %q: want a, b, middle or nothing", in.Vantage)
}

package campaign

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/report"
	"mpanalyze/internal/storage"
)

// ParseScenario reads NAME=FILE,FILE,...: a scenario with one run for each file. A name or a file
// in quotation marks may have any characters, as a field of CSV.
func ParseScenario(text string) ([]Input, error) {
	name, files, ok := cutQuoted(text, "=")
	if !ok || name == "" || files == "" {
		if info, err := storage.Stat(text); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%q is a folder; say where its runs are, as in --pattern '%s/{scenario}/run{run}/client.pcap'", text, strings.TrimRight(text, "/"))
		}
		return nil, fmt.Errorf("%q: want NAME=FILE,FILE,..., a capture or report for each run, as in A=run1.pcap,run2.pcap; --pattern finds runs in folders", text)
	}
	var out []Input
	for more := true; more; {
		var f string
		f, files, more = cutQuoted(files, ",")
		switch {
		case f == "":
			return nil, fmt.Errorf("%q: a file name is empty; leave out the comma", text)
		case f == "-":
			return nil, fmt.Errorf("%q: standard input cannot be a run", text)
		case !more && files != "":
			return nil, fmt.Errorf("%q: want a comma after the quotation mark that ends %q", text, f)
		}
		out = append(out, Input{Scenario: name, Name: f, Files: []string{f}})
	}
	return out, nil
}

// quoted is a field of CSV in quotation marks, of which two stand for one.
var quoted = regexp.MustCompile(`^"((?:[^"]|"")*)"`)

// cutQuoted is [strings.Cut] for a text that may begin with a field in quotation marks.
func cutQuoted(text, sep string) (before, after string, found bool) {
	q := quoted.FindStringSubmatch(text)
	if q == nil {
		return strings.Cut(text, sep)
	}
	after, found = strings.CutPrefix(text[len(q[0]):], sep)
	return strings.ReplaceAll(q[1], `""`, `"`), after, found
}

// manifestColumns are the columns of a manifest that have a fixed meaning.
var manifestColumns = []string{"scenario", "run", "files", "sender", "receiver", "vantage", "bytes"}

// ReadManifest reads a CSV file with one run on each line. Its first line names the columns:
// run, vantage, scenario, and files for the captures of one host, or sender and receiver for
// the captures of both. Every other column is a label; if there is no column scenario, every
// other column is a factor, and a scenario is a combination of factors. Several files of one
// host are separated by ";"; relative paths start at the manifest's folder. The column bytes
// has the length of each file, in the same order, with the receiver's files last. A file of
// another length was cut, or is the wrong one. files holds what else reads the manifest; nil for nothing.
func ReadManifest(files *storage.Files, file string) ([]Input, error) {
	f, err := files.Open(file)
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
	if err := checkHead(head); err != nil {
		return nil, fmt.Errorf("%s: %w; want scenario (or factors), run, files (or sender and receiver), vantage, bytes and any labels", file, err)
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
		in, err := manifestLine(head, record, storage.Dir(file))
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

// checkHead returns an error if the column names do not say what a run is.
func checkHead(head []string) error {
	has := func(name string) bool { return slices.Contains(head, name) }
	for i, name := range head {
		if slices.Contains(head[:i], name) {
			return fmt.Errorf("has two columns %s", name)
		}
	}
	factor := slices.ContainsFunc(head, func(name string) bool { return !slices.Contains(manifestColumns, name) })
	switch {
	case !has("scenario") && !factor:
		return errors.New("has no column scenario and no factors")
	case has("sender") != has("receiver"):
		return errors.New("has one of the columns sender and receiver; captures of both hosts need both, and those of one host the column files")
	case !has("files") && !has("sender"):
		return errors.New("has no column files, and no columns sender and receiver")
	}
	return nil
}

func manifestLine(head, record []string, dir string) (Input, error) {
	cells, labels := map[string]string{}, map[string]string{}
	var values []Factor
	for i, name := range head {
		v := strings.TrimSpace(record[i])
		if cells[name] = v; !slices.Contains(manifestColumns, name) {
			labels[name], values = v, append(values, Factor{name, v})
		}
	}
	in := Input{
		Scenario: cells["scenario"], Name: cells["run"], Vantage: report.Vantage(cells["vantage"]), Labels: labels,
		Files: fileList(cells["files"], dir), Receiver: fileList(cells["receiver"], dir),
	}
	if !slices.Contains(head, "scenario") {
		if i := slices.IndexFunc(values, func(v Factor) bool { return v.Value == "" }); i >= 0 {
			return in, fmt.Errorf("has no %s, which is a factor", values[i].Name)
		}
		in.takeFactors(values)
	}
	sender := fileList(cells["sender"], dir)
	if in.Scenario == "" || len(in.Files)+len(sender)+len(in.Receiver) == 0 {
		return in, errors.New("needs a scenario and at least one file")
	}
	if err := in.pair(sender); err != nil {
		return in, err
	}
	if err := in.takeBytes(cells["bytes"]); err != nil {
		return in, err
	}
	switch in.Vantage {
	case "", report.VantageA, report.VantageB, report.VantageMiddle:
		return in, nil
	}
	return in, fmt.Errorf("vantage %q: want a, b, middle or nothing", in.Vantage)
}

// takeBytes reads the lengths of all files, with ";" between them.
func (in *Input) takeBytes(text string) error {
	if text == "" {
		return nil
	}
	for number := range strings.SplitSeq(text, ";") {
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("bytes %q: want the length of each file, whole numbers with \";\" between them", text)
		}
		in.Bytes = append(in.Bytes, n)
	}
	if have, want := len(in.Bytes), len(in.AllFiles()); have != want {
		return fmt.Errorf("bytes %q: has %d lengths for %d files; want the length of each file, with \";\" between them", text, have, want)
	}
	return nil
}

// pair makes a pair of the sender's files and the receiver's files, if there are any of the
// receiver.
func (in *Input) pair(sender []string) error {
	switch {
	case len(sender)+len(in.Receiver) == 0:
		return nil
	case len(in.Files) > 0:
		return errors.New("has files beside sender and receiver; want one or the other")
	case len(in.Receiver) == 0:
		in.Problem = "has a sender's capture and none of the receiver; the column files takes captures of one host"
	case len(sender) == 0:
		in.Problem = "has a receiver's capture and none of the sender; the column files takes captures of one host"
	}
	in.Files = sender
	return nil
}

// fileList reads names of files with ";" between them.
func fileList(text, dir string) (files []string) {
	for f := range strings.SplitSeq(text, ";") {
		if f = strings.TrimSpace(f); f != "" {
			if !storage.IsAbs(f) {
				f = storage.Join(dir, f)
			}
			files = append(files, f)
		}
	}
	return files
}

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/testrun"
)

// realCampaign is a campaign of seven congestion controls, five runs each, with the
// captures of both hosts.
const realCampaign = testrun.Shared + "/campaign"

// TestRealCampaign makes a pair of each run of a real campaign. One run lacks its second capture,
// one has another run's, one has the same capture twice, and one folder is empty. The other runs
// have as many bytes as the applications wrote.
func TestRealCampaign(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a campaign of many captures takes seconds")
	}
	var runs []string
	for _, cc := range []string{"balia", "bbr", "cubic", "lia", "olia", "reno", "wvegas"} {
		for k := 1; k <= 5; k++ {
			runs = append(runs, fmt.Sprintf("campaign/%s/run%d", cc, k))
		}
	}
	folders := testrun.SharedFiles(t, runs...)
	if len(folders) == 0 {
		t.Skip("the campaign is not here")
	}
	dir := t.TempDir()
	other := map[string]string{ // captures of the server
		"lia/run2": "lia/run3/server.pcap.zst", "lia/run4": "lia/run4/client.pcap.zst", "olia/run1": "",
	}
	wrote := map[string]int{}
	for _, from := range folders {
		run := filepath.Join(filepath.Base(filepath.Dir(from)), filepath.Base(from))
		if err := os.MkdirAll(filepath.Join(dir, run), 0o777); err != nil {
			t.Fatal(err)
		}
		if run == "olia/run2" {
			continue
		}
		server := run + "/server.pcap.zst"
		if file, odd := other[run]; odd {
			server = file
		} else {
			wrote[run] = bytesOf(t, from)
		}
		link(t, filepath.Join(realCampaign, run, "client.pcap.zst"), filepath.Join(dir, run, "client.pcap.zst"))
		if server != "" {
			link(t, filepath.Join(realCampaign, server), filepath.Join(dir, run, "server.pcap.zst"))
		}
	}
	cmd := testrun.Command(t, os.Args[0], "compare", "--pattern", dir+"/{cc}/run{run}/{host}.pcap", "--metric", "b2a.bytes", "--no-cache", "--json")
	cmd.Env = append(os.Environ(), asProgram+"=1", "GORACE=atexit_sleep_ms=0")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 2 {
		t.Fatalf("%v, want exit status 2\n%s", err, said.String())
	}
	for _, want := range []string{
		"skipped 4 of 35 runs:", "lia, run 2: ", "have no TCP connection in common", "lia, run 4: ", "are the same capture",
		"olia, run 1: has the capture of client only; {host} takes those of two hosts", "olia, run 2: folder " + dir + "/olia/run2 holds nothing that fits {host}.pcap",
	} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("does not say %q: %s", want, said.String())
		}
	}
	var study struct {
		Scenarios []struct {
			Name    string
			Runs    int
			Metrics map[string]struct{ Min, Max, Mean float64 }
		}
		Runs []struct {
			Scenario, Run   string
			Files, Receiver []string
		}
	}
	if err := json.Unmarshal(out, &study); err != nil {
		t.Fatal(err)
	}
	if len(study.Runs) != 31 || len(study.Scenarios) != 7 {
		t.Fatalf("%d runs of %d scenarios, want 31 of 7", len(study.Runs), len(study.Scenarios))
	}
	for _, r := range study.Runs {
		if len(r.Files) != 1 || len(r.Receiver) != 1 {
			t.Errorf("%s %s is no pair: %v, %v", r.Scenario, r.Run, r.Files, r.Receiver)
		}
	}
	for _, sc := range study.Scenarios {
		sum, n := 0, 0
		for run, bytes := range wrote {
			if filepath.Dir(run) == sc.Name {
				sum, n = sum+bytes, n+1
			}
		}
		if got := sc.Metrics["b2a.bytes"]; sc.Runs != n || got.Mean != float64(sum)/float64(n) {
			t.Errorf("%s: %v bytes on average of %d runs, the applications wrote %v in %d", sc.Name, got.Mean, sc.Runs, float64(sum)/float64(n), n)
		}
		for _, figure := range []string{"b2a.end_to_end_delay_ms.avg", "b2a.10.1.1.1-10.9.9.9.owd_ms.avg"} { // which only pairs have
			if got := sc.Metrics[figure]; got.Min < 19 { // the path takes 20 ms
				t.Errorf("%s: %s is %v at least", sc.Name, figure, got.Min)
			}
		}
	}
}

// bytesOf returns how much the sending application of a run wrote.
func bytesOf(t *testing.T, folder string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	var run struct{ Sender struct{ Bytes int } }
	if err := json.Unmarshal(text, &run); err != nil || run.Sender.Bytes == 0 {
		t.Fatalf("%s: %v, %d bytes", folder, err, run.Sender.Bytes)
	}
	return run.Sender.Bytes
}

func link(t *testing.T, target, name string) {
	t.Helper()
	target, err := filepath.Abs(target)
	if err == nil {
		err = os.Symlink(target, name)
	}
	if err != nil {
		t.Fatal(err)
	}
}

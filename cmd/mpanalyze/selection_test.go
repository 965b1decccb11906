package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mpanalyze/internal/testrun"
)

// bursts is a session of many connections; none is a number that no connection has.
const (
	bursts = "v1/k-short-bursts/client.pcap.zst"
	none   = "100000"
)

// program runs the program with args and returns what it wrote and its exit status.
func program(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	dir, env := workshop(t)
	cmd := testrun.Command(t, filepath.Join(dir, "bin/mpanalyze"), args...)
	cmd.Dir, cmd.Env = dir, env
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return string(out), errs.String(), cmd.ProcessState.ExitCode()
}

// session returns the path of a session, from anywhere.
func session(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(sessions, name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPacketsOfConnection: the lines for one connection are its lines among those for all
// connections. It is an error only if there are none.
func TestPacketsOfConnection(t *testing.T) {
	path := session(t, bursts)
	all, _, _ := program(t, "packets", path)
	of := map[string]string{}
	header, rest, _ := strings.Cut(all, "\n")
	for line := range strings.Lines(rest) {
		if cells := strings.Split(line, "\t"); cells[3] == "mptcp" {
			of[cells[4]] += line
		}
	}
	if len(of) < 10 {
		t.Fatalf("lines of %d connections", len(of))
	}
	for _, id := range []string{"0", "1", strconv.Itoa(len(of) - 1)} {
		out, errs, status := program(t, "packets", path, "--connection", id)
		if out != header+"\n"+of[id] || of[id] == "" || errs != "" || status != 0 {
			t.Errorf("connection %s: status %d, %s, %d lines", id, status, errs, strings.Count(out, "\n"))
		}
	}
}

// TestSelectedConnection: each command accepts the first connection, and says for a number that
// no connection has that there is none. follow ends with status 2, because the payload was not
// captured.
func TestSelectedConnection(t *testing.T) {
	path := session(t, bursts)
	for _, command := range [][]string{{"analyze"}, {"why"}, {"packets"}, {"extract", "-o", "-"}, {"follow", "--direction", "b2a", "--sha256"}} {
		args := func(id string) []string {
			return append(append([]string{command[0], path}, command[1:]...), "--connection", id)
		}
		if _, errs, status := program(t, args("0")...); status == 1 || strings.Contains(errs, "no connection") {
			t.Errorf("%s: status %d, %s", command[0], status, errs)
		}
		if _, errs, status := program(t, args(none)...); status != 1 || !strings.Contains(errs, "no connection "+none) {
			t.Errorf("%s of no connection: status %d, %s", command[0], status, errs)
		}
	}
}

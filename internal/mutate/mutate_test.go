package mutate_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/mutate"
	"mpanalyze/internal/testrun"
)

// In the environment: how long the test runs, as in 1h, and the seed with which it begins.
// Without a time it tries that seed alone; without both it tries a few fixed ones.
const (
	timeVariable = "MPANALYZE_FUZZ"
	seedVariable = "MPANALYZE_FUZZ_SEED"
	partVariable = "MPANALYZE_FUZZ_PART" // says that this is a part of a long run
)

const (
	seedsOfPart = 15
	running     = "running" // the file that says what runs
)

const sessions = "../../testdata/"

// captures are what is mutated: sessions of both hosts where there are two.
var captures = [][2]string{
	{"sessions/v1/a-sym-up/client.pcap.zst", "sessions/v1/a-sym-up/server.pcap.zst"},
	{"sessions/v1/c-stream-bbr/client.pcapng.zst", "sessions/v1/c-stream-bbr/server.pcapng.zst"},
	{"sessions/v1/h-csum-flip-two/client.pcap.zst", "sessions/v1/h-csum-flip-two/server.pcap.zst"},
	{"sessions/v1/i-v6-v4/client.pcap.zst", "sessions/v1/i-v6-v4/server.pcap.zst"},
	{"sessions/v1/j-plain-server/client.pcap.zst", "sessions/v1/j-plain-server/server.pcap.zst"},
	{"sessions/v1/k-short-bursts/client.pcap.zst", "sessions/v1/k-short-bursts/server.pcap.zst"},
	{"sessions/v1/l-lost-setup/client.pcap.zst", "sessions/v1/l-lost-setup/server.pcap.zst"},
	{"sessions/v1/l-spurious/server.pcap.zst", "sessions/v1/l-spurious/client.pcap.zst"},
	{"sessions/v1/o-tso-veth/client.pcap.zst", "sessions/v1/o-tso-veth/server.pcap.zst"},
	{"sessions/v1/p-abort/client.pcap.zst", "sessions/v1/p-abort/server.pcap.zst"},
	{"sessions/v1/p-nat/client.pcap.zst", "sessions/v1/p-nat/server.pcap.zst"},
	{"sessions/v0/abort/client.pcap.zst", "sessions/v0/abort/server.pcap.zst"},
	{"sessions/v0/full-v0-csum1/server.pcap.zst", "sessions/v0/full-v0-csum1/client.pcap.zst"},
	{"cases/mp-capable-24-bytes.pcap.zst", ""},
	{"cases/no-tcp-flags.pcap.zst", ""},
}

// harness runs all commands on mutated captures.
type harness struct {
	*checker
	dir   string
	kinds []string
	found found
}

// found are the failures by their kinds.
type found map[string]*kind

// kind is one kind of failure.
type kind struct {
	seeds   []uint64
	example string
}

// TestMutated mutates real captures and runs every command on them: none panics, hangs or
// takes memory without bound; every exit status is a documented one, every JSON document is as
// its schema says, and every number can be right.
func TestMutated(t *testing.T) {
	if limit := os.Getenv(timeVariable); limit != "" && os.Getenv(partVariable) == "" {
		long(t, limit)
		return
	}
	dir, err := os.MkdirTemp("", "mpanalyze-mutated-")
	assert.NilError(t, err)
	t.Log("files in", dir)
	h := &harness{checker: newChecker(t), kinds: plotKinds(t), dir: dir, found: found{}}
	for _, seed := range seeds(t) {
		h.try(t, seed)
	}
	for _, name := range slices.Sorted(maps.Keys(h.found)) {
		k := h.found[name]
		t.Errorf("%s\n%d times, seeds %v (%s=SEED), file %s\n%s", name, len(k.seeds), k.seeds, seedVariable, file(dir, k.seeds[0]), k.example)
	}
	if !t.Failed() {
		os.RemoveAll(dir)
	}
}

// seeds are one or, in a part of a long run, several from that on that the environment says. Else they are
// a few: the first mutation of each is another one.
func seeds(t *testing.T) (list []uint64) {
	t.Helper()
	text := os.Getenv(seedVariable)
	first, err := strconv.ParseUint(cmp.Or(text, "1"), 10, 64)
	assert.NilError(t, err)
	n := map[string]int{"": len(mutate.Mutators)}[text]
	if os.Getenv(partVariable) != "" {
		n = seedsOfPart
	}
	for i := range max(n, 1) {
		list = append(list, first+uint64(i))
	}
	if text == "" {
		return testrun.Sample(list)
	}
	return list
}

// long tries seeds until the time is over, each part in a process of its own: a fault may end
// it, and the library of commands keeps every command tree for ever.
func long(t *testing.T, limit string) {
	t.Helper()
	span, err := time.ParseDuration(limit)
	assert.NilError(t, err)
	first := seeds(t)[0]
	seed := first
	for end := time.Now().Add(span); time.Now().Before(end); seed += seedsOfPart {
		cmd := testrun.Command(t, os.Args[0], "-test.run=^TestMutated$", "-test.v")
		cmd.Env = append(os.Environ(), partVariable+"=1", fmt.Sprintf("%s=%d", seedVariable, seed))
		said, err := cmd.CombinedOutput()
		assert.Check(t, err == nil, "seeds from %d on: %v\n%s", seed, err, said)
	}
	t.Logf("seeds %d to %d", first, seed-1)
}

// file is where the capture of a seed lies.
func file(dir string, seed uint64) string {
	return filepath.Join(dir, fmt.Sprintf("seed-%d.pcap", seed))
}

// try runs all commands on the capture of a seed. The file stays if something is wrong.
func (h *harness) try(t *testing.T, seed uint64) {
	t.Helper()
	text, peer, what := h.mutated(t, seed)
	in := &input{file: file(h.dir, seed), peer: peer, dir: filepath.Join(h.dir, "out"), kinds: h.kinds}
	assert.NilError(t, os.WriteFile(in.file, text, 0o666))
	alone := measure(in.file)
	alone.seconds += steps(run(t, []string{"analyze", in.file, "--json"}).out)
	other := measure(peer)
	together := extent{alone.packets + other.packets, alone.seconds + other.seconds, true}
	f := findings{}
	for _, line := range commandLines(in) {
		note := fmt.Sprintf("seed %d: %s\n%s\n", seed, what, strings.Join(line.args, " "))
		assert.NilError(t, os.WriteFile(filepath.Join(h.dir, running), []byte(note), 0o666))
		one, e := findings{}, alone
		if line.both() {
			e = together
		}
		h.check(one, e, line, run(t, line.args))
		for name, example := range one {
			f.add(name, "%s%.1500s", note, example)
		}
	}
	for name, example := range f {
		if h.found[name] == nil {
			h.found[name] = &kind{example: example}
		}
		h.found[name].seeds = append(h.found[name].seeds, seed)
	}
	if len(f) == 0 {
		os.Remove(in.file)
	}
	os.RemoveAll(in.dir)
}

// mutated makes the capture of a seed. It also returns a capture of the other host, and what was
// done.
func (h *harness) mutated(t *testing.T, seed uint64) (file []byte, peer, what string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	name, peer := source(r)
	skip := 0
	if r.IntN(4) == 0 {
		skip = r.IntN(500)
	}
	c := load(t, name, skip, 20+r.IntN(280))
	c.Format = mutate.Format{NG: r.IntN(3) == 0, Nano: r.IntN(2) == 0, BigEndian: r.IntN(4) == 0}
	c.Format.BigEndian = c.Format.BigEndian && !c.Format.NG // the changes of files know blocks in little endian
	m := &mutate.Mutation{Capture: c, R: r, Other: func() *mutate.Capture {
		other, _ := source(r)
		return load(t, other, 0, 100)
	}}
	did := []string{name}
	for i := range 1 + r.IntN(3) {
		k := r.IntN(len(mutate.Mutators))
		if i == 0 {
			k = int(seed) % len(mutate.Mutators) // each once before one comes again
		}
		if len(c.Packets) > 0 {
			mutate.Mutators[k].Change(m)
			did = append(did, mutate.Mutators[k].Name)
		}
	}
	file = c.Bytes()
	if r.IntN(3) == 0 {
		k := mutate.FileMutators[r.IntN(len(mutate.FileMutators))]
		file = k.Change(r, file)
		did = append(did, k.Name)
	}
	return file, peer, strings.Join(did, ", ")
}

// source selects a capture, and the one of the other host or itself.
func source(r *rand.Rand) (name, peer string) {
	c := captures[r.IntN(len(captures))]
	name, peer = sessions+c[0], sessions+c[1]
	if c[1] == "" {
		peer = name
	}
	return name, peer
}

func load(t *testing.T, name string, skip, packets int) *mutate.Capture {
	t.Helper()
	c, err := mutate.Read(name, skip, packets)
	if err == nil && len(c.Packets) == 0 {
		c, err = mutate.Read(name, 0, packets)
	}
	assert.NilError(t, err)
	return c
}

// steps returns by how much a report says that the clock was set: a step back that is shorter than
// a silence hides time, and [measure] cannot see it.
func steps(document string) (seconds float64) {
	for _, m := range stepSeconds.FindAllStringSubmatch(document, -1) {
		by, _ := strconv.ParseFloat(m[1], 64)
		seconds += math.Abs(by)
	}
	return seconds
}

var stepSeconds = regexp.MustCompile(`"step_s": *(-?[0-9.e+-]+)`)

// measure reads a capture and says how many packets it has, and the sum of all steps of its
// clock: a clock that was set may hide time, but no more than that.
func measure(file string) (e extent) {
	source, err := capture.Open([]string{file}, capture.Options{})
	if err != nil {
		return e
	}
	defer source.Close()
	var raw capture.Raw
	var least, most, before int64
	steps := 0.0
	for source.Next(&raw) == nil {
		if e.packets == 0 {
			least, most, before = raw.Time, raw.Time, raw.Time
		}
		if raw.Time < before {
			steps += float64(before-raw.Time) / 1e9
		}
		least, most, before = min(least, raw.Time), max(most, raw.Time), raw.Time
		e.packets++
	}
	e.seconds = float64(most-least)/1e9 + steps
	return e
}

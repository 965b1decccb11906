# make            lists the targets
# make run        analyses a bundled capture
# make test       runs the tests

.DEFAULT_GOAL := help
SHELL         := bash
.SHELLFLAGS   := -eu -o pipefail -c

PCAP     ?= testdata/sessions/v1/l-single-loss/client.pcap.zst
SHARED   ?= ../shared
PREFIX   ?= /usr/local
AREAS    ?= identity,bytes,hash,retransmission,reinjection,srtt,loss,delay,order,pair,campaign
FUZZTIME ?= 2000x
VERSION  ?= $(shell scripts/version.sh)

# Where the home directory cannot be written, Go keeps what it compiled here.
ifndef GOCACHE
GOCACHE := $(shell d=$$(go env GOCACHE) && mkdir -p "$$d" 2>/dev/null && [ -w "$$d" ] && echo "$$d" || echo "$$PWD/bin/.go-build")
endif
export GOCACHE

# Commands take these from the environment, where a name of a file may have any characters.
export PCAP SHARED PREFIX AREAS DESTDIR LOAD

BIN  := bin/mpanalyze
# deps.sh decides once per run whether cgo can be used and leaves 0 or 1 here.
CGO  := bin/cgo
GO    = CGO_ENABLED=$$(cat $(CGO)) go

.PHONY: help deps build run test race fuzz mutate bench pgo lint fmt golden calibration cloud man site completions install dist wheel python reproducible chroot container check release-check audit imports truth clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  PCAP=FILE       capture for 'run' (default: a bundled one)"
	@echo "  PREFIX=DIR      where 'install' puts things (default /usr/local); DESTDIR=DIR stands before it"
	@echo "  PLATFORMS=LIST  of 'dist', 'wheel' and 'reproducible', as in 'linux/amd64 windows/amd64'"
	@echo "  RACE=PACKAGES   packages and flags of 'race' (default ./...)"
	@echo "  STEPS=LIST      steps of 'release-check', as in 'slurm,cloud'"
	@echo "  FUZZTIME=2000x  executions for each fuzz target, or a time, as in 10m"
	@echo "  MUTATETIME=10m  how long 'mutate' runs"
	@echo "  SHARED=DIR      folder with captures/, truth/check and truth/counters for 'truth'; AREAS=a,b selects areas"

deps: # decides between cgo and pure Go, installs what is missing if it can
	@scripts/deps.sh $(CGO)

build: deps ## build bin/mpanalyze
	@$(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o $(BIN) ./cmd/mpanalyze

run: build ## analyse a bundled capture, or PCAP=file
	@$(BIN) analyze "$$PCAP"

# A package needs some seconds. The limit is for a machine that is busy with other work.
# Without the profile of the program, a package is compiled once for all steps. Without -trimpath,
# gotest.tools finds the source of an assertion that fails and prints its values. "make check"
# runs go vet.
TESTFLAGS := -timeout 60m -pgo=off -vet=off
TEST      ?= go test
MUTATETIME ?= 10m
RACE      ?= ./...

test: deps ## run the tests, of similar cases a quarter; MPANALYZE_TESTS=all tries all
	CGO_ENABLED=$$(cat $(CGO)) $(TEST) $(TESTFLAGS) ./...

race: deps ## run the tests of RACE under the race detector (needs a C compiler)
	@if [ "$$(cat $(CGO))" = 1 ]; then set -x; go test $(TESTFLAGS) -race $(RACE); \
	else echo "race: skipped: the race detector needs a C compiler"; fi

fuzz: deps ## run every fuzz target for FUZZTIME
	@CGO_ENABLED=$$(cat $(CGO)) scripts/fuzz.sh $(FUZZTIME)

mutate: deps ## run every command on mutated captures for MUTATETIME
	MPANALYZE_FUZZ=$(MUTATETIME) CGO_ENABLED=$$(cat $(CGO)) go test $(TESTFLAGS) -timeout 0 -count=1 -v -run '^TestMutated$$' ./internal/mutate

bench: build ## Go benchmarks, then CPU, time and memory as ratios to tcpdump
	@scripts/bench.sh

pgo: deps ## rewrite the profile by which the compiler optimises, cmd/mpanalyze/default.pgo; LOAD=FILE: also with a capture that scripts/record-load.sh made
	MPANALYZE_LOAD="$${LOAD:+$$(realpath "$$LOAD")}" $(GO) test -trimpath -run '^$$' -bench 'BenchmarkRecorded|BenchmarkTransfers|BenchmarkAnalyze|BenchmarkPair|BenchmarkShortConnections' -benchtime 4s -cpuprofile bin/cpu.pgo -o bin/engine.test ./internal/engine
	$(GO) -C tools run ./slimprofile <bin/cpu.pgo >bin/slim.pgo
	mv bin/slim.pgo cmd/mpanalyze/default.pgo

lint: deps ## gofmt, gofumpt, go vet, staticcheck, shellcheck
	@scripts/lint.sh

fmt: ## format every Go file
	@go -C tools tool gofumpt -w ../cmd ../internal .

golden: deps ## rewrite the golden files from what the program says now
	@scripts/golden.sh

calibration: build ## count in internal/sentences/calibration.md how often verdicts are right on sessions with known causes, in SESSIONS="FOLDER ..."
	@scripts/calibrate.py $(BIN) internal/sentences/calibration.md $(SESSIONS)

cloud: deps ## build bin/mpanalyze-cloud, which also reads and writes object storage, and run its tests
	@$(GO) -C cloud build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -pgo=../cmd/mpanalyze/default.pgo -o ../bin/mpanalyze-cloud .
	@scripts/versitygw.sh
	$(GO) -C cloud test $(TESTFLAGS) -ldflags '-s -w' ./...

man: ## write the man pages to man/
	@rm -rf man && mkdir man
	@CGO_ENABLED=0 go -C tools run ./gen-man ../man

site: build ## build the documentation site, bin/site/html/index.html (needs Python and npm)
	@scripts/site.sh

completions: ## write what shells complete by to completions/
	@rm -rf completions && mkdir completions
	@scripts/completions.sh completions

install: ## install program, man pages and completions below PREFIX
	@MAKE='$(MAKE)' scripts/install.sh

dist: ## static programs for every platform, .deb, .rpm, .ipk, bills of materials and sums, in dist/
	@scripts/dist.sh $(PLATFORMS)

wheel: ## the Python package with the program in it, in dist/python/
	@scripts/wheel.sh $(PLATFORMS)

python: ## the wheel, installed into a fresh environment and tested there
	@scripts/python.sh

reproducible: ## make 'dist' in two clones and compare
	@scripts/reproducible.sh $(PLATFORMS)

chroot: ## install the .deb, the .rpm and the wheel of dist/ into clean roots and run them (as root)
	@scripts/chroot.sh

container: ## build packaging/Containerfile, or check its steps where there is no podman or docker
	@scripts/container.sh

imports: deps ## check that packages import only lower ranks
	$(GO) test $(TESTFLAGS) -count=1 ./internal

check: lint imports ## what is checked of the sources: lint, import rules, lines of Go, tidy modules, a build without cgo
	@scripts/lines.sh
	go mod tidy -diff
	go -C tools mod tidy -diff
	go -C tools test $(TESTFLAGS) ./...
	$(GO) fix -pgo=off -diff ./...
	CGO_ENABLED=0 go vet -pgo=off ./...

release-check: build ## what a release must pass besides CI: everything, or STEPS=a,b (CONTRIBUTING.md)
	@scripts/release-check.sh

audit: deps ## licences of all modules, known vulnerabilities
	@scripts/audit.sh

truth: build ## hold reports of real sessions against ground truth and kernel counters
	@if [ -x "$$SHARED/truth/check" ]; then \
	  "$$SHARED/truth/check" --mpanalyze $(BIN) --area "$$AREAS"; \
	else echo "truth: skipped: ground truth: no $$SHARED/truth/check"; fi
	@if [ -x "$$SHARED/truth/counters" ]; then \
	  "$$SHARED/truth/counters" --mpanalyze $(BIN); \
	else echo "truth: skipped: kernel counters: no $$SHARED/truth/counters"; fi

clean: ## remove what the targets made
	rm -rf bin dist man completions

// Command sbom prints the software bill of materials of a Go program as CycloneDX 1.6
// in JSON: the modules in the program's build information, each with its licence. The licences
// come from the output of tools/licences. Equal programs have equal bills, because the time in a
// bill is SOURCE_DATE_EPOCH.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	version := flag.String("version", "", "version of the program")
	licences := flag.String("licences", "", "CSV `FILE` of tools/licences: module, version, licence, file")
	flag.Parse()
	if err := run(os.Stdout, flag.Args(), *version, *licences, os.Getenv("SOURCE_DATE_EPOCH")); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, args []string, version, licences, epoch string) error {
	if len(args) != 1 || version == "" || licences == "" {
		return errors.New("usage: SOURCE_DATE_EPOCH=SECONDS sbom -version VERSION -licences FILE.csv PROGRAM")
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH %q: want seconds since 1970", epoch)
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return err
	}
	content, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	known, err := readLicences(licences)
	if err != nil {
		return err
	}
	b, err := bill(info, version, sha256.Sum256(content), known)
	if err != nil {
		return err
	}
	b.Metadata.Timestamp = time.Unix(seconds, 0).UTC().Format(time.RFC3339)
	return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(b, cdx.SpecVersion1_6)
}

// readLicences returns the licences of each module, as SPDX expressions.
func readLicences(name string) (map[string][]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = 4
	lines, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	known := map[string][]string{}
	for _, l := range lines {
		known[l[0]] = append(known[l[0]], l[2])
	}
	return known, nil
}

// bill lists the modules from which the program was built. Every module must have a known licence.
func bill(info *debug.BuildInfo, version string, hash [sha256.Size]byte, known map[string][]string) (*cdx.BOM, error) {
	program := cdx.Component{
		Type: cdx.ComponentTypeApplication, Name: info.Main.Path, Version: version, BOMRef: info.Main.Path,
		Hashes:   &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(hash[:])}},
		Licenses: expressions([]string{"MIT"}),
	}
	std := cdx.Component{
		Type: cdx.ComponentTypeLibrary, Name: "std", Version: info.GoVersion, BOMRef: "std",
		PackageURL: "pkg:golang/std@" + info.GoVersion, Licenses: expressions([]string{"BSD-3-Clause"}),
	}
	components, needs := []cdx.Component{std}, []string{std.BOMRef}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if len(known[m.Path]) == 0 {
			return nil, fmt.Errorf("%s: no licence is known", m.Path)
		}
		url := "pkg:golang/" + m.Path + "@" + m.Version
		components = append(components, cdx.Component{
			Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, BOMRef: url, PackageURL: url,
			Licenses: expressions(known[m.Path]),
		})
		needs = append(needs, url)
	}
	b := cdx.NewBOM()
	b.Metadata = &cdx.Metadata{Component: &program}
	b.Components = &components
	b.Dependencies = &[]cdx.Dependency{{Ref: program.BOMRef, Dependencies: &needs}}
	return b, nil
}

// expressions returns all licences of a module as one expression. CycloneDX accepts "A AND B" only
// as an expression.
func expressions(licences []string) *cdx.Licenses {
	return &cdx.Licenses{{Expression: strings.Join(licences, " AND ")}}
}

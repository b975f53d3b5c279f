package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// sbom lists the components of a program in CycloneDX: the modules that the linker
// recorded, and the standard library. It has no serial number and only the commit's
// time, so it is reproducible.
func sbom(info *debug.BuildInfo, when time.Time, binary []byte) ([]byte, error) {
	parts := []cyclonedx.Component{part("std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range modules(info) {
		parts = append(parts, part(m.Path, m.Version))
	}
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = ""
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: when.UTC().Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: "lockstep", Type: cyclonedx.ComponentTypeApplication, Name: "lockstep", Version: info.Main.Version,
			Hashes: &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: fmt.Sprintf("%x", sha256.Sum256(binary))}},
		},
	}
	bom.Components = &parts
	var out bytes.Buffer
	err := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	return out.Bytes(), err
}

// part describes a module, with the version of the module proxy.
func part(module, version string) cyclonedx.Component {
	url := "pkg:golang/" + module + "@" + version
	return cyclonedx.Component{BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: module, Version: version, PackageURL: url}
}

package trial

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"

	"lockstep/internal/cache"
	"lockstep/internal/files"
	"lockstep/internal/lang"
)

// maxGoFile bounds what is read of a source file, in bytes.
const maxGoFile = 64 << 20

// Content is the code that the tests are made of, as a text that is the same wherever
// that code is, and differs where it does: unlike Identity, which also knows files
// around the tests and the environment, two machines can compare it.
func (c *Code) Content() (string, error) {
	var all []string
	for _, l := range c.listed {
		if l.Standard || l.Dir == "" || strings.HasSuffix(l.ImportPath, ".test") {
			continue
		}
		for _, name := range slices.Concat(l.GoFiles, l.CgoFiles, l.CFiles, l.HFiles, l.SFiles, l.EmbedFiles) {
			text, err := files.Read(filepath.Join(l.Dir, name), maxGoFile)
			if err != nil {
				return "", lang.Errorf("%s: %w", l.ImportPath, err)
			}
			sum := sha256.Sum256(text)
			all = append(all, l.ImportPath+" "+filepath.ToSlash(name)+" "+hex.EncodeToString(sum[:]))
		}
	}
	slices.Sort(all) // a cache of the go tool does not decide the order
	return string(cache.KeyOf(slices.Compact(all)...)), nil
}

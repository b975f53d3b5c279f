package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"lockstep/internal/files"
	"lockstep/internal/lang"
)

// marker is the file that marks a site. It has the checksum of each file, so
// that Write does not overwrite changed ones.
const marker = "lockstep-site.json"

type mark struct {
	Files map[string]string `json:"files"` // SHA-256, by name
}

// Write writes the files into a folder: a new or empty one, or one with an
// earlier site. It leaves other files alone.
func (s Site) Write(dir string) error {
	was, err := taken(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	now := mark{Files: map[string]string{}}
	names := slices.Sorted(maps.Keys(s))
	for _, name := range names {
		now.Files[name] = sum(s[name])
		have, err := files.Read(filepath.Join(dir, name), maxFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if got := sum(have); err != nil || got != was.Files[name] && got != now.Files[name] {
			return lang.Errorf("%s is not as lockstep web has written it; move it away", filepath.Join(dir, name))
		}
	}
	first := was.Files == nil // marks a partly written site
	if first {
		if err := now.write(dir); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := files.Write(filepath.Join(dir, name), s[name], 0o644); err != nil {
			return err
		}
	}
	if first {
		return nil
	}
	return now.write(dir)
}

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}

// The most bytes that are read of the mark and of another file.
const (
	maxMark = 1 << 20
	maxFile = 1 << 30
)

func readMark(dir string) (m mark, err error) {
	text, err := files.Read(filepath.Join(dir, marker), maxMark)
	if errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	if err != nil {
		return m, lang.Errorf("%s: %w", filepath.Join(dir, marker), err)
	}
	if err := json.Unmarshal(text, &m); err != nil || m.Files == nil {
		return m, lang.Errorf("%s is not of lockstep web; move it away", filepath.Join(dir, marker))
	}
	return m, nil
}

// Refuses returns the error of Write for a folder that is there and that it cannot take.
func Refuses(dir string) error {
	_, err := taken(dir)
	return err
}

// taken returns the mark of an earlier site.
func taken(dir string) (was mark, err error) {
	if at, err := os.Stat(dir); err == nil && !at.IsDir() {
		return was, lang.Errorf("%s is a file; use a folder", dir)
	}
	if was, err = readMark(dir); errors.Is(err, fs.ErrNotExist) {
		return mark{}, isEmpty(dir)
	}
	return was, err
}

func (m mark) write(dir string) error {
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return files.Write(filepath.Join(dir, marker), append(text, '\n'), 0o644)
}

func isEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && len(entries) > 0 {
		err = lang.Errorf("%s has files (%s) and no site of lockstep web; use a new folder", dir, entries[0].Name())
	}
	return err
}

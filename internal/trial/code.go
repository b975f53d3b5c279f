package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path"
	"path/filepath"
	"strings"

	"lockstep/internal/files"
	"lockstep/internal/lang"
	"lockstep/sim/program"
)

// Code locates the source of a package's tests and of all they import.
type Code struct {
	dirs map[string]string // the folder of each package, by its name in source lines
	own  []string          // those of the module under test
}

// Code lists the packages that the tests import.
func (p *Package) Code(ctx context.Context) (*Code, error) {
	out, err := p.gotool(ctx, "list", "-e", "-deps", "-test", "-json=ImportPath,Dir,Standard,Module", "--", p.name)
	if err != nil {
		return nil, err
	}
	c := &Code{dirs: map[string]string{}}
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		var listed struct {
			ImportPath, Dir string
			Standard        bool
			Module          *struct{ Main bool }
		}
		if err := in.Decode(&listed); errors.Is(err, io.EOF) {
			return c, nil
		} else if err != nil {
			return nil, lang.Errorf("go list %s: %w", p.name, err)
		}
		if listed.Standard || listed.Dir == "" {
			continue
		}
		pkg, _, _ := strings.Cut(listed.ImportPath, " ") // a variant compiled for the test
		c.dirs[program.NameOf(pkg)] = listed.Dir
		if listed.Module != nil && listed.Module.Main {
			c.own = append(c.own, listed.Dir)
		}
	}
}

// maxSource bounds what is read of a file of code, in bytes.
const maxSource = 1 << 20

// Source returns the text of a file by its name in source lines: package and
// file.
func (c *Code) Source(file string) (string, error) {
	dir, ok := c.dirs[path.Dir(file)]
	if !ok {
		return "", lang.Errorf("%s: its package is none that the tests are made of", file)
	}
	text, err := files.Read(filepath.Join(dir, path.Base(file)), maxSource)
	return string(text), err
}

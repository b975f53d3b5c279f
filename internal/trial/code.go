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

// Code is where the code lies that the tests of a package are made of.
type Code struct {
	dirs map[string]string // of each package, by the name that a line of code has
	own  []string          // those of the module under test
}

// Code looks for the code that the package's tests are made of.
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
		pkg, _, _ := strings.Cut(listed.ImportPath, " ") // where it is compiled anew for the test
		c.dirs[program.NameOf(pkg)] = listed.Dir
		if listed.Module != nil && listed.Module.Main {
			c.own = append(c.own, listed.Dir)
		}
	}
}

// maxSource bounds what is read of a file of code, in bytes.
const maxSource = 1 << 20

// Source is the text of a file, by the name that a line of code has: its package
// and its own.
func (c *Code) Source(file string) (string, error) {
	dir, ok := c.dirs[path.Dir(file)]
	if !ok {
		return "", lang.Errorf("%s: its package is none that the tests are made of", file)
	}
	text, err := files.Read(filepath.Join(dir, path.Base(file)), maxSource)
	return string(text), err
}

package trial

import (
	"bytes"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestWithDurable: the mutexes of sync are replaced, on their lines, and nothing else.
func TestWithDurable(t *testing.T) {
	for name, test := range map[string]struct{ from, want string }{
		"a field and a variable": {
			"package p\n\nimport \"sync\"\n\ntype T struct{ mu sync.Mutex }\n\nvar rw = &sync.RWMutex{}\n",
			"package p; import lockstepdurable \"lockstep/locktest/durable\"\n\nimport \"sync\"\n\ntype T struct{ mu lockstepdurable.Mutex }\n\nvar rw = &lockstepdurable.RWMutex{}\n\nvar _ sync.Locker\n",
		},
		"embedded, by another name": {
			"package p // says p\nimport s \"sync\"\ntype T struct{ *s.Mutex }\nvar once s.Once\n",
			"package p; import lockstepdurable \"lockstep/locktest/durable\" // says p\nimport s \"sync\"\ntype T struct{ *lockstepdurable.Mutex }\nvar once s.Once\n\nvar _ s.Locker\n",
		},
		"a variable of that name": {
			"package p\nimport \"sync\"\nvar mu sync.Mutex\nfunc f() int { sync := struct{ Mutex int }{}; return sync.Mutex }\n",
			"package p; import lockstepdurable \"lockstep/locktest/durable\"\nimport \"sync\"\nvar mu lockstepdurable.Mutex\nfunc f() int { sync := struct{ Mutex int }{}; return sync.Mutex }\n\nvar _ sync.Locker\n",
		},
		"no mutex":        {"package p\nimport \"sync\"\nvar once sync.Once\n", ""},
		"another package": {"package p\nimport \"other/sync\"\nvar m sync.Mutex\n", ""},
		"no code":         {"packag p", ""},
	} {
		if got := string(withDurable([]byte(test.from))); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

// FuzzWithDurable: what is replaced is code as before, with as many lines.
func FuzzWithDurable(f *testing.F) {
	f.Add([]byte("package p\nimport \"sync\"\nvar mu sync.Mutex\n"))
	f.Add([]byte("package p; import s \"sync\"; func (t *T) f(m map[string]*s.RWMutex) {}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		changed := withDurable(text)
		if changed == nil {
			return
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", changed, 0); err != nil {
			t.Errorf("%v in\n%s", err, changed)
		}
		if was, is := bytes.Count(text, []byte("\n")), bytes.Count(changed, []byte("\n")); is != was+2 {
			t.Errorf("%d lines, and %d before:\n%s", is, was, changed)
		}
		if strings.Count(string(changed), "lockstepdurable") < 2 {
			t.Errorf("nothing is replaced:\n%s", changed)
		}
	})
}

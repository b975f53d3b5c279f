package strategies

import "embed"

// Info is one row of the catalogue.
type Info struct {
	ID     string   // final name: command line, stories, tokens
	File   string   // its source file in this package
	Source []string // the tutorials that print it: T0 to T4; none for the answers
	Nodes  int      // how many Redis nodes it talks to; 0 for none
	Fix    string   // the lock that answers it; empty if there is none
	New    func(Env) Lock
}

// Catalogue lists every lock in teaching order.
var Catalogue = []Info{
	{"setnx-expire", "setnx_expire.go", []string{"T0", "T1", "T2", "T3", "T4"}, 1, "set-lua", func(e Env) Lock { return &SetNXExpire{e} }},
	{"set-lua", "set_lua.go", []string{"T1", "T2", "T4"}, 1, "fenced", func(e Env) Lock { return &SetLua{e} }},
}

// Find returns the lock with the given id.
func Find(id string) (Info, bool) {
	for _, info := range Catalogue {
		if info.ID == id {
			return info, true
		}
	}
	return Info{}, false
}

//go:embed *.go
var source embed.FS

// Source returns the text of one of this package's files.
func Source(file string) (string, error) {
	text, err := source.ReadFile(file)
	return string(text), err
}

package strategies

import "embed"

// Info is one row of the catalogue.
type Info struct {
	ID     string   // final name: command line, stories, tokens
	File   string   // its source file in this package
	Source []string // the tutorials that print it: T0 to T4, or W, issues of libraries; none for the answers
	Nodes  int      // how many Redis nodes it talks to; 0 for none
	Polls  bool     // Lock itself keeps trying for Env.Wait
	Fix    string   // the lock that answers it; empty if there is none
	New    func(Env) Lock
}

// Catalogue lists every lock in teaching order.
func Catalogue() []Info {
	return []Info{
		{"setnx", "setnx.go", []string{"T0", "T2", "T4"}, 1, false, "set-lua", func(e Env) Lock { return &SetNX{e} }},
		{"setnx-expire", "setnx_expire.go", []string{"T0", "T1", "T2", "T3", "T4"}, 1, false, "set-lua", func(e Env) Lock { return &SetNXExpire{e} }},
		{"multi-setnx-expire", "multi_setnx_expire.go", []string{"T2", "T4"}, 1, false, "set-lua", func(e Env) Lock { return &MultiSetNXExpire{e} }},
		{"getset-timestamp", "getset_timestamp.go", []string{"T1"}, 1, false, "set-lua", func(e Env) Lock { return &GetSetTimestamp{e} }},
		{"set-del", "set_del.go", []string{"T0", "T2", "T4"}, 1, false, "set-lua", func(e Env) Lock { return &SetDel{e} }},
		{"get-then-del", "get_then_del.go", []string{"T1"}, 1, false, "set-lua", func(e Env) Lock { return &GetThenDel{e} }},
		{"set-lua", "set_lua.go", []string{"T1", "T2", "T4"}, 1, false, "fenced", func(e Env) Lock { return &SetLua{e} }},
		{"watch-del", "watch_del.go", []string{"T3"}, 1, true, "set-lua", func(e Env) Lock { return &WatchDel{e} }},
		{"weak-token", "weak_token.go", []string{"T1", "T3"}, 1, true, "set-lua", func(e Env) Lock { return &WeakToken{e} }},
		{"reentrant-counter", "reentrant_counter.go", []string{"T0", "T2", "T4"}, 1, false, "reentrant-hash", func(e Env) Lock { return &ReentrantCounter{Env: e} }},
		{"reentrant-leak", "reentrant_leak.go", []string{"T2", "T4"}, 1, false, "reentrant-hash", func(e Env) Lock { return &ReentrantLeak{Env: e} }},
		{"reentrant-misprint", "reentrant_misprint.go", []string{"T4"}, 1, false, "reentrant-hash", func(e Env) Lock { return &ReentrantMisprint{Env: e} }},
		{"watchdog-naive", "watchdog_naive.go", []string{"T3"}, 1, true, "watchdog-lua", func(e Env) Lock { return &WatchdogNaive{WatchDel{e}} }},
		{"redlock-naive", "redlock_naive.go", []string{"T3"}, 5, false, "redlock", func(e Env) Lock { return &RedlockNaive{e} }},
		{"pubsub-wakeup", "pubsub_wakeup.go", []string{"W"}, 1, false, "pubsub-timed", func(e Env) Lock { return &PubSubWakeup{e} }},
		{"list-semaphore", "list_semaphore.go", []string{"W"}, 1, false, "set-lua", func(e Env) Lock { return &ListSemaphore{e} }},
		{"delex-ifeq", "delex_ifeq.go", nil, 1, false, "fenced", func(e Env) Lock { return &DelexIfeq{e} }},
		{"set-get-idempotent", "set_get_idempotent.go", nil, 1, false, "fenced", func(e Env) Lock { return &SetGetIdempotent{Env: e} }},
		{"reentrant-hash", "reentrant_hash.go", nil, 1, false, "fenced", func(e Env) Lock { return &ReentrantHash{Env: e} }},
		{"watchdog-lua", "watchdog_lua.go", nil, 1, false, "fenced", func(e Env) Lock { return &WatchdogLua{Env: e} }},
		{"pubsub-timed", "pubsub_timed.go", nil, 1, false, "fenced", func(e Env) Lock { return &PubSubTimed{PubSubWakeup{e}} }},
		{"redlock", "redlock.go", nil, 5, false, "fenced", func(e Env) Lock { return &Redlock{e} }},
		{"fenced", "fenced.go", nil, 1, false, "optimistic-version", func(e Env) Lock { return &Fenced{e} }},
		{"optimistic-version", "optimistic_version.go", nil, 0, false, "", func(e Env) Lock { return &OptimisticVersion{e} }},
	}
}

// Find returns the lock with the given id.
func Find(id string) (Info, bool) {
	for _, info := range Catalogue() {
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

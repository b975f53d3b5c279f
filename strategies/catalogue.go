package strategies

import (
	"embed"
	"slices"
	"sync"
)

// Info is one row of the catalogue.
type Info struct {
	ID     string   // final name: command line, stories, tokens
	File   string   // its source file in this package
	Source []string // the tutorials that print it: T0 to T4, or W, issues of libraries; none for the answers
	Nodes  int      // how many nodes it talks to; 0 for none
	Polls  bool     // Lock itself keeps trying for Env.Wait
	Fix    string   // the lock that answers it; empty if there is none
	New    func(Env) Lock
	// ZooKeeper says that its node is a ZooKeeper ensemble; otherwise nodes are Redis.
	ZooKeeper bool
}

// OnZooKeeper is the file of what the locks on ZooKeeper share.
const OnZooKeeper = "zk.go"

// Catalogue lists every lock in teaching order.
func Catalogue() []Info { return slices.Clone(catalogue()) }

// IDs lists the ids of every lock in teaching order.
func IDs() (ids []string) {
	for _, info := range catalogue() {
		ids = append(ids, info.ID)
	}
	return ids
}

var catalogue = sync.OnceValue(func() []Info {
	return []Info{
		{"setnx", "setnx.go", []string{"T0", "T2", "T4"}, 1, false, "set-lua", func(e Env) Lock { return &SetNX{e} }, false},
		{"setnx-expire", "setnx_expire.go", []string{"T0", "T1", "T2", "T3", "T4"}, 1, false, "set-lua", func(e Env) Lock { return &SetNXExpire{e} }, false},
		{"multi-setnx-expire", "multi_setnx_expire.go", []string{"T2", "T4"}, 1, false, "set-lua", func(e Env) Lock { return &MultiSetNXExpire{e} }, false},
		{"getset-timestamp", "getset_timestamp.go", []string{"T1"}, 1, false, "set-lua", func(e Env) Lock { return &GetSetTimestamp{e} }, false},
		{"set-del", "set_del.go", []string{"T0", "T2", "T4"}, 1, false, "set-lua", func(e Env) Lock { return &SetDel{e} }, false},
		{"get-then-del", "get_then_del.go", []string{"T1"}, 1, false, "set-lua", func(e Env) Lock { return &GetThenDel{e} }, false},
		{"set-lua", "set_lua.go", []string{"T1", "T2", "T4"}, 1, false, "fenced", func(e Env) Lock { return &SetLua{e} }, false},
		{"watch-del", "watch_del.go", []string{"T3"}, 1, true, "set-lua", func(e Env) Lock { return &WatchDel{e} }, false},
		{"weak-token", "weak_token.go", []string{"T1", "T3"}, 1, true, "set-lua", func(e Env) Lock { return &WeakToken{e} }, false},
		{"reentrant-counter", "reentrant_counter.go", []string{"T0", "T2", "T4"}, 1, false, "reentrant-hash", func(e Env) Lock { return &ReentrantCounter{Env: e} }, false},
		{"reentrant-leak", "reentrant_leak.go", []string{"T2", "T4"}, 1, false, "reentrant-hash", func(e Env) Lock { return &ReentrantLeak{Env: e} }, false},
		{"reentrant-misprint", "reentrant_misprint.go", []string{"T4"}, 1, false, "reentrant-hash", func(e Env) Lock { return &ReentrantMisprint{Env: e} }, false},
		{"watchdog-naive", "watchdog_naive.go", []string{"T3"}, 1, true, "watchdog-lua", func(e Env) Lock { return &WatchdogNaive{WatchDel{e}} }, false},
		{"redlock-naive", "redlock_naive.go", []string{"T3"}, 5, false, "redlock", func(e Env) Lock { return &RedlockNaive{e} }, false},
		{"pubsub-wakeup", "pubsub_wakeup.go", []string{"W"}, 1, false, "pubsub-timed", func(e Env) Lock { return &PubSubWakeup{e} }, false},
		{"list-semaphore", "list_semaphore.go", []string{"W"}, 1, false, "set-lua", func(e Env) Lock { return &ListSemaphore{e} }, false},
		{"zk-ephemeral", "zk_ephemeral.go", []string{"W"}, 1, false, "zk-sequential", func(e Env) Lock { return &ZKEphemeral{e} }, true},
		{"zk-herd", "zk_herd.go", []string{"W"}, 1, false, "zk-sequential", func(e Env) Lock { return &ZKHerd{ZKSequential{e}} }, true},
		{"zk-blind", "zk_blind.go", []string{"W"}, 1, false, "zk-sequential", func(e Env) Lock { return &ZKBlind{ZKSequential{e}} }, true},
		{"zk-unprotected", "zk_unprotected.go", []string{"W"}, 1, false, "zk-sequential", func(e Env) Lock { return &ZKUnprotected{ZKSequential{e}} }, true},
		{"delex-ifeq", "delex_ifeq.go", nil, 1, false, "fenced", func(e Env) Lock { return &DelexIfeq{e} }, false},
		{"set-get-idempotent", "set_get_idempotent.go", nil, 1, false, "fenced", func(e Env) Lock { return &SetGetIdempotent{Env: e} }, false},
		{"reentrant-hash", "reentrant_hash.go", nil, 1, false, "fenced", func(e Env) Lock { return &ReentrantHash{Env: e} }, false},
		{"watchdog-lua", "watchdog_lua.go", nil, 1, false, "fenced", func(e Env) Lock { return &WatchdogLua{Env: e} }, false},
		{"pubsub-timed", "pubsub_timed.go", nil, 1, false, "fenced", func(e Env) Lock { return &PubSubTimed{PubSubWakeup{e}} }, false},
		{"redlock", "redlock.go", nil, 5, false, "fenced", func(e Env) Lock { return &Redlock{e} }, false},
		{"fenced", "fenced.go", nil, 1, false, "optimistic-version", func(e Env) Lock { return &Fenced{e} }, false},
		{"zk-lock", "zk_lock.go", nil, 1, false, "zk-sequential-fenced", func(e Env) Lock { return &ZKLock{Env: e} }, true},
		{"zk-sequential", "zk_sequential.go", nil, 1, false, "zk-sequential-fenced", func(e Env) Lock { return &ZKSequential{e} }, true},
		{"zk-sequential-fenced", "zk_sequential_fenced.go", nil, 1, false, "optimistic-version", func(e Env) Lock { return &ZKSequentialFenced{ZKSequential{e}} }, true},
		{"optimistic-version", "optimistic_version.go", nil, 0, false, "", func(e Env) Lock { return &OptimisticVersion{e} }, false},
	}
})

// Find returns the lock with the given id.
func Find(id string) (Info, bool) {
	for _, info := range catalogue() {
		if info.ID == id {
			return info, true
		}
	}
	return Info{}, false
}

//go:embed *[^t].go reentrant_misprint.go set_get_idempotent.go
var source embed.FS

// Source returns the text of one of this package's files.
func Source(file string) (string, error) {
	text, err := source.ReadFile(file)
	return string(text), err
}

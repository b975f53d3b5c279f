package strategies

import (
	"embed"
	"slices"
	"strings"
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
		lock("setnx", "T0 T2 T4", "set-lua", func(e Env) Lock { return &SetNX{e} }),
		lock("setnx-expire", "T0 T1 T2 T3 T4", "set-lua", func(e Env) Lock { return &SetNXExpire{e} }),
		lock("multi-setnx-expire", "T2 T4", "set-lua", func(e Env) Lock { return &MultiSetNXExpire{e} }),
		lock("getset-timestamp", "T1", "set-lua", func(e Env) Lock { return &GetSetTimestamp{e} }),
		lock("set-del", "T0 T2 T4", "set-lua", func(e Env) Lock { return &SetDel{e} }),
		lock("get-then-del", "T1", "set-lua", func(e Env) Lock { return &GetThenDel{e} }),
		lock("set-lua", "T1 T2 T4", "fenced", func(e Env) Lock { return &SetLua{e} }),
		polling(lock("watch-del", "T3", "set-lua", func(e Env) Lock { return &WatchDel{e} })),
		polling(lock("weak-token", "T1 T3", "set-lua", func(e Env) Lock { return &WeakToken{e} })),
		lock("reentrant-counter", "T0 T2 T4", "reentrant-hash", func(e Env) Lock { return &ReentrantCounter{Env: e} }),
		lock("reentrant-leak", "T2 T4", "reentrant-hash", func(e Env) Lock { return &ReentrantLeak{Env: e} }),
		lock("reentrant-misprint", "T4", "reentrant-hash", func(e Env) Lock { return &ReentrantMisprint{Env: e} }),
		polling(lock("watchdog-naive", "T3", "watchdog-lua", func(e Env) Lock { return &WatchdogNaive{WatchDel{e}} })),
		onNodes(5, lock("redlock-naive", "T3", "redlock", func(e Env) Lock { return &RedlockNaive{e} })),
		lock("pubsub-wakeup", "W", "pubsub-timed", func(e Env) Lock { return &PubSubWakeup{e} }),
		lock("list-semaphore", "W", "set-lua", func(e Env) Lock { return &ListSemaphore{e} }),
		lock("zk-ephemeral", "W", "zk-sequential", func(e Env) Lock { return &ZKEphemeral{e} }),
		lock("zk-herd", "W", "zk-sequential", func(e Env) Lock { return &ZKHerd{ZKSequential{e}} }),
		lock("zk-blind", "W", "zk-sequential", func(e Env) Lock { return &ZKBlind{ZKSequential{e}} }),
		lock("zk-unprotected", "W", "zk-sequential", func(e Env) Lock { return &ZKUnprotected{ZKSequential{e}} }),
		lock("delex-ifeq", "", "fenced", func(e Env) Lock { return &DelexIfeq{e} }),
		lock("set-get-idempotent", "", "fenced", func(e Env) Lock { return &SetGetIdempotent{Env: e} }),
		lock("reentrant-hash", "", "fenced", func(e Env) Lock { return &ReentrantHash{Env: e} }),
		lock("watchdog-lua", "", "fenced", func(e Env) Lock { return &WatchdogLua{Env: e} }),
		lock("pubsub-timed", "", "fenced", func(e Env) Lock { return &PubSubTimed{PubSubWakeup{e}} }),
		onNodes(5, lock("redlock", "", "fenced", func(e Env) Lock { return &Redlock{e} })),
		lock("fenced", "", "optimistic-version", func(e Env) Lock { return &Fenced{e} }),
		lock("zk-lock", "", "zk-sequential-fenced", func(e Env) Lock { return &ZKLock{Env: e} }),
		lock("zk-sequential", "", "zk-sequential-fenced", func(e Env) Lock { return &ZKSequential{e} }),
		lock("zk-suspended", "", "zk-sequential-fenced", func(e Env) Lock { return &ZKSuspended{ZKSequential: ZKSequential{e}} }),
		lock("zk-sequential-fenced", "", "optimistic-version", func(e Env) Lock { return &ZKSequentialFenced{ZKSequential{e}} }),
		onNodes(0, lock("optimistic-version", "", "", func(e Env) Lock { return &OptimisticVersion{e} })),
	}
})

// lock is a lock on one node, which does not wait: its id, the tutorials that print it, the
// lock that answers it, and its constructor.
func lock(id, tutorials, fix string, new func(Env) Lock) Info {
	return Info{
		ID: id, File: strings.ReplaceAll(id, "-", "_") + ".go", Source: strings.Fields(tutorials),
		Nodes: 1, Fix: fix, New: new, ZooKeeper: strings.HasPrefix(id, "zk-"),
	}
}

func polling(l Info) Info {
	l.Polls = true
	return l
}

func onNodes(n int, l Info) Info {
	l.Nodes = n
	return l
}

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

// Source returns the text of one of this package's files; "" for any other.
func Source(file string) string {
	text, _ := source.ReadFile(file)
	return string(text)
}

// Package chinese finds mistakes in Chinese texts, for tests: left-over English and
// half-width punctuation, on pages, in transcripts and in prose.
package chinese

import (
	"regexp"
	"slices"
	"strings"

	"lockstep/strategies"
)

// names are the same in every language: files and places in them, keys and values,
// times and durations, ids and code.
var names = []*regexp.Regexp{
	regexp.MustCompile(`ZooKeeper|redsync|czxid|zk\.Lock|/?\b(lock|_c_\{\w+\})[/-][^\s，。：）\]]*|/lock\b`), // and the paths of its nodes
	regexp.MustCompile(`[\w./-]+\.(go|txt|md|json|toml)(:\d+)?`),                                         // files
	regexp.MustCompile(`(SELECT|UPDATE|WHERE)[\w ,=+<']*|lock:\{\w+\}(:\w+)?`),
	regexp.MustCompile(`\b[a-z]+(_[a-z]+)+\b|\b[0-9a-f]{10,}\b`),                      // stories, random tokens
	regexp.MustCompile(`maxmemory-policy noeviction|volatile-lru|appendfsync always`), // Redis' own settings
	regexp.MustCompile(`\(nil\)|\(error\) .*|-> nil`),                                 // replies
	regexp.MustCompile(`\[(subscribe|message|lock:)[^\]]*\]|RPUSH \S+ element`),       // of messages and lists
	regexp.MustCompile("`[^`]*`"),
	regexp.MustCompile(`lockstep:\S+|LOCKSTEP\d*:\S+`),                                                                             // tokens
	regexp.MustCompile(`[\w.-]+/[\w.-]+(#\d+)?`),                                                                                   // repositories, paths
	regexp.MustCompile(`\b(lock|fence|version|counter|count):\w+(:\w+)*`),                                                          // keys
	regexp.MustCompile(`\{[^}]*\}`),                                                                                                // scripts and hashes
	regexp.MustCompile(`\b\w+=\S+`),                                                                                                // settings
	regexp.MustCompile(`\b[A-Z][A-Z0-9_]+\b`),                                                                                      // commands of Redis
	regexp.MustCompile(`\b(connect|create2?|delete|exists|getData|setData|getChildren2?|setWatches|closeSession)\b| watch( ->|$)`), // requests to ZooKeeper
	regexp.MustCompile(`\b(NoNode|Node(Exists|Deleted|Created)|ConnectionLoss|SessionExpired|Disconnected)\b|session 0x[0-9a-f]+`), // its replies
	regexp.MustCompile(`（[a-z]+(-[a-z]+)*）`),                                                                                       // an id beside its name
	regexp.MustCompile(`-?\b\d+(\.\d+)?(ms|s|m|h)(\d+(\.\d+)?(ms|s|m|h))*\b`),                                                      // times
	regexp.MustCompile(`\b(stock|task|cache)( = -?\d+)?`),                                                                          // what the lock guards
	regexp.MustCompile(`\b(esc|enter|tab|home|end|pgup|pgdown|up|down|left|right|ctrl\+\w)\b`),                                     // keys to press
}

// words are English words that engineers use in Chinese sentences.
var words = []string{
	"Redis", "Redlock", "Lockstep", "Lua", "Go", "go-redis", "token", "fencing", "panic", "script", "redis", "nil",
	"Java", "true", "Cluster", "volatile", "uniqid", "sleep", "context", "Lock", "Unlock",
}

var latin = regexp.MustCompile(`[A-Za-z][a-z]{2,}([ '-][A-Za-z]+)*`)

// Latin returns the English in a text. also lists what else is the same in every
// language there: a story's commands, an error's text.
func Latin(text string, also ...string) []string {
	slices.SortFunc(also, func(a, b string) int { return len(b) - len(a) })
	for _, a := range also {
		if strings.TrimSpace(a) != "" {
			text = strings.ReplaceAll(text, a, " ")
		}
	}
	for _, n := range names {
		text = n.ReplaceAllString(text, "|")
	}
	ids := strategies.IDs()
	slices.SortFunc(ids, func(a, b string) int { return len(b) - len(a) })
	for _, id := range ids {
		text = strings.ReplaceAll(text, id, " ")
	}
	var found []string
	for _, run := range latin.FindAllString(text, -1) {
		if left := slices.DeleteFunc(strings.FieldsFunc(run, func(r rune) bool { return r == ' ' || r == '-' || r == '\'' }), func(w string) bool {
			return len(w) < 3 || slices.Contains(words, w)
		}); len(left) > 0 {
			found = append(found, run)
		}
	}
	return found
}

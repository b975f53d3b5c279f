package scenarios

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/strategies"
)

var (
	inCode   = regexp.MustCompile("`([^`]+)`")
	mark     = regexp.MustCompile(`_c_[0-9a-f{}]+-`)
	sequence = regexp.MustCompile(`-\d+`)
	epoch    = regexp.MustCompile(`\b17672\d{8}\b`)
	drawn    = regexp.MustCompile(`\b(0e\d+|6956\w{9})\b`)
)

// inShort writes the commands of a request as the card of a lock does.
func inShort(e history.Event, config history.Config) string {
	tokens := regexp.MustCompile(`\b(` + strings.Join(config.Clients, "|") + `)-\d+\b`)
	seconds, millis := strconv.Itoa(int(config.TTL/1000)), strconv.Itoa(int(config.TTL))
	var all []string
	for _, cmd := range e.Cmds {
		cmd = slices.Clone(cmd)
		if strings.HasPrefix(cmd[0], "EVAL") {
			cmd[0], cmd[1] = "EVAL", "script"
		}
		for i := range cmd {
			word := strings.Replace(cmd[i], "lock:stock", "k", 1)
			word = drawn.ReplaceAllString(epoch.ReplaceAllString(tokens.ReplaceAllString(word, "token"), "deadline"), "time")
			word = sequence.ReplaceAllString(mark.ReplaceAllString(word, ""), "-1")
			switch word {
			case seconds:
				word = "5"
			case millis:
				word = "5000"
			case "getChildren2":
				word = "getChildren"
			case "ex", "nx":
				word = strings.ToUpper(word)
			}
			cmd[i] = word
		}
		all = append(all, strings.Join(cmd, " "))
	}
	return strings.Join(all, "; ")
}

// sentBy lists the requests of a lock in a run to its first node, without those that make a
// session with ZooKeeper and the node below which others queue.
func sentBy(t *testing.T, s *Story, lock string) (all []string) {
	h := testkit.Must(RunAgainst(t.Context(), s, lock))(t).History
	failed := map[int]bool{}
	for _, e := range h.Events {
		failed[e.Call] = failed[e.Call] || e.Kind == history.Apply && e.Reply == "NoNode"
	}
	for _, e := range h.Events {
		cmd := ""
		if e.Kind == history.Request && e.Cmds[0][0] != "connect" && !failed[e.Call] && (e.Node == "" || e.Node == "r1") {
			cmd = inShort(e, h.Config)
		}
		if cmd != "" && cmd != "create /lock" && cmd != "exists /lock" {
			all = append(all, cmd)
		}
	}
	return all
}

// TestCommandsOfALock: what the card of a lock lists is what the lock sends: alone, each of its
// requests is there in this order, and each that is there is sent in some story. Of two locks
// that keep their code from sending any, it is what the lock sends without that fault.
func TestCommandsOfALock(t *testing.T) {
	unsent := map[string]string{"reentrant-leak": "reentrant-counter", "reentrant-misprint": "reentrant-counter"}
	alone := testkit.Must(Parse("alone", "alone", "world strategy=set-del clients=A scripts=known\n\nrun A\n"))(t)
	both := testkit.Must(Parse("both", "both", "world strategy=set-del clients=A,B wait=3s scripts=known\n\nrun A until=in-critical\n\nrun B for=1s\n\nrun A\n"))(t)
	var source string
	for line := range strings.Lines(strategies.Source("set_lua.go")) {
		source += " " + strings.TrimSpace(line)
	}
	for _, info := range strategies.Catalogue() {
		if info.Nodes == 0 {
			continue
		}
		id := cmp.Or(unsent[info.ID], info.ID)
		sent := sentBy(t, alone, id)
		all := append(sentBy(t, both, id), sent...)
		for _, s := range allStories(t) {
			if s.Strategy() == id {
				all = append(all, sentBy(t, s, id)...)
			}
		}
		for _, language := range prose.Languages() {
			book := prose.Load(language)
			_, said, _ := strings.Cut(book.Lock(info.ID).Works, "\n")
			var listed []string
			for _, m := range inCode.FindAllStringSubmatch(said, -1) {
				cmd := sequence.ReplaceAllString(m[1], "-1")
				if script, ok := strings.CutPrefix(cmd, `EVAL "`); ok {
					text, rest, _ := strings.Cut(script, `"`)
					if !strings.Contains(strings.ReplaceAll(source, `"`, "'"), text) {
						t.Errorf("%s %s: no script of the lock is %s", language, info.ID, text)
					}
					cmd = "EVAL script" + rest
				}
				if listed = append(listed, cmd); !slices.Contains(all, cmd) {
					t.Errorf("%s %s: %s is in none of\n%q", language, info.ID, cmd, slices.Compact(slices.Sorted(slices.Values(all))))
				}
			}
			next := 0
			for _, cmd := range listed {
				if next < len(sent) && cmd == sent[next] {
					next++
				}
			}
			if next < len(sent) {
				t.Errorf("%s %s lists %q and sends %q", language, info.ID, listed, sent)
			}
		}
	}
}

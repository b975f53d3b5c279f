package pages

import (
	"strings"
	"testing"
)

// typeIn presses the key of every letter.
func typeIn(m *Shell, text string) {
	for _, r := range text {
		press(m, string(r))
	}
}

// titles are what was found, in its order: a lock's id, or a story's name.
func titles(m *Shell) []string {
	var out []string
	for _, h := range searching(m).hits {
		out = append(out, h.Name)
	}
	return out
}

func TestSearch(t *testing.T) {
	for _, c := range []struct{ lang, query, first, also, not string }{
		{"en", "fenced", "fenced", "fencing_refuses_the_stale_write", "setnx"},          // an id; its stories
		{"en", "REDLOCK majority", "redlock", "", "setnx"},                              // a name, in any case
		{"en", "oversold", "stock_oversold", "", "setnx"},                               // a story's title
		{"en", "a_late", "a_late_del", "a_late_set_nobody_waits_for", "setnx"},          // its name
		{"en", "process dies here", "a_crash_between_setnx_and_expire", "", "set-lua"},  // a caption
		{"zh", "看门狗", "watchdog-naive", "the_watchdog_renews_a_stranger", "setnx"},      // in Chinese
		{"zh", "oversold", "stock_oversold", "", "setnx"},                               // names are English
		{"en", "lua release", "set-lua", "lua_closes_the_gap", "optimistic-version"},    // names before stories
		{"en", "  set-lua  ", "set-lua", "lua_cannot_save_slow_work", "stock_oversold"}, // blanks
		{"en", "zeebeeper", "", "", "setnx"},                                            // nothing
		{"en", "deadlock", "a_lost_reply_locks_its_sender_out", "", "setnx"},            // the name of what is violated
		{"zh", "死锁", "a_lost_reply_locks_its_sender_out", "", "setnx"},
		{"en", "deadlocks", "a_lost_reply_locks_its_sender_out", "", "setnx"},                        // in another form
		{"en", "why does my lock get deleted", "foreign-del", "set-del", "optimistic-version"},       // a question
		{"en", "#37060", "setnx", "", "set-lua"},                                                     // an issue
		{"en", "set-dle", "set-del", "", "setnx"},                                                    // a slip
		{"en", "crash zeebeeper", "setnx", "a_crash_between_setnx_and_expire", "optimistic-version"}, // as much as there is
		{"en", strings.Repeat("x", 100), "", "", "setnx"},                                            // too long
		{"en", "", "setnx", "fencing_refuses_the_stale_write", ""},                                   // everything
	} {
		m := start(t, Options{Lang: c.lang}, 80, 24)
		press(m, "/")
		typeIn(m, c.query)
		found := titles(m)
		first := append(found, "")[0]
		has := func(name string) bool { return strings.Contains("\n"+strings.Join(found, "\n")+"\n", "\n"+name+"\n") }
		if first != c.first || c.also != "" && !has(c.also) || c.not != "" && has(c.not) {
			t.Errorf("%q finds %v", c.query, found)
		}
		check(t, m)
		if len(searching(m).query) > maxQuery {
			t.Errorf("a query of %d bytes", len(searching(m).query))
		}
	}
}

// TestEveryHitLeadsSomewhere, whatever is searched for.
func TestEveryHitLeadsSomewhere(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	for _, h := range newSearchPage(m.shared).hits {
		if m.pagesOf(h.Place) == nil {
			t.Errorf("%s leads nowhere", h.Place)
		}
	}
}

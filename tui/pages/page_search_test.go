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

func TestSearchFrames(t *testing.T) {
	for _, c := range []struct{ name, lang, query string }{
		{"search_all", "en", ""},
		{"search_words", "en", "watchdog stranger"},
		{"search_nothing", "en", "zeebeeper"},
		{"search_chinese", "zh", "看门狗"},
	} {
		t.Run(c.name, func(t *testing.T) {
			goldenFrames(t, c.name, func(w, h int) *Shell {
				m := start(t, Options{Lang: c.lang}, w, h)
				press(m, "/")
				typeIn(m, c.query)
				return m
			})
		})
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

// TestSearchFromEveryList: esc clears what was written, and then leads back.
func TestSearchFromEveryList(t *testing.T) {
	for name, keys := range map[string][]string{"locks": nil, "stories": {"enter"}, "course": {"c", "down"}} {
		m := start(t, Options{}, 80, 24)
		press(m, keys...)
		from := at(m)
		press(m, "/", "q", "?", "backspace")
		if at(m) != "search" || searching(m).query != "q" {
			t.Fatalf("%s: not searching for q:\n%s", name, m.View())
		}
		press(m, "esc")
		if at(m) != "search" || searching(m).query != "" || len(searching(m).hits) < 50 {
			t.Errorf("%s: esc left %q", name, searching(m).query)
		}
		press(m, "esc")
		if at(m) != from {
			t.Errorf("%s: esc leads to %s", name, at(m))
		}
	}
}

// TestSearchOpens: enter opens what was found, and esc leads from there to
// where it would have been found without a search.
func TestSearchOpens(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	press(m, "c", "/")
	typeIn(m, "fenced")
	press(m, "down", "up", "enter")
	if at(m) != "stories" || on[storiesPage](m).lock.ID != "fenced" {
		t.Fatalf("no stories of fenced:\n%s", m.View())
	}
	press(m, "/")
	typeIn(m, "oversold")
	press(m, "enter")
	if at(m) != "player" || view(m).run == nil || story(m).story.Name != "stock_oversold" {
		t.Fatalf("the story is not open:\n%s", m.View())
	}
	if works(m, searchKey) {
		t.Error("/ is for lists only")
	}
	for _, h := range newSearchPage(m.shared).hits {
		if m.pagesOf(h.Place) == nil {
			t.Errorf("%s leads nowhere", h.Place)
		}
	}
	press(m, "esc", "esc")
	if at(m) != "locks" || on[locksPage](m).menu.at == 0 {
		t.Errorf("esc leads to lock %d:\n%s", on[locksPage](m).menu.at, m.View())
	}
	press(m, "/")
	typeIn(m, "zeebeeper")
	press(m, "enter", "down")
	if at(m) != "search" {
		t.Errorf("nothing was found, and opened:\n%s", m.View())
	}
}

// TestSaysWhy: what is said about a hit is the passage that the words are in.
func TestSaysWhy(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	press(m, "/")
	typeIn(m, "process dies here")
	wantIn(t, m, "Said there  The process dies here")
}

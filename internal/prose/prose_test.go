package prose

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit/chinese"
	"lockstep/strategies"
)

// What the design names. A new id needs prose before it can be used.
var (
	invariantIDs = []string{
		"mutual-exclusion", "foreign-release", "foreign-renewal", "equal-tokens", "overwritten-lease", "phantom-hold",
		"lock-recovers", "lost-wakeup", "self-deadlock", "stale-write", "lost-update", "leak", "panic", "blocked-forever",
	}
	// caseIDs are cases of invariants of which other things are true.
	caseIDs   = []string{"lock-recovers-from-the-start", "lost-wakeup-in-a-process"}
	hazardIDs = []string{
		"contention", "crash", "overrun", "client-clock", "lost-reply", "lost-push", "late-request",
		"hang", "node-restart", "node-clock", "eviction", "failover", "partition", "reentry", "script-flush", "cancel", "long-work",
	}
	termIDs = []string{
		"step", "lane", "world", "strand", "node", "time", "lit", "keys", "axis", "belief", "owner", "overlap", "cause", "card",
		"history", "event", "operation", "client", "schedule", "action", "fault", "invariant", "violation",
		"counterexample", "lease", "ttl", "token", "fencing-token", "critical-section", "resource", "orphan",
		"push", "held-command", "lost-wake-up",
	}
	textIDs = []string{
		"will_ask", "meant_to_fail_after", "holds", "no_violation", "choose_lock", "choose_story",
		"too_small", "beliefs", "invariants", "source", "caption", "keys", "goodbye",
		"next_steps_no_tty",
	}
)

func load(t *testing.T, lang string) *Book {
	t.Helper()
	return Load(lang)
}

func TestNothingIsMissing(t *testing.T) {
	for _, lang := range Languages() {
		b := load(t, lang)
		for _, info := range strategies.Catalogue() {
			wantFields(t, lang+" lock "+info.ID, b.Lock(info.ID), "Seen Look Code")
			if code := b.Lock(info.ID).Code; (code != "") != (len(info.Source) == 0) {
				t.Errorf("%s %s, which tutorials print: %t, is in code %q", lang, info.ID, len(info.Source) > 0, code)
			}
		}
		for id, lock := range b.locks {
			wantFields(t, lang+" lock "+id, lock, "Seen Look Code")
		}
		for _, id := range slices.Concat(invariantIDs, caseIDs) {
			wantFields(t, lang+" invariant "+id, b.Invariant(id), "")
		}
		for _, id := range hazardIDs {
			wantFields(t, lang+" hazard "+id, b.Hazard(id), "ZooKeeper")
		}
		for _, id := range termIDs {
			wantFields(t, lang+" term "+id, b.Term(id), "")
		}
		for _, id := range textIDs {
			if b.Text(id) == "" {
				t.Errorf("%s text %s is missing", lang, id)
			}
		}
		if len(b.invariants) != len(invariantIDs)+len(caseIDs) || len(b.hazards) != len(hazardIDs) || len(b.terms) != len(termIDs) {
			t.Errorf("%s has prose for an invariant, hazard or term that the design does not name", lang)
		}
	}
}

// wantFields wants every field of a struct of strings to be filled.
func wantFields(t *testing.T, what string, of any, except string) {
	t.Helper()
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if v.Field(i).String() == "" && !slices.Contains(strings.Fields(except), name) {
			t.Errorf("%s: %s is missing", what, name)
		}
	}
}

func TestViolationLines(t *testing.T) {
	for _, lang := range Languages() {
		b := load(t, lang)
		for _, id := range slices.Concat(invariantIDs, caseIDs) {
			for _, facts := range everyViolation() {
				f := facts.(ViolationFacts)
				line := b.Violation(id, f)
				if line == "" || line == id || untidy(line) != "" || strings.HasSuffix(line, ".") {
					t.Errorf("%s %s with %+v: %q %s", lang, id, f, line, untidy(line))
				}
				if !strings.Contains(line, f.Detail) {
					t.Errorf("%s %s with %+v: %q says nothing of the detail", lang, id, f, line)
				}
			}
			full := b.Violation(id, ViolationFacts{"Ann", "Bob", "lock:stock", "Redis", "no TTL"})
			if !strings.HasPrefix(id, "lock-recovers") && !strings.Contains(full, "Ann") {
				t.Errorf("%s %s: %q does not say who", lang, id, full)
			}
		}
	}
	b := load(t, "en")
	got := b.Violation("lock-recovers", ViolationFacts{Key: "lock:stock", Detail: "no TTL"})
	if want := "lock:stock cannot be acquired again: no TTL"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := b.Violation("of-my-own", ViolationFacts{}); got != "of-my-own" {
		t.Errorf("an invariant without prose gives %q, want its id", got)
	}
}

func TestFill(t *testing.T) {
	b := load(t, "en")
	if len(invariantIDs) != 14 {
		t.Errorf("no_violation speaks of fourteen invariants; there are %d", len(invariantIDs))
	}
	got := b.Fill("too_small", TextFacts{Width: 40, Height: 10, NeedWidth: 80, NeedHeight: 24})
	if want := "This terminal has 40 x 10 cells; Lockstep needs 80 x 24. Enlarge it to go on."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, lang := range Languages() {
		got := load(t, lang).Fill("goodbye", TextFacts{Story: "a_late_del", Step: 3, Steps: 7})
		for _, want := range []string{"lockstep run a_late_del", "3", "7"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q does not contain %q", lang, got, want)
			}
		}
		if got := load(t, lang).Fill("goodbye", TextFacts{}); strings.Contains(got, "lockstep run") {
			t.Errorf("%s: with no story open: %q", lang, got)
		}
	}
}

// TestSay: a command has its line with it, in the brackets of the language.
func TestSay(t *testing.T) {
	f := Facts{Client: "A", Cmd: "DEL", Line: "set_del.go:28", Key: "lock:stock", At: "3s", Other: "B"}
	for lang, want := range map[string]string{
		"en": "A's DEL (set_del.go:28) removed B's lock:stock at 3s.",
		"zh": "A 的 DEL（set_del.go:28）在 3s 删除了 B 的 lock:stock。",
	} {
		if got := load(t, lang).Say("order-removed", f); got != want {
			t.Errorf("%s: %q, want %q", lang, got, want)
		}
	}
	if got := load(t, "en").Say("of-my-own", f); got != "of-my-own" {
		t.Errorf("a sentence that nobody has written gives %q, want its id", got)
	}
}

// TestStyle holds every line of prose to the same form.
func TestStyle(t *testing.T) {
	for _, lang := range Languages() {
		for name, s := range everyString(load(t, lang)) {
			for i, line := range strings.Split(s, "\n") {
				if bad := untidy(line); bad != "" || i > 0 && (i > 1 || !strings.HasSuffix(name, ".Works")) {
					t.Errorf("%s %s: line %d, %s: %q", lang, name, i+1, bad, s)
				}
			}
			named := name == "text.does_language" // by those who speak it
			if lang == original && !named && strings.ContainsFunc(s, func(r rune) bool { return r > '~' }) {
				t.Errorf("%s %s: not ASCII: %q", lang, name, s)
			}
			field, most := name[strings.LastIndex(name, ".")+1:], 40
			if strings.HasPrefix(name, "title.") {
				field, most = "Name", 64
			}
			switch stop := regexp.MustCompile(`[.?。？]$`).MatchString(s); {
			case s == "" || field == "Line" || field == "Code" || name == "says.command":
			case field == "Name" && (stop || columns(s) > most):
				t.Errorf("%s %s: a title has no stop and at most %d columns: %q", lang, name, most, s)
			case strings.HasPrefix(name, "text."):
				// Up to four words are a label; a template may end in {{end}}.
				words := regexp.MustCompile(`[a-zA-Z']+`).FindAllString(regexp.MustCompile(`{{[^}]*}}`).ReplaceAllString(s, ""), -1)
				if lang == original && !stop && len(words) > 4 && !strings.HasSuffix(s, ".{{end}}") {
					t.Errorf("%s %s: a sentence ends with a stop: %q", lang, name, s)
				}
			case field != "Name" && !stop:
				t.Errorf("%s %s: a sentence ends with a stop: %q", lang, name, s)
			}
		}
	}
}

// TestSeen holds references to the form owner/repo#N.
func TestSeen(t *testing.T) {
	ref := regexp.MustCompile(`[\w.-]+/[\w.-]+#\d+`)
	for id, lock := range load(t, "en").locks {
		if lock.Seen != "" && !ref.MatchString(lock.Seen) {
			t.Errorf("%s: no owner/repo#N in %q", id, lock.Seen)
		}
	}
}

// untidy says what is wrong with the form of a text; nothing if it is well.
func untidy(s string) string {
	switch {
	case s != strings.TrimSpace(s):
		return "space at an end"
	case strings.Contains(s, "  "):
		return "double space"
	case strings.ContainsAny(s, "\n\t\r"):
		return "more than one line"
	case strings.ContainsAny(s, "!\uff01"):
		return "exclamation mark"
	}
	return ""
}

// columns is the width in a terminal; CJK characters take two columns.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x1100 {
			n++
		}
	}
	return n
}

// everyString returns all prose by a name that ends with the field.
func everyString(b *Book) map[string]string {
	all := map[string]string{}
	for name, table := range map[string]any{
		"locks": b.locks, "invariants": b.invariants, "hazards": b.hazards, "terms": b.terms, "text": b.texts, "says": b.says, "title": b.titles,
	} {
		for at := reflect.ValueOf(table).MapRange(); at.Next(); {
			id, v := name+"."+at.Key().String(), at.Value()
			if v.Kind() == reflect.String {
				all[id] = v.String()
				continue
			}
			for i := range v.NumField() {
				all[id+"."+v.Type().Field(i).Name] = v.Field(i).String()
			}
		}
	}
	return all
}

func TestChineseIsChinese(t *testing.T) {
	if !slices.Contains(Languages(), "zh") || Languages()[0] != "en" {
		t.Fatalf("languages are %v", Languages())
	}
	en, zh := everyString(load(t, "en")), everyString(load(t, "zh"))
	if !maps.Equal(keysOf(en), keysOf(zh)) {
		t.Error("en and zh have different keys")
	}
	alone, err := read(texts, "zh", nil) // nothing falls back to English
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(keysOf(alone.texts), keysOf(load(t, "en").texts)) {
		t.Errorf("zh/ui.toml lacks some of %v", slices.Sorted(maps.Keys(load(t, "en").texts)))
	}
	if !maps.Equal(keysOf(alone.says), keysOf(load(t, "en").says)) {
		t.Errorf("zh/explain.toml lacks some of %v", slices.Sorted(maps.Keys(load(t, "en").says)))
	}
	must := regexp.MustCompile(`^locks\..*\.(Name|Claims|Seen)$|^invariants\..*\.(Says|Line)$|^text\.|^says\.`)
	for name, s := range zh {
		if must.MatchString(name) && s != "" && s == en[name] {
			t.Errorf("%s is still English: %q", name, s)
		}
	}
}

func keysOf(m map[string]string) map[string]bool {
	keys := map[string]bool{}
	for k := range m {
		keys[k] = true
	}
	return keys
}

var values = regexp.MustCompile(`%(\[\d\])?[a-z]|"[^"]*"|redis\.call.*\)`) // and code

// TestChineseForm: full-width punctuation, a space between Han and Latin, no word twice.
func TestChineseForm(t *testing.T) {
	b := load(t, "zh")
	for name, s := range everyString(b) {
		if wrong := chinese.Punctuation(s); len(wrong) > 0 {
			t.Errorf("%s: %q\n%s", name, wrong, s)
		}
	}
	for english, s := range b.messages {
		if wrong := chinese.Punctuation(values.ReplaceAllString(s, "{{.X}}")); len(wrong) > 0 {
			t.Errorf("%q: %q\n%s", english, wrong, s)
		}
	}
}

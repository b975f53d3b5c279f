package prose

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"lockstep/internal/lang"
	"lockstep/internal/phrase"
)

// A Lock is the text about one lock.
type Lock struct {
	Name   string // a short title
	Claims string // what the tutorial promises
	Works  string // how acquire and release work
	Breaks string // what goes wrong, and when
	Costs  string // the consequence, in the shop's words
	Fix    string // what to use instead, and why
	Seen   string // where it was met or found in a real library; may be empty
	Look   string // a search for it in one's own code, and what to look for; may be empty
	Code   string // what it is in code, as a remedy; empty for a lock that tutorials print
}

// An Invariant is the text about one invariant and its violation.
type Invariant struct {
	Name string // short; in English its id
	Says string
	Line string // template of a violation's one line; see Book.Violation
}

// A Hazard is the text about one hazard.
type Hazard struct {
	Name      string
	Says      string // on Redis, or on any server
	ZooKeeper string // instead of Says
	Example   string
}

// On says what the hazard is for a lock on a server.
func (h Hazard) On(store string) string {
	if store == "ZooKeeper" {
		return cmp.Or(h.ZooKeeper, h.Says)
	}
	return h.Says
}

// A Level is the text about one level of "break it yourself".
type Level struct {
	Name                string
	Goal                string // what the learner is to bring about
	Hint1, Hint2, Hint3 string // each says more than the one before
	// Guide says, before each move of the level's guide, what is to be done, and why.
	Guide []string
}

// A Term is a word of the glossary, or an element of the screen.
type Term struct{ Name, Says string }

// A Help is the text about one command. Fields may be empty.
type Help struct {
	Short, Long string
	Example     string            // the same in all languages
	Flags       map[string]string // by name
}

// ViolationFacts are the values in the line about a violation. Each may be empty.
type ViolationFacts struct {
	Client string // who broke the invariant
	Other  string // the other client concerned
	Key    string
	Store  string // the server that has the key
	Detail string // a short fact, such as "no TTL"
}

// TextFacts are the values in a text of the walkthrough and the command line.
type TextFacts struct {
	Width, Height, NeedWidth, NeedHeight int
	Story                                string
	Step, Steps                          int
	N, Of                                int // one of so many, or how many
	From, To                             int
	Delay                                string
	What                                 string // a key to press, or a limit
	Invariant, Hazard                    string
	Said                                 string // an answer that was given
}

// A Book is all prose in one language. It never changes after Load, so several
// goroutines may use it. For an unknown id its methods return the zero value.
type Book struct {
	locks      map[string]Lock
	invariants map[string]Invariant
	hazards    map[string]Hazard
	terms      map[string]Term
	texts      map[string]string
	says       map[string]string         // of runs; see Say
	titles     map[string]string         // of stories
	messages   map[string]string         // by the English format; see Language
	helps      map[string]Help           // by the words of a command
	phrases    map[string]*phrase.Phrase // by "invariants.id", "text.id" and "says.id"
}

const original = "en"

// A book never changes, so it is read once. Every other language falls back to English.
var books = func() map[string]func() *Book {
	all := map[string]func() *Book{}
	for _, language := range Languages() {
		all[language] = sync.OnceValue(func() *Book {
			var base *Book
			if language != original {
				base = all[original]()
			}
			book, err := read(texts, language, base)
			if err != nil {
				panic(err) // a test reads them all
			}
			return book
		})
	}
	return all
}()

// Languages returns the languages that Load knows, English first.
func Languages() []string { return languages(texts) }

func languages(fsys fs.FS) []string {
	entries, _ := fs.ReadDir(fsys, ".")
	langs := []string{original}
	for _, e := range entries {
		if e.IsDir() && e.Name() != original {
			langs = append(langs, e.Name())
		}
	}
	return langs
}

// Load returns the prose in a language. Missing texts, and those in any other language,
// are in English.
func Load(language string) *Book {
	if book, known := books[language]; known {
		return book()
	}
	return books[original]()
}

// Lock returns the text about a lock.
func (b *Book) Lock(id string) Lock { return b.locks[id] }

// Invariant returns the text about an invariant.
func (b *Book) Invariant(id string) Invariant { return b.invariants[id] }

// Hazard returns the text about a hazard.
func (b *Book) Hazard(id string) Hazard { return b.hazards[id] }

// EveryHazard says what a hazard is on all servers.
func (b *Book) EveryHazard(id string) string {
	h := b.hazards[id]
	if h.ZooKeeper == "" {
		return h.Says
	}
	return b.Fill("sentences", TextFacts{Said: h.Says, What: h.ZooKeeper})
}

// Term returns the text about a word of the glossary.
func (b *Book) Term(id string) Term { return b.terms[id] }

// Title returns the title of a story that comes with Lockstep.
func (b *Book) Title(story string) string { return b.titles[story] }

// Language returns the translations of the code's messages; in English there are none.
func (b *Book) Language() lang.Language {
	return func(format string) string { return b.messages[format] }
}

// Messages returns the translations of the code's messages, by their English formats.
func (b *Book) Messages() map[string]string { return maps.Clone(b.messages) }

// Help returns the text about a command, such as "init locktest".
func (b *Book) Help(command string) Help { return b.helps[command] }

// Helps lists the commands with a text.
func (b *Book) Helps() []string { return slices.Sorted(maps.Keys(b.helps)) }

// InBrowser returns the book as it is read in a browser, which has some texts of its own:
// those whose ids end in _browser.
func (b *Book) InBrowser() *Book {
	own := *b
	own.texts, own.phrases = maps.Clone(b.texts), maps.Clone(b.phrases)
	for id, text := range b.texts {
		if usual, ok := strings.CutSuffix(id, "_browser"); ok {
			own.texts[usual], own.phrases["text."+usual] = text, b.phrases["text."+id]
		}
	}
	return &own
}

// Texts returns the texts whose ids begin with a prefix, by the rest of these.
func (b *Book) Texts(prefix string) map[string]string {
	out := map[string]string{}
	for id, text := range b.texts {
		if name, ok := strings.CutPrefix(id, prefix); ok {
			out[name] = text
		}
	}
	return out
}

// Text returns a text without fields. For one with fields, see Fill.
func (b *Book) Text(id string) string { return b.texts[id] }

// InvariantName returns the name of an invariant; its id if it has no text.
func (b *Book) InvariantName(id string) string {
	if name := b.invariants[id].Name; name != "" {
		return name
	}
	return id
}

// Named returns an invariant's name with its id, which users have to type. In English
// the id is the name.
func (b *Book) Named(invariant string) string {
	return b.Fill("named", TextFacts{Invariant: invariant, What: b.InvariantName(invariant)})
}

// Verdict returns one line, without a stop, about a violated invariant and how: see
// Violation. It includes the id, which users may have to type.
func (b *Book) Verdict(invariant, violation string) string {
	return b.Fill("verdict", TextFacts{What: b.Named(invariant), Said: violation})
}

// Pair joins a name and its description.
func (b *Book) Pair(name, is string) string {
	return b.Fill("pair", TextFacts{Said: name, What: is})
}

// Sentences joins two sentences, of which one may be missing.
func (b *Book) Sentences(one, two string) string {
	return b.join("sentences", []string{one, two})
}

// With adds a remark to a text.
func (b *Book) With(said, remark string) string {
	return b.Fill("with", TextFacts{Said: said, What: remark})
}

// List joins several texts in a row, those that are not empty.
func (b *Book) List(parts ...string) string { return b.join("list", parts) }

// Names joins the names of several things of one kind.
func (b *Book) Names(names ...string) string { return b.join("names", names) }

func (b *Book) join(id string, parts []string) string {
	joined := ""
	for _, part := range parts {
		if joined == "" {
			joined = part
		} else if part != "" {
			joined = b.Fill(id, TextFacts{Said: joined, What: part})
		}
	}
	return joined
}

// Answer returns the text of an answer to a question. Names and numbers are the same in
// every language.
func (b *Book) Answer(fact, answer string) string {
	kind, _, _ := strings.Cut(fact, " ")
	if n, err := strconv.Atoi(answer); err == nil && b.texts["answer_"+kind] != "" {
		return b.Count("answer_"+kind, n)
	}
	if kind == "holds" {
		name, value, _ := strings.Cut(answer, "=")
		return cmp.Or(b.Lock(value).Name, b.Fill("answer_holds_"+name, TextFacts{Said: value}), answer)
	}
	if kind == "within" && answer != "nobody" {
		return b.join("answer_within", strings.Split(answer, "+"))
	}
	if text := cmp.Or(b.texts["answer_"+kind+"_"+answer], b.texts["answer_"+answer]); text != "" {
		return text
	}
	return b.InvariantName(answer)
}

// Fill returns a text with its fields filled in.
func (b *Book) Fill(id string, f TextFacts) string {
	line, err := execute(b.phrases["text."+id], f)
	if err != nil {
		return b.texts[id]
	}
	return line
}

// Gap returns a text with one gap, filled.
func (b *Book) Gap(id, what string) string { return b.Fill(id, TextFacts{What: what}) }

// Count returns a text that counts, perhaps of how many.
func (b *Book) Count(id string, n int, of ...int) string {
	return b.Fill(id, TextFacts{N: n, Of: cmp.Or(of...)})
}

// Violated says that an invariant is violated.
func (b *Book) Violated(invariant string) string {
	return b.Gap("violates", b.InvariantName(invariant))
}

// Violation returns one line, without a stop, about who violated an invariant and how.
// Without a text it uses the invariant's id, so that a verdict is never empty.
func (b *Book) Violation(id string, f ViolationFacts) string {
	line, err := execute(b.phrases["invariants."+id], f)
	if err != nil {
		return id
	}
	return line
}

func execute(p *phrase.Phrase, facts any) (string, error) {
	if p == nil {
		return "", errors.New("no phrase")
	}
	return p.Fill(facts)
}

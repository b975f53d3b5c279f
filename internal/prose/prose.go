package prose

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"lockstep/internal/lang"
)

// A Lock is what is said about one strategy.
type Lock struct {
	Name   string // a short title
	Claims string // what the tutorial promises
	Works  string // how acquire and release work
	Breaks string // what goes wrong, and when
	Costs  string // the consequence, in the shop's words
	Fix    string // what to use instead, and why
	Seen   string // where it happened in a real library; may be empty
}

// An Invariant is what is said about one invariant and its violation.
type Invariant struct {
	Name string // short; in English its id
	Says string
	Line string // template of a violation's one line; see Book.Violation
}

// A Hazard is what is said about one kind of trouble.
type Hazard struct {
	Name    string
	Says    string
	Example string
}

// A Level is what is said about one level of "break it yourself".
type Level struct {
	Name                string
	Goal                string // what the learner is to bring about
	Hint1, Hint2, Hint3 string // each says more than the one before
}

// A Term is a word of the glossary, or a thing on the screen.
type Term struct{ Name, Says string }

// A Help is what is said about one command. Fields may be empty.
type Help struct {
	Short, Long string
	Flags       map[string]string // by name
}

// ViolationFacts are what a violation's line may speak of. Each may be empty.
type ViolationFacts struct {
	Client string // who broke the invariant
	Other  string // the other client concerned
	Key    string
	Detail string // a short fact, such as "no TTL"
}

// TextFacts are what a text of the terminal program may speak of.
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

// A Book is all prose in one language. It is never changed after Load, so it
// may be used by several goroutines. For an id that it does not have, its
// methods return the zero value.
type Book struct {
	locks      map[string]Lock
	invariants map[string]Invariant
	hazards    map[string]Hazard
	terms      map[string]Term
	texts      map[string]string
	says       map[string]string // of runs; see Say
	messages   map[string]string // by the English format; see Language
	helps      map[string]Help   // by the words of a command
	phrases    map[string]phrase // by "invariants.id", "text.id" and "says.id"
}

//go:embed */*.toml
var texts embed.FS

const original = "en"

// A book never changes, and so is read once. Every other language falls back to English.
var books = func() map[string]func() (*Book, error) {
	all := map[string]func() (*Book, error){}
	for _, language := range Languages() {
		all[language] = sync.OnceValues(func() (*Book, error) {
			if language == original {
				return read(texts, language, nil)
			}
			base, err := all[original]()
			if err != nil {
				return nil, err
			}
			return read(texts, language, base)
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

// Load returns the prose in one language. What the language does not have is
// English.
func Load(language string) (*Book, error) {
	book, known := books[language]
	if !known {
		return nil, fmt.Errorf("prose: unknown language %q; there are %s", language, strings.Join(Languages(), ", "))
	}
	return book()
}

// Lock returns what is said about a strategy.
func (b *Book) Lock(id string) Lock { return b.locks[id] }

// Invariant returns what is said about an invariant.
func (b *Book) Invariant(id string) Invariant { return b.invariants[id] }

// Hazard returns what is said about a hazard.
func (b *Book) Hazard(id string) Hazard { return b.hazards[id] }

// Term returns what is said about a word of the glossary.
func (b *Book) Term(id string) Term { return b.terms[id] }

// Language is how the messages of the code are said; in English as they stand in
// the code.
func (b *Book) Language() lang.Language {
	return func(format string) string { return b.messages[format] }
}

// Messages returns what the book has of the messages of the code, by their English
// formats.
func (b *Book) Messages() map[string]string { return maps.Clone(b.messages) }

// Help returns what is said about a command, such as "completion bash"; nothing in
// English, which stands in the code.
func (b *Book) Help(command string) Help { return b.helps[command] }

// Helps lists the commands about which something is said.
func (b *Book) Helps() []string { return slices.Sorted(maps.Keys(b.helps)) }

// Text returns a label or a help sentence as it stands in the file. One with
// fields is a template: see Fill.
func (b *Book) Text(id string) string { return b.texts[id] }

// InvariantName is what an invariant is called; one without prose by its id.
func (b *Book) InvariantName(id string) string {
	if name := b.invariants[id].Name; name != "" {
		return name
	}
	return id
}

// Named is an invariant for whoever may have to type its id, which in English
// is its name.
func (b *Book) Named(invariant string) string {
	return b.Fill("named", TextFacts{Invariant: invariant, What: b.InvariantName(invariant)})
}

// Verdict is one line, without a stop, that says which invariant was broken, and
// how: see Violation. Whoever has to type its id finds that too.
func (b *Book) Verdict(invariant, violation string) string {
	return b.Fill("verdict", TextFacts{What: b.Named(invariant), Said: violation})
}

// Pair is a name and what it is, or does.
func (b *Book) Pair(name, is string) string {
	return b.Fill("pair", TextFacts{Said: name, What: is})
}

// Sentences joins two sentences, of which the second may be missing.
func (b *Book) Sentences(one, two string) string {
	if two == "" {
		return one
	}
	return b.Fill("sentences", TextFacts{Said: one, What: two})
}

// With is something with a remark on it.
func (b *Book) With(said, remark string) string {
	return b.Fill("with", TextFacts{Said: said, What: remark})
}

// List is several things in a row.
func (b *Book) List(parts ...string) string {
	list := ""
	for i, part := range parts {
		if i == 0 {
			list = part
		} else {
			list = b.Fill("list", TextFacts{Said: list, What: part})
		}
	}
	return list
}

// Answer returns the answer to a question as a learner reads it. One that is a
// name or a number is the same in every language.
func (b *Book) Answer(answer string) string {
	if text := b.texts["answer_"+answer]; text != "" {
		return text
	}
	return b.InvariantName(answer)
}

// Fill returns a label or a help sentence with its fields filled in.
func (b *Book) Fill(id string, f TextFacts) string {
	line, err := execute(b.phrases["text."+id], f)
	if err != nil {
		return b.texts[id]
	}
	return line
}

// Violation returns one line, without a stop, that says who broke an
// invariant and how. An invariant without prose is named by its id, so that
// a verdict is never silent.
func (b *Book) Violation(id string, f ViolationFacts) string {
	line, err := execute(b.phrases["invariants."+id], f)
	if err != nil {
		return id
	}
	return line
}

func execute(p phrase, facts any) (string, error) {
	if p == nil {
		return "", errors.New("no phrase")
	}
	return p.fill(facts)
}

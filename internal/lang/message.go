package lang

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// A Language returns its own format for an English one; "" if it has none. Such
// a format has the same verbs; they may be numbered, as %[2]s is. The nil
// Language is English.
type Language func(format string) string

// own returns the format that stands for an English one, which may be itself.
func (l Language) own(format string) string {
	if l != nil {
		if own := l(format); own != "" {
			return own
		}
	}
	return format
}

// Sayer is what can be said in more than one language.
type Sayer interface {
	In(Language) string
}

// A Message is a sentence, or a part of one. The zero Message says nothing.
type Message struct {
	format string
	args   []any
}

// New makes a message of an English format, as fmt has them, and its values.
// Among them may be messages and errors, which are said in the same language.
func New(format string, args ...any) Message {
	if false { // so that go vet holds the values against the format
		_ = fmt.Sprintf(format, args...)
	}
	return Message{format, args}
}

// String says it in English.
func (m Message) String() string { return m.In(nil) }

// None says that there is nothing to say.
func (m Message) None() bool { return m.format == "" }

// In says it in a language, in English where the language lacks it.
func (m Message) In(l Language) string {
	args := make([]any, len(m.args))
	for i, arg := range m.args {
		args[i] = arg
		switch arg.(type) {
		case Sayer, error:
			args[i] = In(l, arg)
		}
	}
	return fmt.Sprintf(wrapping.Replace(l.own(m.format)), args...)
}

// A Word is a text without values that code keeps and compares as a string, such as
// a verdict. It is said in English where a language lacks it.
type Word string

// In says it in a language.
func (w Word) In(l Language) string { return l.own(string(w)) }

// A List is several things that are said in a row.
type List struct {
	between string
	of      []any
}

// Join says one thing after the other. What stands between them is a format too.
func Join(between string, of ...any) List { return List{between, of} }

// And says what else there is, of other lists too, but nothing twice.
func (l List) And(more ...any) List {
	for _, v := range more {
		items := []any{v}
		if list, ok := v.(List); ok {
			items = list.of
		}
		for _, v := range items {
			if !slices.ContainsFunc(l.of, func(said any) bool { return In(nil, said) == In(nil, v) }) {
				l.of = append(slices.Clip(l.of), v)
			}
		}
	}
	return l
}

func (l List) String() string { return l.In(nil) }

// In says the list in a language.
func (l List) In(lang Language) string {
	words := make([]string, len(l.of))
	for i, v := range l.of {
		words[i] = In(lang, v)
	}
	return strings.Join(words, lang.own(l.between))
}

// An Error is a message that is an error.
type Error struct {
	Message
	english error // has what the format wraps by %w
}

// Count says how many: one is the format for a single one, more for any other number.
func Count(n int, one, more string) Message {
	if n == 1 {
		return New(one, n)
	}
	return New(more, n)
}

// Errorf makes an error as fmt.Errorf does.
func Errorf(format string, args ...any) error {
	return &Error{New(format, args...), fmt.Errorf(format, args...)}
}

func (e *Error) Error() string { return e.english.Error() }

// Unwrap returns the same error as fmt has it, which unwraps to what it wraps.
func (e *Error) Unwrap() error { return e.english }

// In says anything in a language: a Sayer, an error, or else as fmt does.
func In(l Language, v any) string {
	switch v := v.(type) {
	case Sayer:
		return v.In(l)
	case *fs.PathError:
		return New("%s %s: %v", v.Op, v.Path, v.Err).In(l)
	case error:
		return foreign(l, v)
	}
	return fmt.Sprint(v)
}

// foreign says an error that is no message: several that errors.Join has joined,
// or one of a library, whose text a language may know.
func foreign(l Language, err error) string {
	if _, joined := err.(interface{ Unwrap() []error }); joined {
		var lines []any
		for _, e := range Each(err) {
			lines = append(lines, e)
		}
		if joined := Join("\n", lines...); joined.String() == err.Error() {
			return joined.In(l)
		}
	}
	return l.own(err.Error())
}

// Each returns the errors that errors.Join has joined, or the error itself; none
// for nil.
func Each(err error) []error {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return []error{err}
}

// wrapping puts %v in place of %w, which only fmt.Errorf knows.
var wrapping = strings.NewReplacer("%w", "%v", "]w", "]v")

// A Placed is a mistake at a place in a file.
type Placed struct {
	Path      string
	Line, Col int // from 1; Col counts characters
	Err       error
}

// At is a mistake in a line of a file.
func At(path string, line int, err error) *Placed { return &Placed{path, line, 1, err} }

func (e *Placed) Unwrap() error { return e.Err }

func (e *Placed) Error() string { return e.In(nil) }

// In says it in a language.
func (e *Placed) In(l Language) string {
	return New("%s:%d:%d: %v", e.Path, e.Line, e.Col, e.Err).In(l)
}

// Quote is a message that is the same in every language; an empty one is none.
func Quote(text string) Message {
	if text == "" {
		return Message{}
	}
	return New("%s", text)
}

// Typed is an argument as a shell takes it: in quotes where that makes a difference. An
// empty one is none.
func Typed(arg string) string {
	if !strings.ContainsFunc(arg, func(r rune) bool {
		return r <= unicode.MaxASCII && r != filepath.Separator && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_@%+=:,./-", r)
	}) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// IsZero says that JSON need not have it.
func (m Message) IsZero() bool { return m.None() }

// MarshalText writes it in English.
func (m Message) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads what MarshalText has written. Its language is English from now on.
func (m *Message) UnmarshalText(text []byte) error {
	*m = Quote(string(text))
	return nil
}

// OfSystem is what an operating system says that a person may meet. A language
// knows it by its English text: see In.
var OfSystem = []Word{
	"no such file or directory", "permission denied", "file exists", "is a directory", "not a directory",
	"no space left on device", "read-only file system", "broken pipe", "file already closed",
	"bad file descriptor", "device or resource busy", "file name too long", "no such device or address", "operation not permitted",
	"text file busy", "too many levels of symbolic links",
}

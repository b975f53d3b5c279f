// Package resp reads and writes RESP2, what Redis and its clients say to each
// other. All that is read is bounded: who is at the other end is not known.
package resp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lockstep/internal/lang"
)

// Bounds of one value. No lock comes near them; what exceeds them is not
// understood, and not waited for.
const (
	Max      = 16 << 20 // bytes, as it is held in memory
	maxDepth = 32       // of arrays in arrays
	maxLine  = 64 << 10 // bytes up to an end of line, such as an error's text
	overhead = 64       // bytes that a Value takes itself
	fewItems = 8        // of an array, which may be shorter than it says, are made room for
)

// A Value is one value: a reply, or a command, which is an array of bulk
// strings.
type Value struct {
	Kind  byte   // one of + - : $ *
	Text  string // of a status, an error, a number or a bulk string
	Null  bool
	Items []Value
}

// Err says that bytes are not RESP2, or beyond the bounds.
var Err = lang.Errorf("not RESP2")

// Read reads one value off a stream. The error is one of the stream, or Err.
func Read(r *bufio.Reader) (v Value, err error) {
	from := source{stream: r, left: Max}
	if err = from.read(&v, 0); err != nil {
		return Value{}, err
	}
	return v, nil
}

// Parse reads one value off the front of b and returns how many bytes that
// are; 0 if b holds only a part.
func Parse(b []byte) (v Value, n int, err error) {
	from := source{rest: b, left: Max}
	err = from.read(&v, 0)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Value{}, 0, nil
	case err != nil:
		return Value{}, 0, err
	}
	return v, len(b) - len(from.rest), nil
}

// A source is where bytes come from, a stream or what is at hand, and how much
// more a value may take.
type source struct {
	stream *bufio.Reader
	rest   []byte // if there is no stream
	left   int
}

func wrong(line []byte) error { return lang.Errorf("%w: %.40q", Err, line) }

// read fills in a value that is nothing yet.
func (s *source) read(v *Value, depth int) error {
	line, err := s.line()
	if err != nil {
		return err
	}
	if len(line) < 3 || line[len(line)-2] != '\r' {
		return wrong(line)
	}
	if s.left -= overhead + len(line); s.left < 0 {
		return lang.Errorf("%w: longer than %d MiB", Err, Max>>20)
	}
	text := line[1 : len(line)-2]
	v.Kind = line[0]
	switch v.Kind {
	case '+', '-', ':':
		v.Text = string(text)
		return nil
	case '$', '*':
	default:
		return wrong(line)
	}
	size, err := strconv.Atoi(string(text))
	least := 1 // byte for each
	if v.Kind == '*' {
		least = overhead
	}
	if err != nil || size < -1 || size > s.left/least || depth == maxDepth {
		return wrong(line)
	}
	switch {
	case size < 0:
		v.Null = true
	case v.Kind == '$':
		s.left -= size
		v.Text, err = s.next(size)
	case size > 0:
		v.Items = make([]Value, 0, min(size, fewItems))
	}
	for i := 0; i < size && v.Kind == '*' && err == nil; i++ {
		v.Items = append(v.Items, Value{})
		err = s.read(&v.Items[i], depth+1)
	}
	return err
}

// line returns the next line with its end; it is valid until the next call.
func (s *source) line() ([]byte, error) {
	if s.stream != nil {
		line, err := s.stream.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, lang.Errorf("%w: %.40q", Err, line)
		}
		return line, err
	}
	end := bytes.IndexByte(s.rest, '\n')
	if end < 0 && len(s.rest) < maxLine {
		return nil, io.ErrUnexpectedEOF
	}
	if end < 0 || end >= maxLine {
		return nil, lang.Errorf("%w: %.40q", Err, s.rest)
	}
	line := s.rest[:end+1]
	s.rest = s.rest[end+1:]
	return line, nil
}

// next returns the next n bytes, after which a line ends.
func (s *source) next(n int) (string, error) {
	if s.stream != nil {
		b := make([]byte, n+2)
		if _, err := io.ReadFull(s.stream, b); err != nil {
			return "", err
		}
		return ended(b)
	}
	if len(s.rest) < n+2 {
		return "", io.ErrUnexpectedEOF
	}
	b := s.rest[:n+2]
	s.rest = s.rest[n+2:]
	return ended(b)
}

// ended returns a bulk string without its end of line.
func ended(b []byte) (string, error) {
	text, ok := bytes.CutSuffix(b, []byte("\r\n"))
	if !ok {
		return "", lang.Errorf("%w: a string that is longer than it says", Err)
	}
	return string(text), nil
}

// Append writes the value as it was read.
func (v Value) Append(b []byte) []byte {
	switch {
	case v.Null:
		return append(append(b, v.Kind), "-1\r\n"...)
	case v.Kind == '$':
		b = append(strconv.AppendInt(append(b, '$'), int64(len(v.Text)), 10), '\r', '\n')
		return append(append(b, v.Text...), '\r', '\n')
	case v.Kind == '*':
		b = append(strconv.AppendInt(append(b, '*'), int64(len(v.Items)), 10), '\r', '\n')
		for _, item := range v.Items {
			b = item.Append(b)
		}
		return b
	}
	return append(append(append(b, v.Kind), v.Text...), '\r', '\n')
}

// AppendCommand writes one command as Redis reads it.
func AppendCommand(b []byte, args []string) []byte {
	b = append(strconv.AppendInt(append(b, '*'), int64(len(args)), 10), '\r', '\n')
	for _, arg := range args {
		b = Value{Kind: '$', Text: arg}.Append(b)
	}
	return b
}

// Command returns the words of a command; ok is false if the value is none.
func (v Value) Command() (words []string, ok bool) {
	if v.Kind != '*' || v.Null || len(v.Items) == 0 {
		return nil, false
	}
	words = make([]string, len(v.Items))
	for i := range v.Items {
		item := &v.Items[i]
		if item.Kind != '$' || item.Null {
			return nil, false
		}
		words[i] = item.Text
	}
	return words, true
}

// ParseCommand reads one command off the front of b and returns its words and
// how many bytes that are; 0 if b holds only a part. It is Parse and Command in
// one, without the values in between.
func ParseCommand(b []byte) (words []string, n int, err error) {
	if words, n = plainCommand(b); n > 0 {
		return words, n, nil
	}
	v, n, err := Parse(b) // it says what is wrong
	if n == 0 || err != nil {
		return nil, 0, err
	}
	words, ok := v.Command()
	if !ok {
		return nil, 0, lang.Errorf("%w: %.40q is no command", Err, b)
	}
	return words, n, nil
}

// plainCommand reads a short command; n is 0 for whatever is not one.
func plainCommand(b []byte) (words []string, n int) {
	count, rest := plainLength(b, '*')
	if count == 0 {
		return nil, 0
	}
	words = make([]string, count)
	for i := range words {
		size, text := plainLength(rest, '$')
		if text == nil || len(text) < size+2 || text[size] != '\r' || text[size+1] != '\n' {
			return nil, 0
		}
		words[i], rest = string(text[:size]), text[size+2:]
	}
	return words, len(b) - len(rest)
}

// plainLength reads a line with a length of at most three digits and returns
// what comes after it; nil if there is none.
func plainLength(b []byte, kind byte) (n int, rest []byte) {
	if len(b) == 0 || b[0] != kind {
		return 0, nil
	}
	for i, c := range b[1:min(len(b), 5)] {
		switch {
		case '0' <= c && c <= '9':
			n = 10*n + int(c-'0')
		case c == '\r' && i > 0 && len(b) > i+2 && b[i+2] == '\n':
			return n, b[i+3:]
		default:
			return 0, nil
		}
	}
	return 0, nil
}

// Err returns the error that a server answered, if it did.
func (v Value) Err() error {
	if v.Kind == '-' {
		return errors.New(v.Text)
	}
	return nil
}

// Number returns an integer; ok is false for anything else.
func (v Value) Number() (n int64, ok bool) {
	n, err := strconv.ParseInt(v.Text, 10, 64)
	return n, err == nil && (v.Kind == ':' || v.Kind == '$' && !v.Null)
}

// Shown writes a value as redis-cli would, on one line: 1, OK, nil, "a b" as
// text, [1 nil], (error) ERR ....
func (v Value) Shown() string {
	switch {
	case v.Null:
		return "nil"
	case v.Kind == '-':
		return "(error) " + v.Text
	case v.Kind == '$':
		return Printable(v.Text)
	case v.Kind != '*':
		return v.Text
	}
	parts := make([]string, len(v.Items))
	for i, item := range v.Items {
		parts[i] = item.Shown()
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// Printable quotes what would damage a terminal or a JSON file.
func Printable(s string) string {
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return strconv.Quote(s)
		}
	}
	return s
}

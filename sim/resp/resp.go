// Package resp reads and writes RESP2, the protocol of Redis and its clients.
// It bounds all that it reads, because the other end is unknown.
package resp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lockstep/internal/lang"
)

// Bounds of one value. No lock comes near them. What exceeds them is an error
// at once.
const (
	Max      = 16 << 20 // bytes in memory
	maxDepth = 32       // of arrays in arrays
	maxLine  = 64 << 10 // bytes of a line, such as an error
	overhead = 64       // bytes of a Value itself
	fewItems = 8        // the initial capacity of an array, which may be shorter than its length claims
)

// A Value is one value: a reply, or a command as an array of bulk strings.
type Value struct {
	Kind  byte   // one of + - : $ *
	Text  string // of a status, an error, a number or a bulk string
	Null  bool
	Items []Value
}

// Err means that bytes are not RESP2 or exceed the bounds.
var Err = lang.Errorf("not RESP2")

// Read reads one value from a stream. The error is the stream's, or wraps Err.
func Read(r *bufio.Reader) (v Value, err error) {
	from := source{stream: r, left: Max}
	if err = from.read(&v, 0); err != nil {
		return Value{}, err
	}
	return v, nil
}

// Parse reads one value from the start of b and returns its length in bytes; 0
// if b holds only a part of it.
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

// A source reads bytes from a stream or from memory, and limits the size of a
// value.
type source struct {
	stream *bufio.Reader
	rest   []byte // without a stream
	left   int
}

func wrong(line []byte) error { return lang.Errorf("%w: %.40q", Err, line) }

// read reads a value into an empty v.
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

// line returns the next line with its end, valid until the next call.
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

// next returns the next n bytes, which an end of line must follow.
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

// Append appends the value in RESP2.
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

// AppendCommand appends a command in RESP2.
func AppendCommand(b []byte, args []string) []byte {
	b = append(strconv.AppendInt(append(b, '*'), int64(len(args)), 10), '\r', '\n')
	for _, arg := range args {
		b = Value{Kind: '$', Text: arg}.Append(b)
	}
	return b
}

// Command returns the words of a command; ok is false for any other value.
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

// ParseCommand reads one command from the start of b and returns its words and
// its length in bytes; 0 if b holds only a part of it.
func ParseCommand(b []byte) (words []string, n int, err error) {
	v, n, err := Parse(b) // returns the error
	if n == 0 || err != nil {
		return nil, 0, err
	}
	words, ok := v.Command()
	if !ok {
		return nil, 0, lang.Errorf("%w: %.40q is not a command", Err, b)
	}
	return words, n, nil
}

// Err returns the error of an error reply, or nil.
func (v Value) Err() error {
	if v.Kind == '-' {
		return errors.New(v.Text)
	}
	return nil
}

// Number returns the integer of a number or a bulk string; ok is false for
// anything else.
func (v Value) Number() (n int64, ok bool) {
	n, err := strconv.ParseInt(v.Text, 10, 64)
	return n, err == nil && (v.Kind == ':' || v.Kind == '$' && !v.Null)
}

// Shown returns the value like redis-cli, but on one line: 1, OK, nil, "a b" as
// text, [1 nil], (error) ERR ....
func (v Value) Shown() string {
	switch {
	case v.Null:
		return "nil"
	case v.Kind == '-':
		return "(error) " + Short(v.Text)
	case v.Kind == '$':
		return Printable(v.Text)
	case v.Kind != '*':
		return Short(v.Text)
	}
	parts := make([]string, len(v.Items))
	for i, item := range v.Items {
		parts[i] = item.Shown()
	}
	return Short("[" + strings.Join(parts, " ") + "]")
}

// Printable quotes text with characters that a terminal or JSON cannot show, and
// shortens it.
func Printable(s string) string {
	s = Short(s)
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return strconv.Quote(s)
		}
	}
	return s
}

// A text of more bytes than longest is shown by its beginning and its end.
const (
	longest   = 4 << 10
	shownHead = 200
	shownTail = 60
)

// Short shortens a long text. It says how much it leaves out, and a sum of all,
// so that texts that differ are still told apart.
func Short(s string) string {
	if len(s) <= longest {
		return s
	}
	return fmt.Sprintf("%s ...[%d bytes left out, sum %08x]... %s",
		strings.ToValidUTF8(s[:shownHead], ""), len(s)-shownHead-shownTail, crc32.ChecksumIEEE([]byte(s)), strings.ToValidUTF8(s[len(s)-shownTail:], ""))
}

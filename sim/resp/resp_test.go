package resp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// replies are texts that a server may send; true means valid RESP2.
var replies = map[string]bool{
	"+OK\r\n": true, "-ERR no\r\n": true, ":1\r\n": true, "$-1\r\n": true, "*-1\r\n": true, "$0\r\n\r\n": true, "*0\r\n": true,
	"$2\r\na\r\r\n": true, "*2\r\n$1\r\na\r\n*1\r\n:2\r\n": true, "$3\r\na\r\n\r\n": true,
	"": false, "+OK": false, "+OK\n": false, "?\r\n": false, "\r\n": false, "$1\r\n": false, "$1\r\nab\r\n": false, "$-2\r\n": false,
	"$x\r\n": false, "$99999999999999999999\r\n": false, "$9223372036854775807\r\n": false, "*2\r\n:1\r\n": false, "*1\r\n?\r\n": false,
	"HTTP/1.1 400 Bad Request\r\n": false, "*1\r\n$4\r\nPING\r\n": true, "*1\r\n$2\r\nabcd": false,
}

func TestRead(t *testing.T) {
	for text, fine := range replies {
		v, err := Read(bufio.NewReader(strings.NewReader(text)))
		if (err == nil) != fine || fine && string(v.Append(nil)) != text {
			t.Errorf("%q: %+v, %v", text, v, err)
		}
	}
}

// FuzzRead: a stream and memory read the same; Append restores what was read; a
// part of a value is recognised.
func FuzzRead(f *testing.F) {
	for text := range replies {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		in := bytes.NewReader(b)
		buffer := bufio.NewReaderSize(in, maxLine)
		v, err := Read(buffer)
		other, n, wrong := Parse(b)
		if whole := wrong == nil && n > 0; whole != (err == nil) {
			t.Fatalf("%q: a stream %v; in memory %d, %v", b, err, n, wrong)
		}
		got, taken, refused := ParseCommand(b)
		if err != nil {
			if taken > 0 {
				t.Fatalf("%q: a stream %v; a command %q", b, err, got)
			}
			if part := wrong == nil; part != (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
				t.Fatalf("%q: a stream %v; in memory %v", b, err, wrong)
			}
			return
		}
		if n != len(b)-in.Len()-buffer.Buffered() {
			t.Fatalf("%q: took %d", b, n)
		}
		written := v.Append(nil)
		if string(other.Append(nil)) != string(written) {
			t.Fatalf("%q: %+v, %+v", b, v, other)
		}
		if _, n, err := Parse(written[:len(written)-1]); n != 0 || err != nil {
			t.Fatalf("%q: without its end: %d, %v", written, n, err)
		}
		words, command := v.Command()
		if command != (refused == nil && taken > 0) || command && (taken != n || !slices.Equal(got, words)) {
			t.Fatalf("%q: as a command %q, %d, %v, not %q", b, got, taken, refused, words)
		}
		if again, n, err := Parse(written); n != len(written) || err != nil || string(again.Append(nil)) != string(written) {
			t.Fatalf("%q: again: %d, %v", written, n, err)
		}
	})
}

// An endless server repeats a text.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = e.text[e.at%len(e.text)]
		e.at++
	}
	return len(b), nil
}

// TestBounds: reading a hostile reply ends, without much memory.
func TestBounds(t *testing.T) {
	const most = 8 * Max
	for name, r := range map[string]io.Reader{
		"an array of large strings": io.MultiReader(strings.NewReader("*10000\r\n"), &endless{text: "$1000000\r\n" + strings.Repeat("x", 1_000_000) + "\r\n"}),
		"arrays in arrays":          &endless{text: "*2\r\n"},
		"wide arrays in arrays":     &endless{text: "*10000\r\n"},
		"an array of nothing":       io.MultiReader(strings.NewReader("*200000\r\n"), &endless{text: "*200000\r\n" + strings.Repeat("$-1\r\n", 200000)}),
		"a large string":            strings.NewReader("$1073741824\r\n"),
		"a large array":             strings.NewReader("*1073741824\r\n"),
		"a long line":               &endless{text: "+"},
		"long lines":                io.MultiReader(strings.NewReader("*200000\r\n"), &endless{text: "+" + strings.Repeat("x", 1000) + "\r\n"}),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Read(bufio.NewReader(r))
			runtime.ReadMemStats(&after)
			if !errors.Is(err, Err) {
				t.Errorf("%v", err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("it took %d MiB", took>>20)
			}
		})
	}
}

func TestCommand(t *testing.T) {
	for text, want := range map[string]string{
		"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n": "GET k", "*0\r\n": "", "*-1\r\n": "", "*1\r\n:1\r\n": "", "*1\r\n$-1\r\n": "", "+OK\r\n": "",
	} {
		v, _, err := Parse([]byte(text))
		words, ok := v.Command()
		if err != nil || ok != (want != "") || strings.Join(words, " ") != want {
			t.Errorf("%q: %q, %v", text, words, ok)
		}
		if got, n, err := ParseCommand([]byte(text)); ok != (err == nil && n == len(text)) || !slices.Equal(got, words) {
			t.Errorf("%q: as a command %q, %d, %v", text, got, n, err)
		}
		if ok && string(AppendCommand(nil, words)) != text {
			t.Errorf("%q: written %q", text, AppendCommand(nil, words))
		}
	}
}

package live

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Bounds of a reply. No lock comes near them; a server that exceeds them is
// not understood, and not waited for.
const (
	maxBulk  = 1 << 20
	maxItems = 10_000
	maxDepth = 8
)

// A reply is one RESP2 value as the server wrote it.
type reply struct {
	kind  byte   // one of + - : $ *
	text  string // of a status, an error, a number or a bulk string
	null  bool
	items []reply
}

var errReply = errors.New("a reply that is not RESP2")

// appendCommand writes one command as Redis reads it.
func appendCommand(b []byte, args []string) []byte {
	b = append(strconv.AppendInt(append(b, '*'), int64(len(args)), 10), '\r', '\n')
	for _, arg := range args {
		b = append(strconv.AppendInt(append(b, '$'), int64(len(arg)), 10), '\r', '\n')
		b = append(append(b, arg...), '\r', '\n')
	}
	return b
}

func readReply(r *bufio.Reader, depth int) (reply, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) || err == nil && (len(line) < 3 || line[len(line)-2] != '\r') {
		return reply{}, fmt.Errorf("%w: %.40q", errReply, line)
	}
	if err != nil {
		return reply{}, err
	}
	v := reply{kind: line[0], text: string(line[1 : len(line)-2])}
	switch v.kind {
	case '+', '-', ':':
		return v, nil
	case '$', '*':
	default:
		return reply{}, fmt.Errorf("%w: %.40q", errReply, line)
	}
	most := maxBulk
	if v.kind == '*' {
		most = maxItems
	}
	size, err := strconv.Atoi(v.text)
	if err != nil || size < -1 || size > most || depth == maxDepth {
		return reply{}, fmt.Errorf("%w: %.40q", errReply, line)
	}
	v.text = ""
	if size < 0 {
		v.null = true
		return v, nil
	}
	if v.kind == '$' {
		b := make([]byte, size+2)
		if _, err := io.ReadFull(r, b); err != nil {
			return reply{}, err
		}
		v.text = string(b[:size])
		return v, nil
	}
	for range size {
		item, err := readReply(r, depth+1)
		if err != nil {
			return reply{}, err
		}
		v.items = append(v.items, item)
	}
	return v, nil
}

// append writes the value as the server did.
func (v reply) append(b []byte) []byte {
	switch {
	case v.null:
		return append(append(b, v.kind), "-1\r\n"...)
	case v.kind == '$':
		b = append(strconv.AppendInt(append(b, '$'), int64(len(v.text)), 10), '\r', '\n')
		return append(append(b, v.text...), '\r', '\n')
	case v.kind == '*':
		b = append(strconv.AppendInt(append(b, '*'), int64(len(v.items)), 10), '\r', '\n')
		for _, item := range v.items {
			b = item.append(b)
		}
		return b
	}
	return append(append(append(b, v.kind), v.text...), '\r', '\n')
}

// err returns the error that the server answered, if it did.
func (v reply) err() error {
	if v.kind == '-' {
		return errors.New(v.text)
	}
	return nil
}

// number returns an integer; ok is false for anything else.
func (v reply) number() (n int64, ok bool) {
	n, err := strconv.ParseInt(v.text, 10, 64)
	return n, err == nil && (v.kind == ':' || v.kind == '$' && !v.null)
}

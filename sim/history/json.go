package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"

	"lockstep/internal/lang"
)

// schema is the version of the JSON lines. A field may be added under the same
// number; a changed or removed one takes the next.
const schema = 1

type header struct {
	Schema   int    `json:"schema"`
	Config   string `json:"config"`
	Nodes    int    `json:"nodes"`
	Schedule string `json:"schedule"`
}

// WriteJSON writes a header line and then one event a line.
func WriteJSON(w io.Writer, h History) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(header{schema, h.Config.String(), h.Nodes, h.Schedule.String()}); err != nil {
		return err
	}
	for _, e := range h.Events {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

const (
	maxLine   = 1 << 20
	maxEvents = 1_000_000
)

// ReadJSON reads what WriteJSON wrote. An error names the line.
func ReadJSON(r io.Reader) (History, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	var h History
	n := 0
	for lines.Scan() {
		n++
		if err := h.readLine(n, lines.Bytes()); err != nil {
			return History{}, lang.Errorf("history, line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return History{}, lang.Errorf("history, line %d: %w", n+1, err)
	}
	if n == 0 {
		return History{}, lang.Errorf("history: empty; the first line would be {\"schema\":%d,...}", schema)
	}
	return h, nil
}

func (h *History) readLine(n int, line []byte) error {
	if n == 1 {
		return h.readHeader(line)
	}
	var e Event
	if err := strictJSON(line, &e); err != nil {
		return err
	}
	if e.Seq != len(h.Events) {
		return lang.Errorf("event %d where event %d is due", e.Seq, len(h.Events))
	}
	if len(h.Events) == maxEvents {
		return lang.Errorf("more than %d events", maxEvents)
	}
	h.Events = append(h.Events, e)
	return nil
}

func (h *History) readHeader(line []byte) error {
	var head header
	if err := strictJSON(line, &head); err != nil {
		return err
	}
	if head.Schema != schema {
		return lang.Errorf("schema %d is not of this program, which reads %d", head.Schema, schema)
	}
	if head.Nodes < 0 || head.Nodes > MaxNodes {
		return lang.Errorf("%d nodes; 0 to %d would fit", head.Nodes, MaxNodes)
	}
	var err error
	if h.Config, err = ParseConfig(head.Config); err != nil {
		return err
	}
	h.Nodes = head.Nodes
	h.Schedule, err = ParseSchedule(head.Schedule)
	return err
}

// strictJSON decodes exactly one value without unknown fields.
func strictJSON(line []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return lang.Errorf("more than one value")
	}
	return nil
}

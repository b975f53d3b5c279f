package history

import (
	"encoding/json"
	"io"
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

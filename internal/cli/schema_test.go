package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"lockstep/internal/testkit"
	"lockstep/internal/trial"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// A schema is as much of JSON Schema as docs/verdict.schema.json makes use of.
type schema struct {
	Schema      string `json:"$schema"`
	Title       string
	Description string
	Type        string
	Const       any
	Enum        []any
	Minimum     *float64
	Required    []string
	Properties  map[string]*schema
	Items       *schema
}

func readSchema() (*schema, error) {
	text, err := os.ReadFile("../../docs/verdict.schema.json")
	if err != nil {
		return nil, err
	}
	in := json.NewDecoder(strings.NewReader(string(text)))
	in.DisallowUnknownFields()
	s := &schema{}
	return s, in.Decode(s)
}

// accepts holds a value against the schema. A field that it does not have is an
// error here, so that none is forgotten there.
func (s *schema) accepts(at string, value any) error {
	if s.Const != nil && s.Const != value || s.Enum != nil && !slices.Contains(s.Enum, value) {
		return fmt.Errorf("%s: %v", at, value)
	}
	n, number := value.(float64)
	_, text := value.(string)
	_, truth := value.(bool)
	list, several := value.([]any)
	object, fields := value.(map[string]any)
	is := map[string]bool{"": true, "string": text, "boolean": truth, "number": number, "integer": number && n == float64(int(n)), "array": several, "object": fields}
	if !is[s.Type] || s.Minimum != nil && n < *s.Minimum {
		return fmt.Errorf("%s: %v is no %s that would fit", at, value, s.Type)
	}
	for _, item := range list {
		if err := s.Items.accepts(at+"[]", item); err != nil {
			return err
		}
	}
	for _, name := range s.Required {
		if _, ok := object[name]; !ok {
			return fmt.Errorf("%s: no %s", at, name)
		}
	}
	for name, field := range object {
		if s.Properties[name] == nil {
			return fmt.Errorf("%s: %s is not in the schema", at, name)
		}
		if err := s.Properties[name].accepts(at+"."+name, field); err != nil {
			return err
		}
	}
	return nil
}

// valid holds each line of a file against the schema: valid out.
func valid(ts *testscript.TestScript, neg bool, args []string) {
	s, err := readSchema()
	ts.Check(err)
	lines := strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "\n")
	for _, line := range lines {
		var value any
		ts.Check(json.Unmarshal([]byte(line), &value))
		ts.Check(s.accepts("", value))
	}
}

// TestSchemaHasEveryField that may be printed, and every name.
func TestSchemaHasEveryField(t *testing.T) {
	s := testkit.Must(readSchema())(t)
	found := s.Properties["found"].Items
	wantFields(t, s, reflect.TypeFor[checkRow]())
	wantFields(t, found, reflect.TypeFor[trial.Found]())
	for _, v := range explore.Verdicts {
		if !slices.Contains(s.Properties["verdict"].Enum, any(string(v))) {
			t.Errorf("no verdict %s", v)
		}
	}
	for _, id := range history.Invariants() {
		if !slices.Contains(found.Properties["invariant"].Enum, any(id)) {
			t.Errorf("no invariant %s", id)
		}
	}
}

func wantFields(t *testing.T, s *schema, of reflect.Type) {
	t.Helper()
	for _, f := range reflect.VisibleFields(of) {
		tag, ok := f.Tag.Lookup("json")
		name, optional, _ := strings.Cut(tag, ",")
		switch {
		case !ok || name == "-":
		case s.Properties[name] == nil:
			t.Errorf("no %s of %s", name, of)
		case slices.Contains(s.Required, name) == (optional == "omitempty"):
			t.Errorf("%s of %s: required and optional at once, or neither", name, of)
		}
	}
}

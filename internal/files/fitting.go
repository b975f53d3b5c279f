package files

import (
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"lockstep/internal/lang"
)

// unknown is the error for an unknown key; it suggests known ones.
func (f *TOML) unknown(err *toml.DecodeError, into any) error {
	key := err.Key()
	name := key[len(key)-1]
	of := typeAt(reflect.TypeOf(into), key[:len(key)-1])
	for of != nil && of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of == nil || of.Kind() != reflect.Struct { // the table around it is unknown
		return f.fail(f.offset(err), lang.Errorf("unknown key %s", strings.Join(key, ".")))
	}
	return f.fail(f.offset(err), lang.Errorf("%q is not a key here; %s", name, lang.Fit(name, keysOf(of))))
}

// wrong is the error for text that is not TOML, or for a value of the wrong
// type.
func (f *TOML) wrong(err *toml.DecodeError, into any) error {
	said := strings.TrimPrefix(err.Error(), "toml: ")
	problem := lang.Errorf("it is not TOML: %s", said)
	if key := err.Key(); len(key) > 0 && strings.HasPrefix(said, "cannot ") {
		if of := typeAt(reflect.TypeOf(into), key); of != nil {
			problem = lang.Errorf("%s is of the wrong kind; use %v", strings.Join(key, "."), kindOf(of))
		}
	}
	return f.fail(f.offset(err), problem)
}

func kindOf(t reflect.Type) lang.Message {
	//nolint:exhaustive // what files hold
	switch t.Kind() {
	case reflect.String:
		return lang.New("a text in quotes")
	case reflect.Int:
		return lang.New("a whole number")
	case reflect.Bool:
		return lang.New("true or false")
	case reflect.Slice:
		return lang.New("a list")
	}
	return lang.New("a table")
}

// typeAt is the type that a key is decoded into; nil if it is unknown.
func typeAt(t reflect.Type, key []string) reflect.Type {
	for t.Kind() == reflect.Pointer || len(key) > 0 && t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if len(key) == 0 {
		return t
	}
	//nolint:exhaustive // nothing else has keys
	switch t.Kind() {
	case reflect.Map:
		return typeAt(t.Elem(), key[1:])
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(t) {
			if takes(field) && strings.EqualFold(nameOf(field), key[0]) {
				return typeAt(field.Type, key[1:])
			}
		}
	}
	return nil
}

func keysOf(t reflect.Type) (names []string) {
	for _, field := range reflect.VisibleFields(t) {
		if takes(field) {
			names = append(names, nameOf(field))
		}
	}
	slices.Sort(names)
	return names
}

func takes(field reflect.StructField) bool { return field.IsExported() && !field.Anonymous }

func nameOf(field reflect.StructField) string {
	if name, _, _ := strings.Cut(field.Tag.Get("toml"), ","); name != "" {
		return name
	}
	return strings.ToLower(field.Name)
}

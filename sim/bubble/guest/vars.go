package guest

import (
	"reflect"
	"strings"
	"unsafe"
)

// An owner is a package variable of which each run has its own.
type owner struct {
	save  func() any // a copy of the value
	load  func(any)
	begin func(copier)
}

var (
	owners  []owner
	first   []any // their values before any run
	running *Vars // whose values they have
)

// Own gives each run its own value of a package variable of a module, to which v points. The result
// has no meaning. A module may be of a Go without type parameters.
func Own(v any, module string) bool {
	is := reflect.ValueOf(v).Elem()
	owners = append(owners, owner{
		save: func() any {
			c := reflect.New(is.Type()).Elem()
			c.Set(is)
			return c
		},
		load:  func(c any) { is.Set(c.(reflect.Value)) },
		begin: func(c copier) { c.within(is, module) },
	})
	return true
}

// Vars are a run's values of the package variables while another run has its own.
type Vars struct{ values []any }

// Enter gives the package variables the values of a run. One run at a time may run.
func (s *Vars) Enter() {
	switch {
	case len(owners) == 0 || running == s:
		return
	case running == nil:
		first = values()
	default:
		running.values = values()
	}
	begins := s.values == nil
	if begins {
		s.values = first
	}
	for i, o := range owners {
		o.load(s.values[i])
	}
	if begins {
		c := copier{}
		for _, o := range owners {
			o.begin(c)
		}
	}
	running = s
}

func values() (list []any) {
	for _, o := range owners {
		list = append(list, o.save())
	}
	return list
}

// A copier replaces what variables refer to by copies. It has the copies, by address
// and type, as variables may refer to the same.
type copier map[reference]reflect.Value

type reference struct {
	at unsafe.Pointer
	of reflect.Type
}

// errorType is that of errors. They are told apart by their addresses, so they are not
// copied; nor are values of other modules, whose addresses may be known elsewhere.
var errorType = reflect.TypeFor[error]()

func foreign(t reflect.Type, module string) bool {
	return t.PkgPath() != "" && t.PkgPath() != module && !strings.HasPrefix(t.PkgPath(), module+"/")
}

// within copies what a value refers to.
func (c copier) within(v reflect.Value, module string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := 0; i < v.NumField() && !foreign(v.Type(), module); i++ {
			f := v.Field(i)
			c.within(reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem(), module) // it may not be exported
		}
	case reflect.Array:
		for i := range v.Len() {
			c.within(v.Index(i), module)
		}
	case reflect.Map, reflect.Slice, reflect.Pointer, reflect.Chan:
		if !v.IsNil() {
			c.refer(v, module)
		}
	}
}

// refer lets a reference refer to a copy.
func (c copier) refer(v reflect.Value, module string) {
	t := v.Type()
	if t.Kind() == reflect.Pointer && (foreign(t.Elem(), module) || t.Implements(errorType)) {
		return
	}
	from := reference{v.UnsafePointer(), t}
	if known, ok := c[from]; ok && t.Kind() != reflect.Slice { // a slice may be a part of another
		v.Set(known)
		return
	}
	old := reflect.New(t).Elem()
	old.Set(v)
	switch t.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		c[from] = reflect.ValueOf(v.Interface())
		v.Elem().Set(old.Elem())
		c.within(v.Elem(), module)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, old.Len(), old.Len()))
		reflect.Copy(v, old)
		for i := range v.Len() {
			c.within(v.Index(i), module)
		}
	case reflect.Map:
		v.Set(reflect.MakeMapWithSize(t, old.Len()))
		c[from] = reflect.ValueOf(v.Interface())
		for each := old.MapRange(); each.Next(); {
			value := reflect.New(t.Elem()).Elem()
			value.Set(each.Value())
			c.within(value, module)
			v.SetMapIndex(each.Key(), value)
		}
	case reflect.Chan: // it belongs to a bubble
		if t.ChanDir() == reflect.BothDir {
			v.Set(reflect.MakeChan(t, old.Cap()))
			c[from] = reflect.ValueOf(v.Interface())
		}
	}
}

package testkit

import (
	"fmt"
	"reflect"
	"regexp"
	"testing"
	"time"
	"unsafe"
)

// KeyOfAll fails unless each field of a value makes its key another, down to those of
// nested values, and no two of them the same; but for those that make no difference, each
// with the reason. Of a slice, its length is a field too; of a pointer in a struct, whether it is nil.
// So a field that is added is noticed. In the names of those, [] is each element.
func KeyOfAll[T any](t testing.TB, of T, key func(T) string, but map[string]string) {
	t.Helper()
	by, used := map[string]string{key(of): "nothing"}, map[string]bool{}
	for n := 0; ; n++ {
		v := reflect.New(reflect.TypeFor[T]()).Elem()
		clone(v, reflect.ValueOf(&of).Elem())
		left := n
		name := change(v, "", &left)
		why := name
		if but[why] == "" {
			why = index.ReplaceAllString(name, "[]")
		}
		switch {
		case name == "":
			for name := range but {
				if !used[name] {
					t.Errorf("there is no field %s", name)
				}
			}
			return
		case but[why] != "":
			if used[why] = true; key(v.Interface().(T)) != key(of) {
				t.Errorf("%s makes a difference, although %s", name, but[why])
			}
		default:
			k := key(v.Interface().(T))
			if as, seen := by[k]; seen {
				t.Errorf("the key is the same with another %s as with %s changed", name, as)
			}
			by[k] = name
		}
	}
}

var index = regexp.MustCompile(`\[\d+\]`)

// open returns a field that can be set, also if it is not exported.
func open(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// clone makes a value a copy of another that shares nothing with it.
func clone(to, from reflect.Value) {
	switch to.Set(from); to.Kind() {
	case reflect.Struct:
		for i := range to.NumField() {
			clone(open(to.Field(i)), open(from.Field(i)))
		}
	case reflect.Slice:
		if from.IsNil() {
			return
		}
		to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
		for i := range to.Len() {
			clone(to.Index(i), from.Index(i))
		}
	case reflect.Pointer:
		if !from.IsNil() && to.Type() != reflect.TypeFor[*time.Location]() {
			to.Set(reflect.New(to.Type().Elem()))
			clone(to.Elem(), from.Elem())
		}
	}
}

// change changes the field of a number and returns its name; "" if there are not as many,
// with the number of those that are missing.
func change(v reflect.Value, name string, left *int) string {
	if at, ok := v.Addr().Interface().(*time.Time); ok {
		if *left--; *left < 0 {
			*at = at.Add(1)
			return name
		}
		return ""
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := change(open(v.Field(i)), name+"."+v.Type().Field(i).Name, left); f != "" {
				return f
			}
		}
		return ""
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if f := change(reflect.Indirect(v.Index(i)), fmt.Sprintf("%s[%d]", name, i), left); f != "" {
				return f
			}
		}
		if v.Kind() == reflect.Array {
			return ""
		}
	case reflect.Pointer:
		if !v.IsNil() {
			if f := change(v.Elem(), name, left); f != "" {
				return f
			}
		}
	}
	if *left--; *left >= 0 {
		return ""
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Slice:
		more := reflect.Zero(v.Type().Elem())
		if more.Kind() == reflect.Pointer {
			more = reflect.New(more.Type().Elem())
		}
		v.Set(reflect.Append(v, more))
		return "len " + name
	case reflect.Pointer:
		if to := reflect.Zero(v.Type()); !v.IsNil() {
			v.Set(to)
		} else {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return "nil " + name
	default:
		if v.CanInt() {
			v.SetInt(v.Int() + 1)
		} else {
			v.SetUint(v.Uint() + 1)
		}
	}
	return name
}

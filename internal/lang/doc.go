// Package message holds sentences for people that are not bound to a language:
// an English format and what stands in it. English is what fmt makes of them;
// another language puts a format of its own in place of the English one, and the
// same values into it. Errors are such sentences, so that one that comes from
// deep within is said in the reader's language by whoever shows it.
//
// It knows no language; internal/prose/*/messages.toml has them. messages_test.go,
// beside go.mod, checks that no translation is missing and that each takes the same
// values.
//
//	err := message.Errorf("%q is not a lock; use %s", id, ids)
//	...
//	fmt.Println(message.In(book.Language(), err))
package lang

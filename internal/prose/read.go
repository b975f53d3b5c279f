package prose

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"

	"lockstep/internal/files"
	"lockstep/internal/phrase"
)

// read reads one language on top of base, if there is one.
func read(fsys fs.FS, lang string, base *Book) (*Book, error) {
	b := &Book{phrases: map[string]*phrase.Phrase{}, helps: map[string]Help{}}
	var ui, explain, stories, code, help, history, comments struct{ Text, Says, Title, Messages map[string]string }
	into := map[string]any{
		"locks.toml":      &b.locks,
		"invariants.toml": &b.invariants,
		"hazards.toml":    &b.hazards,
		"terms.toml":      &b.terms,
		"ui.toml":         &ui,
		"explain.toml":    &explain,
		"stories.toml":    &stories,
		"help.toml":       &b.helps,
	}
	if lang != original { // English stands in the code
		into["messages.toml"], into["help_messages.toml"], into["history.toml"], into["comments.toml"] = &code, &help, &history, &comments
	}
	if err := onlyKnown(fsys, lang, into); err != nil {
		return nil, fmt.Errorf("prose: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(into)) {
		err := decode(fsys, lang+"/"+name, into[name])
		if err != nil && (base == nil && name != "help.toml" || !errors.Is(err, fs.ErrNotExist)) {
			return nil, fmt.Errorf("prose: %w", err)
		}
	}
	b.texts, b.says, b.titles, b.messages = ui.Text, explain.Says, stories.Title, map[string]string{}
	for _, of := range []map[string]string{code.Messages, help.Messages, history.Messages, comments.Messages} {
		maps.Copy(b.messages, of)
	}
	b.findPhrases(lang)
	if base == nil {
		return b, nil
	}
	if err := b.fallBack(lang, base); err != nil {
		return nil, fmt.Errorf("prose: %w", err)
	}
	return b, nil
}

// onlyKnown finds files with unknown names.
func onlyKnown(fsys fs.FS, lang string, known map[string]any) error {
	entries, err := fs.ReadDir(fsys, lang)
	for _, e := range entries {
		if _, ok := known[e.Name()]; !ok {
			return fmt.Errorf("%s/%s: unknown file; there may be %s", lang, e.Name(),
				strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
	return err
}

// decode reads one file; an unknown key is an error.
func decode(fsys fs.FS, name string, into any) error {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err // it names the file
	}
	_, err = files.ReadTOML(name, text, into)
	return err
}

// findPhrases finds the texts that are phrases. An empty one falls back.
func (b *Book) findPhrases(lang string) {
	for id, of := range b.invariants {
		b.addPhrase("invariants."+id, lang+"/invariants.toml: "+id+".line", of.Line)
	}
	for id, text := range b.texts {
		b.addPhrase("text."+id, lang+"/ui.toml: text."+id, text)
	}
	for id, text := range b.says {
		b.addPhrase("says."+id, lang+"/explain.toml: says."+id, text)
	}
}

func (b *Book) addPhrase(id, name, text string) {
	if text != "" {
		b.phrases[id] = phrase.New(name, text)
	}
}

// fallBack fills missing texts. An id that English does not have is an error, because
// nothing uses it.
func (b *Book) fallBack(lang string, base *Book) error {
	for id, p := range base.phrases {
		if b.phrases[id] == nil {
			b.phrases[id] = p
		}
	}
	for words, h := range base.helps {
		own, flags := b.helps[words], map[string]string{}
		maps.Copy(flags, h.Flags)
		maps.Copy(flags, own.Flags)
		b.helps[words] = Help{cmp.Or(own.Short, h.Short), cmp.Or(own.Long, h.Long), h.Example, flags}
	}
	return errors.Join(
		merge(lang+"/locks.toml", &b.locks, base.locks),
		merge(lang+"/invariants.toml", &b.invariants, base.invariants),
		merge(lang+"/hazards.toml", &b.hazards, base.hazards),
		merge(lang+"/terms.toml", &b.terms, base.terms),
		merge(lang+"/ui.toml", &b.texts, base.texts),
		merge(lang+"/explain.toml", &b.says, base.says),
		merge(lang+"/stories.toml", &b.titles, base.titles),
	)
}

// Over returns a text of another language with the non-empty parts of one's own on top.
// T is a string or a struct of strings.
func Over[T any](own, other T) T {
	to, from := reflect.ValueOf(&other).Elem(), reflect.ValueOf(own)
	if to.Kind() == reflect.String && from.String() != "" {
		to.Set(from)
	}
	for i := 0; to.Kind() == reflect.Struct && i < to.NumField(); i++ {
		if s := from.Field(i); s.String() != "" {
			to.Field(i).Set(s)
		}
	}
	return other
}

// merge puts the non-empty fields of own on top of base.
func merge[T any](name string, own *map[string]T, base map[string]T) error {
	for _, id := range slices.Sorted(maps.Keys(*own)) {
		if _, ok := base[id]; !ok {
			return fmt.Errorf("%s: %s is not in %s", name, id, original)
		}
	}
	merged := maps.Clone(base)
	for id, v := range *own {
		merged[id] = Over(v, base[id])
	}
	*own = merged
	return nil
}

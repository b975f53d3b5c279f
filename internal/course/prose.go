package course

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"lockstep/internal/files"
	"lockstep/internal/lang"
	"lockstep/internal/prose"
)

// said is the texts of one file.
type said struct {
	*Texts
	file *files.TOML
}

// prose reads the course's texts. Each language falls back to the base, field by
// field.
func (r *reader) prose() {
	read := map[string]*Texts{}
	r.c.own = map[string]said{}
	for i, language := range r.c.Languages {
		name := path.Join(proseDir, language+".toml")
		text, err := r.text(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			r.fail(fmt.Sprintf("languages[%d]", i), "there is no %s", path.Join(r.shown, name))
			continue
		case err != nil:
			r.wrong(err)
			continue
		}
		var t Texts
		f, err := files.ReadTOML(path.Join(r.shown, name), text, &t)
		if err != nil {
			r.wrong(err)
			continue
		}
		r.known(f, &t)
		r.sizes(f, &t)
		read[language] = &t
		r.c.own[language] = said{&t, f}
	}
	r.missing(read)
	base := read[r.c.base()]
	if base == nil {
		base = &Texts{}
	}
	for _, language := range append([]string{r.c.base()}, r.c.Languages...) {
		r.c.texts[language] = over(read[language], base)
	}
	for _, t := range r.c.texts {
		t.plain = sync.OnceValue(func() *Texts { return r.c.strip(t) })
	}
	for i := range r.c.Chapters {
		c := &r.c.Chapters[i]
		c.Closing = c.Exercise != "" && (c.Exercise != c.Lock || c.Fix == "")
		for _, t := range r.c.texts {
			text := t.Chapter[c.ID]
			c.Closing = c.Closing || text.Answer != "" || text.Remember != "" || text.After != "" && c.Lock == ""
		}
	}
	for i := range r.c.Levels {
		r.c.say(&r.c.Levels[i])
	}
}

// known finds texts of unknown chapters and levels.
func (r *reader) known(f *files.TOML, t *Texts) {
	var chapters, levels []string
	for _, l := range r.c.Levels {
		levels = append(levels, l.ID)
	}
	for _, c := range r.c.Chapters {
		chapters, levels = append(chapters, c.ID), append(levels, c.Levels()...)
	}
	for _, id := range slices.Sorted(maps.Keys(t.Chapter)) {
		if !slices.Contains(chapters, id) && !r.full() {
			r.wrong(f.At("chapter."+id, lang.Errorf("%q is not a chapter of %s; %s", id, courseFile, lang.Fit(id, chapters))))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(t.Level)) {
		switch {
		case slices.Contains(levels, id) || r.unleveled || r.full():
		case len(levels) == 0:
			r.wrong(f.At("level."+id, lang.Errorf("%q is not a level: %s has none", id, levelsFile)))
		default:
			r.wrong(f.At("level."+id, lang.Errorf("%q is not a level of %s; %s", id, levelsFile, lang.Fit(id, levels))))
		}
	}
}

// sizes finds texts that are too long.
func (r *reader) sizes(f *files.TOML, t *Texts) {
	eachText(t, func(at, text string) {
		most := maxSaid
		if key := at[strings.LastIndexByte(at, '.')+1:]; key == "title" || key == "name" {
			most = maxTitle
		}
		if n := utf8.RuneCountInString(text); n > most {
			r.wrong(f.At(at, lang.Errorf("%s has %d characters; at most %d fit", at, n, most)))
		}
	})
}

// missing notes for Check the texts that a language lacks and another one has,
// or that every course needs.
func (r *reader) missing(read map[string]*Texts) {
	said := map[string]bool{"title": true, "about": true} // by path
	for _, c := range r.c.Chapters {
		if c.Lock == "" { // no other language has it
			said["chapter."+c.ID+".title"], said["chapter."+c.ID+".about"] = true, true
		}
	}
	for _, l := range r.c.Levels {
		said["level."+l.ID+".name"], said["level."+l.ID+".goal"] = true, true
	}
	for _, t := range read {
		eachText(t, func(at, _ string) { said[at] = true })
	}
	for _, language := range r.c.Languages {
		if read[language] == nil {
			continue
		}
		own := map[string]bool{}
		eachText(read[language], func(at, _ string) { own[at] = true })
		for _, at := range slices.Sorted(maps.Keys(said)) {
			if !own[at] && len(r.c.untranslated) < maxMistakes {
				r.c.untranslated = append(r.c.untranslated, lang.At(path.Join(r.shown, proseDir, language+".toml"), 1, lang.Errorf("%v is missing", at)))
			}
		}
	}
}

// eachText calls do for each text that is not empty, with its path, such as
// chapter.first.title.
func eachText(t *Texts, do func(at, text string)) {
	var walk func(at string, v reflect.Value)
	walk = func(at string, v reflect.Value) {
		//nolint:exhaustive // what Texts have
		switch v.Kind() {
		case reflect.String:
			if v.String() != "" {
				do(strings.TrimPrefix(at, "."), v.String())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(at+"."+strings.ToLower(v.Type().Field(i).Name), v.Field(i))
			}
		case reflect.Map:
			keys := v.MapKeys()
			slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
			for _, key := range keys {
				walk(at+"."+key.String(), v.MapIndex(key))
			}
		}
	}
	walk("", reflect.ValueOf(*t))
}

// over overlays base with own, which can be nil.
func over(own, base *Texts) *Texts {
	if own == nil {
		return base
	}
	return &Texts{
		Title: prose.Over(own.Title, base.Title), About: prose.Over(own.About, base.About),
		Chapter: overEach(own.Chapter, base.Chapter), Level: overEach(own.Level, base.Level),
	}
}

func overEach[T any](own, base map[string]T) map[string]T {
	out := maps.Clone(base)
	if out == nil {
		out = map[string]T{}
	}
	for id, v := range own {
		out[id] = prose.Over(v, base[id])
	}
	return out
}

package cli

import (
	"regexp"
	"testing"
	"testing/fstest"

	"lockstep/internal/course"
	"lockstep/internal/prose"
	"lockstep/internal/testkit"
)

// TestManualIsACourse: what help courses shows is one that passes, in each language.
func TestManualIsACourse(t *testing.T) {
	names := []string{"course.toml", "prose/en.toml", "prose/zh.toml", "stories/nobody_waits.txt", "levels.toml"}
	for _, lang := range prose.Languages() {
		blocks := regexp.MustCompile("(?s)```\n(.*?)```\n").FindAllStringSubmatch(course.Manual(lang), -1)
		if len(blocks) != len(names) {
			t.Fatalf("%s shows %d files, want %q", lang, len(blocks), names)
		}
		files := fstest.MapFS{}
		for i, b := range blocks {
			files[names[i]] = &fstest.MapFile{Data: []byte(b[1])}
		}
		r := testkit.Must(course.Check(t.Context(), files, "help-courses-"+lang, course.Options{Par: parOfLevel}))(t)
		for _, p := range r.Problems {
			t.Errorf("%v", p.Err)
		}
	}
}

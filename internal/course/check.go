package course

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/scenarios"
)

// A Problem is an error that Check found.
type Problem struct {
	Kind string // one of Kinds
	Err  error  // a *lang.Placed where it has a place
}

// The kinds of problems: a file that cannot be read; a story that cannot be
// played; its output, predictions and causes; a false claim of a chapter; the
// par of a level; a missing text; a link; a file that nothing names.
const (
	Unread     = "unread" // or not checked, after too many errors or too much work
	Unplayed   = "unplayed"
	Output     = "output"
	Prediction = "prediction"
	Cause      = "cause"
	Word       = "chapter"
	Par        = "level"
	Untold     = "text"
	Link       = "link"
	Unlisted   = "unlisted"
)

// Options of a check.
type Options struct {
	// Par returns the number of moves of the shortest way to a level's goal, 0
	// if there is none; known reports whether that is proved. Check calls it for
	// the course's own levels.
	Par func(context.Context, *scenarios.Level) (par int, known bool, err error)
	// Update writes the output of the stories into their files; see
	// scenarios.Story.Update.
	Update bool
	Tell   func(done string) // called for each step; can be nil
}

// A Report is the result of a check.
type Report struct {
	Course   *Course
	Problems []Problem
	Updated  []string // the updated files
}

// Check reads a course as Read does, plays its stories and checks its claims.
// The error is that of ctx.
func Check(ctx context.Context, files fs.FS, shown string, o Options) (*Report, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	k := &checker{ctx: ctx, stop: stop, files: files, shown: shown, options: o, report: &Report{}}
	c, err := Read(files, shown)
	k.c, k.report.Course = c, c
	for _, mistake := range lang.Each(err) {
		k.found(Unread, mistake)
	}
	for _, part := range []func(){k.stories, k.chapters, k.minutes, k.levels, k.texts, k.unlisted} {
		if part(); k.stopped {
			return k.report, nil
		} else if ctx.Err() != nil {
			return k.report, ctx.Err()
		}
	}
	return k.report, nil
}

type checker struct {
	ctx     context.Context
	stop    func() // ends ctx
	stopped bool   // set by ends
	worked  int    // actions that were played so far, about
	files   fs.FS
	shown   string
	options Options
	c       *Course
	report  *Report
}

func (k *checker) found(kind string, err error) {
	if k.ctx.Err() != nil {
		return
	}
	k.report.Problems = append(k.report.Problems, Problem{kind, brief(err)})
	if len(k.report.Problems) >= maxMistakes {
		k.ends(lang.Errorf("%s has at least %d mistakes; the check ends here, and the rest has not been looked at", k.shown, maxMistakes))
	}
}

// ends ends the check early.
func (k *checker) ends(why error) {
	k.report.Problems = append(k.report.Problems, Problem{Unread, why})
	k.stopped = true
	k.stop()
}

// maxWork bounds the actions that a check plays. 500 stories of 50 actions with
// three violations each are within it.
const maxWork = 5_000_000

// works counts the actions of a run.
func (k *checker) works(r *scenarios.Result, violations int) {
	n := len(r.History.Schedule)
	if k.worked += n + violations*min(n*n, scenarios.MaxExplained); k.worked > maxWork && k.ctx.Err() == nil {
		k.ends(lang.Errorf("%s: to play its stories and look for causes takes more than %d actions; the check ends here, and the rest has not been looked at", k.shown, maxWork))
	}
}

func (k *checker) tell(done string) {
	if k.options.Tell != nil {
		k.options.Tell(done)
	}
}

// stories plays the course's own.
func (k *checker) stories() {
	for _, s := range k.c.Stories {
		if k.ctx.Err() != nil {
			return
		}
		k.story(s)
		k.translated(s)
		k.tell(s.Path)
	}
}

func (k *checker) story(s *scenarios.Story) {
	r, err := scenarios.Run(k.ctx, s)
	if err != nil {
		k.found(Unplayed, err)
		return
	}
	if k.works(r, len(r.Violations)); k.stopped {
		return
	}
	if wrong := r.Mispredicted(s); wrong != nil {
		k.found(Prediction, wrong)
	}
	if err := scenarios.CheckChoices(k.ctx, s); err != nil {
		k.found(Prediction, err)
	}
	switch wrong := r.Mismatch(s); {
	case wrong == nil:
	case !k.options.Update:
		k.found(Output, wrong)
	default:
		if err := s.Update(r); err != nil {
			k.found(Output, lang.Errorf("%s: not updated: %w", s.Path, err))
			break
		}
		k.report.Updated = append(k.report.Updated, s.Path)
	}
	for _, v := range r.Violations {
		if _, err := scenarios.Explain(k.ctx, r.History, v); err != nil {
			k.found(Cause, lang.At(s.Path, 1, lang.Errorf("nothing is known of the causes of %s: %w", v.Invariant, err)))
		}
	}
}

// translated finds captions and questions that a language of the course lacks.
func (k *checker) translated(s *scenarios.Story) {
	for _, language := range k.c.Languages {
		for _, step := range s.Steps {
			lacks := func(line int, err error) {
				k.found(Untold, lang.At(s.Path, line, err))
			}
			if len(step.Captions) > 0 && step.Captions[language] == "" {
				lacks(step.Line, lang.Errorf("the caption of %q is not there in the language %s", step.Text, language))
			}
			for i := range step.Predict {
				if p := &step.Predict[i]; !p.Translated(language) {
					lacks(p.Line(), lang.Errorf("the question or a reason is not there in the language %s", language))
				}
			}
		}
	}
}

// chapters checks each chapter's claims about its stories.
func (k *checker) chapters() {
	for i := range k.c.Chapters {
		if k.ctx.Err() != nil {
			return
		}
		c := &k.c.Chapters[i]
		at := fmt.Sprintf("chapter[%d]", i)
		if c.Works != nil {
			if r := k.against(at+".works", c.Works, c.Lock); r != nil && len(r.Violations) > 0 {
				k.at(at+".works", "%s is to show %s at work, and violates %s", c.Works.Name, c.Lock, r.Violations[0].Invariant)
			}
		}
		if c.Breaks != nil {
			k.breaks(at, c)
		}
		k.tell(k.c.file + " " + c.ID)
	}
}

func (k *checker) at(path, problem string, args ...any) {
	k.found(Word, k.c.toml.At(path, lang.Errorf(problem, args...)))
}

func (k *checker) breaks(at string, c *Chapter) {
	broken := k.against(at+".breaks", c.Breaks, c.Lock)
	if broken == nil {
		return
	}
	if len(broken.Violations) == 0 {
		k.at(at+".breaks", "%s is to break %s, and violates nothing", c.Breaks.Name, c.Lock)
		return
	}
	if c.Fix == "" {
		return
	}
	fixed, err := scenarios.RunAgainst(k.ctx, c.Breaks, c.Fix)
	if err != nil {
		k.at(at+".fix", "%s cannot be played with %s: %w", c.Breaks.Name, c.Fix, err)
	} else if k.works(fixed, 0); k.stopped {
		return
	} else if len(fixed.Violations) >= len(broken.Violations) {
		k.at(at+".fix", "%s is to fix %s, and violates as much in %s", c.Fix, c.Lock, c.Breaks.Name)
	}
}

// against plays a chapter's story with its lock; nil on an error.
func (k *checker) against(at string, s *scenarios.Story, lock string) *scenarios.Result {
	r, err := scenarios.RunAgainst(k.ctx, s, lock)
	if err == nil {
		k.works(r, 0)
	}
	switch {
	case err != nil:
		k.at(at, "%s cannot be played with %s: %w", s.Name, lock, err)
		return nil
	case len(r.Skipped) > 0:
		k.at(at, "with %s, %q of %s cannot happen", lock, r.Skipped[0], s.Name)
	}
	return r
}

// maxLarge bounds the levels that are too large: each takes the explorer as long as it
// may.
const maxLarge = 5

// levels checks the par of the course's own levels.
func (k *checker) levels() {
	large := 0
	for i := range k.c.Levels {
		l := &k.c.Levels[i]
		par, known, err := k.options.Par(k.ctx, l)
		wrong := func(err error) { k.found(Par, k.c.leveled.At(fmt.Sprintf("level[%d].par", i), err)) }
		switch {
		case k.ctx.Err() != nil:
			return
		case err != nil:
			wrong(err)
		case !known:
			wrong(lang.Errorf("%s is too large: nobody has proved which way to its goal is the shortest", l.ID))
			if large++; large == maxLarge {
				k.ends(lang.Errorf("%s has %d levels that are too large; the check ends here, and the rest has not been looked at", k.shown, maxLarge))
				return
			}
		case par != l.Par && par == 0:
			wrong(lang.Errorf("par of %s is %d, and nothing reaches its goal; use par = 0", l.ID, l.Par))
		case par != l.Par:
			wrong(lang.Errorf("par of %s is %d, and the shortest way to its goal has %d moves", l.ID, l.Par, par))
		}
		if len(l.Guide) > 0 {
			if reached, err := l.ReachedBy(k.ctx, l.Guide); err != nil || !reached {
				k.found(Par, k.c.leveled.At(fmt.Sprintf("level[%d].guide", i), lang.Errorf("the guide of %s does not reach its goal within its rules", l.ID)))
			}
		}
		k.tell(l.ID)
	}
}

// minutes compares the length of the course with those of its chapters, if each has one.
func (k *checker) minutes() {
	sum := 0
	for _, c := range k.c.Chapters {
		if c.Minutes == 0 {
			return
		}
		sum += c.Minutes
	}
	if k.c.toml != nil && k.c.Minutes > 0 && sum != k.c.Minutes {
		k.found(Word, k.c.toml.At("minutes", lang.Errorf("the course has %d minutes, and its chapters together have %d", k.c.Minutes, sum)))
	}
}

// texts finds missing texts and broken links.
func (k *checker) texts() {
	for _, err := range k.c.untranslated {
		k.found(Untold, err)
	}
	for _, language := range slices.Sorted(maps.Keys(k.c.own)) {
		said := k.c.own[language]
		eachText(said.Texts, func(at, text string) {
			for _, wrong := range k.c.mistakes(text) {
				k.found(Link, said.file.At(at, wrong))
			}
		})
	}
}

// unlisted finds files and stories that nothing names.
func (k *checker) unlisted() {
	if k.c.toml == nil {
		return
	}
	named := map[string]bool{courseFile: true, levelsFile: true}
	for _, language := range k.c.Languages {
		named[path.Join(proseDir, language+".toml")] = true
	}
	entries := 0
	_ = fs.WalkDir(k.files, ".", func(name string, d fs.DirEntry, err error) error {
		entries++
		base := path.Base(name)
		switch {
		case entries > maxEntries:
			return fs.SkipAll
		case err != nil, name == ".":
			return nil
		case strings.HasPrefix(base, "."), strings.HasPrefix(base, "__MACOSX"):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir(), named[name], strings.HasSuffix(name, ".md"), path.Dir(name) == storiesDir && path.Ext(name) == ".txt":
			return nil
		}
		k.found(Unlisted, lang.At(path.Join(k.shown, name), 1, lang.Errorf("nothing reads this file; stories are in %s, texts in %s and named for a language", storiesDir+"/*.txt", proseDir+"/*.toml")))
		return nil
	})
	for _, s := range k.c.Stories {
		shows := func(c Chapter) bool {
			return slices.ContainsFunc(c.Plays(), func(other *scenarios.Story) bool { return other.Path == s.Path })
		}
		if !slices.ContainsFunc(k.c.Chapters, shows) {
			k.found(Unlisted, lang.At(s.Path, 1, lang.Errorf("no chapter plays the story %s", s.Name)))
		}
	}
}

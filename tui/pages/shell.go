package pages

import (
	"cmp"
	"context"
	"strings"
	"time"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// A Shell is the program: a stack of pages, of which the top one is shown. It
// owns what is around a page: the size, the keys that work everywhere, the work
// that goes on beside, what is said once.
type Shell struct {
	*shared
	stack      []page
	top        onTop
	background *background
	ahead      []Key         // pressed before what they are meant for was there
	notice     string        // said once, until the next key
	question   *key          // the next key says yes if it is this one
	unsaved    bool          // it was said that nothing can be saved
	drawn      []render.Line // what a click is at
	panicked   string        // why the program ends; "" if it does not
	face       Size          // of which a page need not have all
	clock      func() time.Time
	later      func(time.Duration, any) Cmd
}

// onTop is the time for which one page is on top of the stack.
type onTop struct {
	ctx        context.Context
	stop       context.CancelFunc
	generation int
}

// New is the program before its first message: at the locks, or at the
// lock or the story that the options name. Its background has to be ended.
func New(ctx context.Context, o Options) (*Shell, error) {
	sh := &shared{
		course: newCourse(o), theme: render.NewTheme(o.ASCII), still: o.NoAnimation, run: scenarios.Run, against: scenarios.RunAgainst, explain: scenarios.Explain,
		with: o.With, source: o.Source, clipboard: o.Clipboard, browser: o.Browser,
	}
	if err := sh.speak(cmp.Or(o.Lang, "en")); err != nil {
		return nil, err
	}
	s := &Shell{shared: sh, background: newBackground(ctx), clock: o.Clock}
	s.later = later(s.background.ctx)
	if s.clock == nil {
		s.clock = time.Now
	}
	s.openStore(o.Progress)
	sh.course.resume(sh.progress)
	sh.board, sh.levels = newBoard(o.Matrix), newLevels(sh.course, o.Explorer)
	sh.stories, sh.broken = scenarios.Stories()
	sh.stories = sh.course.with(sh.stories)
	lock := o.Lock
	if o.Story != nil {
		lock = o.Story.Strategy()
		sh.know(o.Story, o.Nameless)
	}
	if _, err := scenarios.SubjectOf(lock); err != nil && lock != "" {
		return nil, lang.Errorf("%q is not a lock; lockstep list names them all", lock)
	}
	s.stack = sh.pathTo(lock, o.Story, o.At-1)
	if o.Course != nil && o.Story == nil && lock == "" {
		s.stack = append(s.stack, &coursePage{sh})
	}
	if o.Cell != nil {
		s.stack = sh.pathToCell(o.Cell)
	}
	if o.Present {
		s.present()
		if len(s.stack) == 1 {
			s.stack, s.course.chapter.at = s.opensIn(), 0
		}
	}
	if o.Tour && !o.Present && len(s.stack) == 1 && s.progress.IsNew() {
		s.stack = append(s.stack, newTourPage(sh))
	}
	s.top.ctx, s.top.stop = context.WithCancel(s.background.ctx)
	return s, nil
}

// pathTo are the pages that lead to a lock, or to a row of one of its stories.
func (s *shared) pathTo(lock string, story *scenarios.Story, at int) []page {
	path := []page{newLocksPage(s, lock)}
	if lock == "" {
		return path
	}
	if _, ok := strategies.Find(lock); ok {
		path = append(path, newStoriesPage(s, lock, story))
	}
	if story == nil {
		return path
	}
	return append(path, newStoryPage(s, story, at))
}

// pathToCell are the pages that lead to what was found in a cell of the matrix.
func (s *shared) pathToCell(c *explore.Cell) []page {
	s.board.show(c)
	m := &matrixPage{s}
	path := []page{newLocksPage(s, ""), m}
	if len(c.Found) == 0 {
		return path
	}
	return append(path, m.foundPage())
}

func (s *Shell) page() page { return s.stack[len(s.stack)-1] }

// do does what a page wants.
func (s *Shell) do(a act) Cmd {
	if a == nil {
		return nil
	}
	return a(s)
}

// show begins the time of the page that has come to the top, and ends the work
// that went on for another one.
func (s *Shell) show() Cmd {
	s.top.stop()
	s.top.ctx, s.top.stop = context.WithCancel(s.background.ctx)
	s.top.generation++
	if p, ok := s.page().(opener); ok {
		return s.do(p.opened())
	}
	return nil
}

// Init opens the first page.
func (s *Shell) Init() Cmd { return guard(s.show()) }

// Update is the loop of the program: it reads a message, does what it asks for and lays
// the page out, and the same again for each key that was waiting.
func (s *Shell) Update(msg any) Cmd {
	s.seeTime()
	cmds := []Cmd{s.read(msg), s.layOut()}
	for s.ready() {
		next := s.ahead[0]
		s.ahead = s.ahead[1:]
		cmds = append(cmds, s.press(next), s.layOut())
	}
	return guard(together(cmds...))
}

// read turns a message into state. It is the only switch on messages.
func (s *Shell) read(msg any) Cmd {
	switch msg := msg.(type) {
	case Size:
		s.Resize(msg.Width, msg.Height)
	case Keys:
		s.typed(msg...)
	case Click:
		s.typed(s.clicked(msg)...)
	case Wheel:
		s.typed(s.turned(msg)...)
	case answer:
		return s.do(s.tell(msg))
	case ticked:
		return s.tick(msg)
	case saved:
		s.isSaved(msg)
	case StuckNews:
		s.isStuck(msg)
	case Open:
		return s.do(s.openStory(msg))
	case Trouble:
		s.notice = s.in(msg.Err)
	case Kept:
		return s.do(s.isKept(msg))
	case panicked:
		return s.panics(msg)
	}
	return nil
}

// tell hands an answer to the page that still waits for it.
func (s *Shell) tell(a answer) act {
	to := a.to
	if to == nil && a.generation == s.top.generation {
		to, _ = s.page().(told)
	}
	if to == nil || a.value == nil {
		return nil
	}
	return to.told(a.value)
}

// layOut gives the page on top its size, and lets it work out what follows.
func (s *Shell) layOut() Cmd {
	s.keyWaits = len(s.ahead) > 0
	s.fit()
	if p, ok := s.page().(settler); ok {
		return s.do(p.settle())
	}
	return nil
}

// press does what a key is for, or says why it cannot.
func (s *Shell) press(msg Key) Cmd {
	s.notice = ""
	name := msg.Name
	if s.talk != nil && s.talk.hears(name) {
		return nil
	}
	asked := s.question
	s.question = nil
	if asked != nil && asked.is(name) {
		return s.do(asked.do())
	}
	if t, ok := s.page().(typist); ok && !overtakes(name) {
		return s.do(t.typed(msg))
	}
	k, ok := find(s.keys(), name)
	switch {
	case !ok, asked != nil && !quitKey.is(name) && !overtakes(name):
		return nil
	case k.off:
		s.notice = s.book.Text(k.why)
		return nil
	}
	return s.do(k.do())
}

// keys are those of the page, and after them those that work everywhere.
func (s *Shell) keys() []key {
	_, types := s.page().(typist)
	out := s.page().keys()
	_, skips := find(out, "q")
	if s.talk != nil && !types {
		out = s.talkKeys(out)
	}
	if s.question != nil {
		out = append(out, *s.question)
	}
	if !types {
		out = append(out, presentKey.to(s.present).says(s.presentSays()).when(!skips, ""), backKey.to(s.leave).when(len(s.stack) > 1, ""), s.helpKey(), languageKey.to(s.nextLanguage))
	}
	if s.browser {
		return without(out, "tab")
	}
	if !types {
		out = append(out, quitKey.act(quit).when(!skips, ""))
	}
	return append(out, interruptKey.act(interrupt), suspendKey.act(suspend))
}

// leave closes what the page has open, or else the page.
func (s *Shell) leave() act {
	if p, ok := s.page().(closer); ok && p.closes() {
		return nil
	}
	return back
}

// help opens the help, from there the glossary, or closes what covers a page.
func (s *Shell) help() act {
	switch p := s.page().(type) {
	case *helpPage:
		return instead(newGlossaryPage(s.shared, p.under))
	case cover:
		return back
	}
	return push(newHelpPage(s.shared, s.page(), s.keys()))
}

// helpKey is the key that helps, with what it does here.
func (s *Shell) helpKey() key {
	k := helpKey.to(s.help)
	switch s.page().(type) {
	case *helpPage:
		return k.says("glossary")
	case cover:
		k.group = unlisted // esc says it
	}
	return k
}

// Goodbye keeps what is not kept yet, and says how to come back to where the pages
// were left.
func (s *Shell) Goodbye() string {
	text := s.book.Fill("goodbye", s.place())
	if err := s.store.Save(); err != nil {
		text += "\n" + s.unsavedText(err)
	}
	return text
}

// Panicked is why the pages have asked to quit, if work beside them panicked, with
// the place where it did; else "".
func (s *Shell) Panicked() string { return s.panicked }

// End stops the work that goes on, and returns when it has stopped.
func (s *Shell) End() { s.background.end() }

// place is what the last line says that leads back to where the program was left.
func (s *Shell) place() prose.TextFacts {
	p := s.page()
	for {
		over, ok := p.(cover)
		if !ok {
			break
		}
		p = over.covers()
	}
	if p, ok := p.(place); ok {
		if facts, ok := p.place(); ok {
			return facts
		}
	}
	return prose.TextFacts{}
}

// in says something in the learner's language.
func (s *shared) in(what any) string { return lang.In(s.book.Language(), what) }

// firstLine is the beginning of what an error says there.
func (s *shared) firstLine(err error) string {
	line, _, _ := strings.Cut(s.in(err), "\n")
	return line
}

func contains(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}

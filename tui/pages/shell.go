package pages

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"lockstep/internal/lang"
	"lockstep/internal/progress"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// A Shell is the program: a stack of pages, of which it shows the top one. It owns the
// size, the global keys, the work beside the pages, and notices.
type Shell struct {
	*shared
	stack      []page
	top        onTop
	background *background
	ahead      []Key        // pressed before what they are meant for was there
	notice     string       // said once, until the next key
	question   *key         // the next key says yes if it is this one
	unsaved    bool         // it was said that nothing can be saved
	drawn      render.Lines // what a click is at
	panicked   string       // why the program ends; "" if it does not
	face       Size         // of which a page need not have all
	clock      func() time.Time
	later      func(time.Duration, any) Cmd
	placed     string // the last place that was told
	linked     int    // the generation that an address has opened
	then       act    // when the page is there for which keys wait
}

// onTop is the period in which one page is on top of the stack.
type onTop struct {
	ctx        context.Context
	stop       context.CancelFunc
	generation int
}

// New returns the program before its first message: at the list of locks, or at the
// lock or story in the options. End must be called to stop its work.
func New(ctx context.Context, o Options) *Shell {
	sh := &shared{
		course: newCourse(o), Theme: render.NewTheme(o.ASCII), still: o.NoAnimation, glides: !o.NoAnimation && !o.Browser, run: scenarios.Run, against: scenarios.RunAgainst, explain: scenarios.Explain,
		with: o.With, source: o.Source, clipboard: o.Clipboard, browser: o.Browser,
	}
	sh.speak(cmp.Or(o.Lang, "en"))
	s := &Shell{shared: sh, background: newBackground(ctx), clock: o.Clock}
	if o.Browser {
		s.Flow, s.face = true, Size{mostWidth, mostHeight}
	}
	s.later = later(s.background.ctx)
	if s.clock == nil {
		s.clock = time.Now
	}
	s.openStore(o.Progress)
	sh.course.resume(sh.progress)
	sh.board, sh.levels = newBoard(o.Matrix), newLevels(sh.course, o.Explorer)
	sh.courses = o.Courses
	sh.readStories()
	lock := o.Lock
	if o.Story != nil {
		lock = o.Story.Strategy()
		sh.know(o.Story, o.Nameless)
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
		if !o.Browser {
			s.stack = append(s.stack, sh.chooser())
		}
		s.stack = append(s.stack, newTourPage(sh))
	}
	s.top.ctx, s.top.stop = context.WithCancel(s.background.ctx)
	return s
}

// pathTo returns the pages that lead to a lock, or to a row of one of its stories.
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

// pathToCell returns the pages that lead to a violation in a cell of the matrix.
func (s *shared) pathToCell(c *explore.Report) []page {
	s.board.show(c)
	m := newMatrixPage(s)
	path := []page{newLocksPage(s, ""), m}
	if len(c.Found) == 0 {
		return path
	}
	return append(path, m.foundPage())
}

func (s *Shell) page() page { return s.stack[len(s.stack)-1] }

// do carries out an act.
func (s *Shell) do(a act) Cmd {
	if a == nil {
		return nil
	}
	return a(s)
}

// show starts the period of the page that is now on top, and ends the work of the
// previous one.
func (s *Shell) show() Cmd {
	s.top.stop()
	s.top.ctx, s.top.stop = context.WithCancel(s.background.ctx)
	s.top.generation++
	return s.do(s.page().opened())
}

// Init opens the first page.
func (s *Shell) Init() Cmd { return guard(batch(s.show(), s.layOut())) }

// Update handles a message: it reads it, carries out what follows and lays out the
// page, and does the same for each key that was waiting.
func (s *Shell) Update(msg any) Cmd {
	s.seeTime()
	cmds := []Cmd{s.read(msg), s.layOut()}
	if then := s.then; then != nil && s.waits(Key{}) == atOnce {
		s.then = nil
		cmds = append(cmds, s.do(then), s.layOut())
	}
	for s.ready() {
		next := s.ahead[0]
		s.ahead = s.ahead[1:]
		cmds = append(cmds, s.press(next), s.layOut())
	}
	return guard(batch(cmds...))
}

// read turns a message into state. It has the only switch on messages.
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
	case act:
		return s.do(msg)
	case answer:
		if msg.generation == s.top.generation {
			return s.do(msg.does)
		}
	case StuckNews:
		s.isStuck(msg)
	case Open:
		return s.do(restack(s.openPages(msg)))
	case GoTo:
		return s.do(s.goTo(msg))
	case Trouble:
		s.notice = s.in(msg.Err)
	case Kept:
		return s.do(s.isKept(msg))
	case Stored:
		if p, err := progress.Parse(msg.Text); err == nil {
			s.progress = progress.New()
			s.progress.Add(p)
		}
	case panicked:
		s.panicked = msg.reason // the face panics again when it has cleaned up
		return s.do(tells(Quit{}))
	}
	return nil
}

// layOut gives the top page its size, and lets it update what depends on it.
func (s *Shell) layOut() Cmd {
	s.keyWaits = len(s.ahead) > 0
	s.fit()
	return s.do(s.page().settle())
}

// press carries out a key, or explains why it has no effect.
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
	k, _ := find(s.keys(), name)
	switch {
	case asked != nil && !quitKey.is(name) && !overtakes(name):
		return nil
	case k.off:
		s.notice = s.whyNot(k)
		return nil
	}
	return s.do(k.do())
}

// keys returns the keys of the page, and after them the global ones.
func (s *Shell) keys() []key {
	_, types := s.page().(typist)
	out := s.page().keys()
	_, skips := find(out, "q")
	present := presentKey.to(s.present)
	if s.talk != nil && !types {
		out, present = s.talkKeys(out), present.says("present_end")
	}
	if s.question != nil {
		out = append(out, *s.question)
	}
	if !types {
		out = append(out, present.when(!skips), backKey.to(s.leave).when(len(s.stack) > 1), s.helpKey(), languageKey.to(s.nextLanguage))
	}
	if s.browser {
		return without(out, "tab")
	}
	if !types {
		out = append(out, quitKey.act(tells(Quit{})).when(!skips))
	}
	return append(out, interruptKey.act(tells(Interrupt{})), suspendKey.act(tells(Suspend{})))
}

// leave closes what the page has open, or else the page.
func (s *Shell) leave() act {
	if s.page().closes() {
		return nil
	}
	if p, is := s.page().(*tourPage); is {
		return all(p.taken(), back)
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
	h := &helpPage{covering{textPage: textPage{shared: s.shared}, under: s.page()}, s.keys()}
	h.text = h.lines
	return push(h)
}

// helpKey returns the help key with its effect here.
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

// Goodbye saves what is not saved yet, and returns how to come back to the current
// place.
func (s *Shell) Goodbye() string {
	parts := strings.Split(s.Fill("goodbye", s.place()), "`")
	// The width is 0 before the terminal has told its size.
	lines := render.WrapText(parts[0], cmp.Or(s.face.Width, 80))
	for i := 1; i < len(parts); i += 2 { // commands, to be copied
		lines = append(lines, parts[i])
	}
	text := strings.Join(lines, "\n")
	if err := s.store.Save(); err != nil {
		text += "\n" + s.unsavedText(err)
	}
	return text
}

// Panicked returns the panic of work beside the pages that made them quit, with its
// place; "" for none.
func (s *Shell) Panicked() string { return s.panicked }

// End stops the work beside the pages and waits for it.
func (s *Shell) End() { s.background.end() }

// place returns how to come back to the current place, or else to the one from which it was opened.
func (s *Shell) place() facts {
	for _, p := range slices.Backward(s.stack) {
		if where, ok := p.place(); ok {
			return where
		}
	}
	return facts{}
}

// in translates a text into the learner's language.
func (s *shared) in(what any) string { return lang.In(s.Language(), what) }

// firstLine returns the first line of a translated error.
func (s *shared) firstLine(err error) string {
	line, _, _ := strings.Cut(s.in(err), "\n")
	return line
}

package pages

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"lockstep/internal/course"
	"lockstep/internal/progress"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestScripts runs testdata/script/*.txt: what somebody opens and presses, and what is
// shown then. The commands are in commands, below.
func TestScripts(t *testing.T) {
	run := map[string]func(*testscript.TestScript, bool, []string){}
	for name, do := range commands {
		run[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			s := ts.Value("script").(*script)
			s.ts, s.neg = ts, neg
			do(s, args)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", Cmds: run, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("CHAPTERS", strconv.Itoa(chapters(t)))
			env.Values["script"] = &script{TB: env.T().(testing.TB)}
			return nil
		},
	})
}

// A script is what its last start has opened: a program, or one for each size and language
// that it lists. It fails at the line that it is at.
type script struct {
	testing.TB
	ts     *testscript.TestScript
	neg    bool // the line begins with !
	shells []*Shell
	clock  *stopped
	kept   []string       // what keep has seen
	late   []Cmd          // what hold has not delivered
	asked  map[*Shell]Cmd // what the last key has asked for
}

func (s *script) Errorf(format string, args ...any) { s.ts.Fatalf(format, args...) }
func (s *script) Fatalf(format string, args ...any) { s.ts.Fatalf(format, args...) }
func (s *script) Fatal(args ...any)                 { s.ts.Fatalf("%s", fmt.Sprint(args...)) }

// each is a command that does or looks for the same with every program.
func each(do func(s *script, m *Shell, args []string)) func(*script, []string) {
	return func(s *script, args []string) {
		if len(s.shells) == 0 {
			s.Fatal("nothing is started")
		}
		for _, m := range s.shells {
			do(s, m, args)
		}
	}
}

// then is such a command, with facts after -> that are so afterwards.
func then(do func(s *script, m *Shell, args []string)) func(*script, []string) {
	return each(func(s *script, m *Shell, args []string) {
		n := slices.Index(append(args, "->"), "->")
		do(s, m, args[:n])
		s.is(m, args[min(n+1, len(args)):])
	})
}

// commands are those of scripts. "!" before one that wants something asks for the contrary.
var commands = map[string]func(*script, []string){
	// start [SIZES] [WORD] [OPTION=VALUE]... opens a program; see starts.
	"start": (*script).start,
	// press KEY... presses keys: right*3 presses one three times, part goes to the end of
	// a chapter's part and on. After -> come facts, as with is, that are so then.
	"press": then(func(s *script, m *Shell, args []string) { s.press(m, args) }),
	// type TEXT presses the key of every letter.
	"type": each(func(_ *script, m *Shell, args []string) { typeIn(m, strings.Join(args, " ")) }),
	// until TEXT KEY presses a key until the text is there.
	"until": each(func(s *script, m *Shell, args []string) {
		for range 200 {
			if strings.Contains(m.View(), args[0]) {
				return
			}
			s.press(m, args[1:])
		}
		s.Fatalf("no %q after 200 times; at last\n%s", args[0], m.View())
	}),
	// pick MOVE... picks the moves with these words.
	"pick": then(func(s *script, m *Shell, args []string) {
		for _, words := range args {
			pickMove(s, m, words)
		}
	}),
	// longway sells the last item of the level oversell twice, in 13 moves.
	"longway": each(func(s *script, m *Shell, _ []string) { longWay(s, m) }),
	// violation N goes to the card of a violation, past the questions before it.
	"violation": each(func(s *script, m *Shell, args []string) {
		n, err := strconv.Atoi(args[0])
		s.ts.Check(err)
		toViolation(s, m, n)
	}),
	// hold KEY... presses keys, and what they ask for does not come before late.
	"hold": each(func(s *script, m *Shell, args []string) {
		for _, k := range args {
			s.late = append(s.late, m.Update(keyMsg(k)))
			_ = m.View()
		}
	}),
	"late": each(func(s *script, m *Shell, _ []string) {
		for _, cmd := range s.late {
			drain(m, cmd)
		}
		s.late = nil
	}),
	// settle waits for what the last key pressed has asked for, and wants that it has.
	"settle": each(func(s *script, m *Shell, _ []string) {
		cmd := s.asked[m]
		if (cmd == nil) != s.neg {
			s.Errorf("the last key asks for something: %v", cmd != nil)
		}
		drain(m, cmd)
	}),
	// init is what the program asks for as it begins.
	"init": each(func(_ *script, m *Shell, _ []string) { drain(m, m.Init()) }),
	// tick [stale|N] is a tick of the player, one of an earlier play, or N of them; in a
	// talk, a second.
	"tick": each(func(_ *script, m *Shell, args []string) {
		if m.talk != nil {
			m.Update(m.talk.ticked(m.talk.timer.turn))
			return
		}
		n, stale := 1, 0
		if len(args) > 0 {
			if _, err := fmt.Sscan(args[0], &n); err != nil {
				stale = 1
			}
		}
		for range max(n, 1) {
			m.do(story(m).tick(view(m).player.turn - stale))
			m.Update(nil)
		}
	}),
	// clock DURATION sets the clock of a talk on.
	"clock": func(s *script, args []string) {
		d, err := time.ParseDuration(args[0])
		s.ts.Check(err)
		s.clock.goOn(d)
		for _, m := range s.shells {
			m.Update(nil)
		}
	},
	"click": each(func(s *script, m *Shell, args []string) { clickOn(s, m, args[0]) }),
	"point": each(func(s *script, m *Shell, args []string) { // point X,Y clicks there
		var c Click
		if _, err := fmt.Sscanf(args[0], "%d,%d", &c.X, &c.Y); err != nil {
			s.Fatal(err)
		}
		point(m, c)
	}),
	"wheel": each(func(_ *script, m *Shell, args []string) { point(m, Wheel{Up: args[0] == "up"}) }),
	"size": each(func(s *script, m *Shell, args []string) {
		m.Update(s.sizes(args[0])[0])
		drain(m, m.Update(nil))
	}),
	"goto": each(func(_ *script, m *Shell, args []string) { drain(m, m.Update(GoTo{Place: ParsePlace(args[0])})) }),
	"save": each(func(s *script, m *Shell, _ []string) { saveNow(s, m) }),
	// want TEXT... wants each text in the frame as it stands, text with one space for
	// every gap, and beside wants them all on one line.
	"want": each(func(s *script, m *Shell, args []string) { s.wants(m, check(s, m), args) }),
	"text": each(func(s *script, m *Shell, args []string) {
		s.wants(m, strings.Join(strings.Fields(check(s, m)), " "), args)
	}),
	"beside": each(func(s *script, m *Shell, args []string) {
		found := slices.ContainsFunc(strings.Split(check(s, m), "\n"), func(line string) bool {
			return !slices.ContainsFunc(args, func(text string) bool { return !strings.Contains(line, text) })
		})
		if found == s.neg {
			s.Errorf("%q on one line: %v\n%s", args, found, m.View())
		}
	}),
	// count N TEXT wants the text so many times.
	"count": each(func(s *script, m *Shell, args []string) {
		if got := strings.Count(check(s, m), args[1]); strconv.Itoa(got) != args[0] {
			s.Errorf("%d times %q in\n%s", got, args[1], m.View())
		}
	}),
	// is FACT=VALUE... wants facts; a value may be another fact, as in step=@rows.
	"is": each((*script).is),
	// works KEY... wants keys that do something now, by what they do.
	"works": each(func(s *script, m *Shell, args []string) {
		for _, does := range args {
			found := slices.ContainsFunc(m.keys(), func(k key) bool { return k.does == does && !k.off })
			if m.Text("does_"+does) == "" {
				s.Fatalf("no key does %q", does)
			}
			if found == s.neg {
				s.Errorf("%s works: %v\n%s", does, found, m.View())
			}
		}
	}),
	// hint N wants the nth hint of the level.
	"hint": each(func(s *script, m *Shell, args []string) {
		about := m.game.level.About(m.Book, m.lang)
		hint := map[string]string{"1": about.Hint1, "2": about.Hint2, "3": about.Hint3}[args[0]]
		s.wants(m, strings.Join(strings.Fields(check(s, m)), " "), []string{hint})
	}),
	// leads DOES [off] wants the key that leads on.
	"leads": each(func(s *script, m *Shell, args []string) {
		if k := leadingKey(s, m); k.Does != args[0] || k.Off != (len(args) > 1) {
			s.Errorf("%+v leads on", k)
		}
	}),
	// quits KEY wants a key to end the program, which does not end.
	"quits": each(func(s *script, m *Shell, args []string) {
		if !isQuit(press(m, args[0])) {
			s.Errorf("%s does not quit", args[0])
		}
	}),
	// keep remembers the frames, and same wants them again.
	"keep": func(s *script, _ []string) {
		s.kept = nil
		for _, m := range s.shells {
			s.kept = append(s.kept, check(s, m))
		}
	},
	"same": func(s *script, _ []string) {
		for i, m := range s.shells {
			if got := check(s, m); (got == s.kept[i]) == s.neg {
				s.Errorf("the frame was\n%s\nand is\n%s", s.kept[i], got)
			}
		}
	},
	// frames NAME compares the frames, at every size and with every set of glyphs, with
	// testdata/NAME.golden.
	"frames": func(s *script, args []string) { goldenFrames(s, args[0], s.shells) },
}

func (s *script) press(m *Shell, keys []string) {
	for _, k := range keys {
		n := 1
		if name, times, ok := strings.Cut(k, "*"); ok {
			many, err := strconv.Atoi(times)
			s.ts.Check(err)
			k, n = name, many
		}
		for range n {
			if k == "part" {
				s.asked[m] = endPart(m)
			} else {
				s.asked[m] = press(m, answered(m, k))
			}
		}
	}
}

// answered returns the key of an answer that begins with @: @right, @wrong, or as it stands in
// the story; and other keys as they are.
func answered(m *Shell, k string) string {
	answer, is := strings.CutPrefix(k, "@")
	if !is {
		return k
	}
	_, q := story(m).asking()
	if q == nil {
		return "no question"
	}
	return choiceKey(slices.IndexFunc(q.Choices(), func(c string) bool {
		return c == answer || answer == "right" && c == q.Answer || answer == "wrong" && c != q.Answer
	}))
}

func (s *script) is(m *Shell, args []string) {
	for _, arg := range args {
		name, want, _ := strings.Cut(arg, "=")
		if other, ok := strings.CutPrefix(want, "@"); ok {
			want = s.fact(m, other)
		}
		if got := s.fact(m, name); (got != want) != s.neg {
			s.Errorf("%s is %q, and %q is named:\n%s", name, got, want, m.View())
		}
	}
}

func (s *script) wants(m *Shell, frame string, texts []string) {
	for _, text := range texts {
		if strings.Contains(frame, text) == s.neg {
			s.Errorf("%q is there: %v\n%s", text, s.neg, m.View())
		}
	}
}

// states are what is asks for.
var states = map[string]func(*Shell) any{
	"page":      func(m *Shell) any { return at(m) },
	"sections":  func(m *Shell) any { return kinds(m.Frame()) },
	"covered":   func(m *Shell) any { return isCovered(m) },
	"step":      func(m *Shell) any { return view(m).player.at + 1 },
	"rows":      func(m *Shell) any { return view(m).player.rows },
	"playing":   func(m *Shell) any { return view(m).player.playing },
	"run":       func(m *Shell) any { return view(m).run.History.Schedule },
	"failed":    func(m *Shell) any { return view(m).failed != nil },
	"violation": func(m *Shell) any { return view(m).violation + 1 },
	"card":      func(m *Shell) any { return map[bool]string{true: "shown", false: "hidden"}[view(m).card] },
	"asks":      func(m *Shell) any { _, q := story(m).asking(); return q != nil },
	"move":      func(m *Shell) any { return m.game.at.depth },
	"of":        func(m *Shell) any { return m.game.tip.depth },
	"branches":  func(m *Shell) any { return len(m.game.branches()) },
	"schedule":  func(m *Shell) any { return m.game.at.schedule() },
	"hints":     func(m *Shell) any { return m.game.hints },
	"outcome":   func(m *Shell) any { return play(m).outcome() },
	"levels":    func(m *Shell) any { return len(m.progress.Levels) },
	"guesses":   func(m *Shell) any { return len(m.progress.Predictions) },
	"begun":     func(m *Shell) any { return strings.Join(slices.Sorted(maps.Keys(m.progress.Chapters)), " ") },
	"done":      func(m *Shell) any { return m.chaptersDone() },
	"chapter":   func(m *Shell) any { return m.course.chapter.at + 1 },
	"part":      func(m *Shell) any { return chapter(m).part() },
	"inside":    func(m *Shell) any { return inChapter(m) },
	"course":    func(m *Shell) any { return m.course.ID },
	"cell":      func(m *Shell) any { return fmt.Sprint(m.board.lock.at, ",", m.board.hazard.at, " ", at(m)) },
	"whole":     func(m *Shell) any { return whole(m) },
	"found":     func(m *Shell) any { return m.board.chosen + 1 },
	"name":      func(m *Shell) any { return story(m).name() },
	"query":     func(m *Shell) any { return searching(m).query },
	"hits":      func(m *Shell) any { return strings.Join(titles(m), " ") },
	"large":     func(m *Shell) any { return m.isLarge() },
	"notice":    func(m *Shell) any { return m.notice },
	"goodbye":   func(m *Shell) any { return strings.ReplaceAll(m.Goodbye(), "\n", `\n`) },
	"causes":    func(m *Shell) any { _, keys := view(m).causesHere(); return strings.Join(keys, " ") },
	"won":       func(m *Shell) any { _, moves, _ := history.ParseToken(m.Frame().Won); return len(moves) },
	"goal": func(m *Shell) any {
		if m.game.goal == nil {
			return "none"
		}
		return m.game.goal.depth
	},
	"unnecessary": func(m *Shell) any { return len(m.game.superfluous) },
	"last":        func(m *Shell) any { return m.progress.Last },
	"lock":        func(m *Shell) any { return on[storiesPage](m).lock.ID },
	"line":        func(m *Shell) any { return on[storiesPage](m).menu.at + on[locksPage](m).menu.at + 1 },
	"world":       func(m *Shell) any { return view(m).run.History.Config.Strategy },
	"second":      func(m *Shell) any { _, items, _ := on[listPage](m).items(); return items[0].Title },
	"blank":       func(m *Shell) any { return m.talk.blank && strings.TrimSpace(m.View()) == "" },
	"open": func(m *Shell) any {
		return slices.IndexFunc(m.course.Chapters, func(c course.Chapter) bool { return c.ID == chapter(m).chapter.ID }) + 1
	},
	"overtime": func(m *Shell) any { _, over := m.timeText(); return over },
	"left":     func(m *Shell) any { return m.place().Story },
	"lesson":   func(m *Shell) any { return shows(m) },
}

// fact returns a fact as text, or best:LEVEL, the best result of a level.
func (s *script) fact(m *Shell, name string) string {
	if level, ok := strings.CutPrefix(name, "best:"); ok {
		best, tried := m.progress.Levels[level]
		return map[bool]string{true: fmt.Sprintf("%+v", best), false: "none"}[tried]
	}
	if states[name] == nil {
		s.Fatalf("no fact is called %q", name)
	}
	return fmt.Sprint(states[name](m))
}

// sizes reads 60x20,80x24.
func (s *script) sizes(text string) (out []Size) {
	for _, one := range strings.Split(text, ",") {
		var size Size
		if _, err := fmt.Sscanf(one, "%dx%d", &size.Width, &size.Height); err != nil {
			s.Fatalf("no size: %q", one)
		}
		out = append(out, size)
	}
	return out
}

// starts are the words and options of start that change what is opened. Others are:
// frames, the sizes of golden frames; lang=en,zh; level=ID, opened; matrix, with its cells
// delivered and opened.
var starts = map[string]func(s *script, o *Options, value string){
	"at":       func(s *script, o *Options, value string) { _, _ = fmt.Sscan(value, &o.At) },
	"lock":     func(s *script, o *Options, value string) { o.Lock = value },
	"browser":  func(s *script, o *Options, _ string) { o.Browser = true },
	"nameless": func(s *script, o *Options, _ string) { o.Nameless = true },
	"tour":     func(s *script, o *Options, _ string) { o.Tour = true },
	"still":    func(s *script, o *Options, _ string) { o.NoAnimation = true },
	"explorer": func(s *script, o *Options, _ string) { o.Explorer = explorer(s) },
	"progress": func(s *script, o *Options, value string) { o.Progress = progress.In(s.ts.MkAbs(value)) },
	"talk":     func(s *script, o *Options, _ string) { o.Present, o.Clock = true, s.clock.now },
	"matrix":   func(s *script, o *Options, _ string) { o.Matrix = canned(s, nil) },
	"board":    func(s *script, o *Options, _ string) { o.Matrix = canned(s, nil) },
	"story":    func(s *script, o *Options, value string) { o.Story = s.story(value) },
	"courses": func(s *script, o *Options, dir string) {
		for _, id := range course.Names() {
			o.Courses = append(o.Courses, Choice{id, func() (*course.Course, *progress.Store) {
				return course.Named(id), progress.In(s.ts.MkAbs(dir + "/" + id))
			}})
		}
	},
	"course": func(s *script, o *Options, value string) {
		o.CourseAt = value
		if _, no := os.Stat(s.ts.MkAbs(value)); no != nil {
			o.Course = course.Named(value)
			return
		}
		c, err := course.Read(os.DirFS(s.ts.MkAbs(value)), value)
		s.ts.Check(err)
		o.Course = c
	},
}

// ownStories are those of the tests.
var ownStories = map[string]string{"crash": crashStory, "overrun": overrunStory, "quiz": quizStory}

// story returns one of the tests, of the catalogue or of a file of the script.
func (s *script) story(name string) *scenarios.Story {
	own, ok := ownStories[name]
	if strings.HasSuffix(name, ".txt") {
		own, ok = s.ts.ReadFile(name), true
	}
	if ok {
		return parse(s, own)
	}
	return theStory(s, name)
}

func (s *script) start(args []string) {
	sizes, langs, level := []Size{{80, 24}}, []string{""}, ""
	s.shells, s.clock, s.late, s.asked = nil, &stopped{time.Unix(1000, 0)}, nil, map[*Shell]Cmd{}
	var o Options
	has := map[string]bool{}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		has[name] = true
		switch set, ok := starts[name]; {
		case ok:
			set(s, &o, value)
		case name == "lang":
			langs = strings.Split(value, ",")
		case name == "level":
			level = value
		case name == "noted":
		case name == "frames":
			sizes = s.sizes("60x20,80x24,120x40")
			if !*update {
				sizes = testkit.Some(s, sizes, len(sizes), 1)
			}
		default:
			sizes = s.sizes(arg)
		}
	}
	for _, o.Lang = range langs {
		for _, size := range sizes {
			m := start(s, o, size.Width, size.Height)
			if has["noted"] {
				noted(m)
			}
			if has["matrix"] {
				deliver(m, (len(o.Matrix.Locks)-2)*len(o.Matrix.Hazards))
				o.Matrix = canned(s, nil)
			}
			if level != "" {
				openLevel(s, m, level)
			}
			s.shells = append(s.shells, m)
		}
	}
}

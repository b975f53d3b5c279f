package pages

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/lesson"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// A storyPage shows a story step by step. It runs the story once; then steps move a
// cursor (player.go).
type storyPage struct {
	viewer
	lock  string
	own   *scenarios.Story // what a token of the story holds; nil for nothing
	name  func() string    // said anew whenever it is drawn, as all words are
	part  part             // of a chapter; "" outside of the course
	named bool             // a command opens it again by its name
	story *scenarios.Story // nil until it is known
	find  finds

	startAt  int
	given    map[asked]string // the answers to its questions
	asks     []int            // the rows before which it asks
	unknown  int              // the first row at which a node does not know a script; -1 for none
	captions captionRoom
	highest  int // lines of a caption in it while no question is answered
	show     slideShow
}

// finds returns the story to play.
type finds func(context.Context) (*scenarios.Story, error)

// known finds a story that is there.
func known(story *scenarios.Story) finds {
	return func(context.Context) (*scenarios.Story, error) { return story, nil }
}

// newStoryPage returns the page of a story at a row.
func newStoryPage(s *shared, story *scenarios.Story, at int) *storyPage {
	p := newRunPage(s, story.Strategy(), func() string { return story.Title(s.Book) }, known(story))
	p.story, p.startAt, p.named = story, at, story != s.nameless && !slices.Contains(s.course.Stories, story)
	return p
}

// newLockStory returns the page of a story played with the chapter's lock, which may
// not be its own.
func newLockStory(s *shared, story *scenarios.Story, lock string, part part, name func() string) *storyPage {
	story = story.For(lock)
	p := newRunPage(s, lock, name, known(story))
	p.story, p.part, p.named = story, part, true
	return p
}

// ownStory returns the story rewritten for the lock that it was played with; nil if
// that is another run, for example if a command was impossible with the lock.
func ownStory(ctx context.Context, story *scenarios.Story, lock string, result *scenarios.Result) *scenarios.Story {
	if lock == story.Strategy() {
		return story
	}
	own, err := story.With("strategy=" + lock)
	if err != nil {
		return nil
	}
	again, err := scenarios.Run(ctx, own)
	if err != nil || runToken(again) != runToken(result) {
		return nil
	}
	return own
}

func runToken(r *scenarios.Result) string { return history.Token(r.History.Config, r.History.Schedule) }

// newRunPage returns the page of a story that is to be found and played with a lock.
func newRunPage(s *shared, lock string, name func() string, find finds) *storyPage {
	p := &storyPage{viewer: viewer{failing: failing{shared: s}, pane: s.pane, rowBack: stepBackKey.on[0]}, lock: lock, name: name, find: find, given: map[asked]string{}}
	p.host = p
	return p
}

// opened runs the story, or continues it.
func (p *storyPage) opened() act {
	if p.run != nil || p.failed != nil {
		p.askAgain()
		return p.nextTick()
	}
	return begin(func(ctx context.Context) act {
		story, result, err := p.play(ctx)
		if err != nil {
			return func(*Shell) Cmd {
				p.failed = err
				return nil
			}
		}
		run, own := lesson.Of(result), ownStory(ctx, story, p.lock, result)
		return func(*Shell) Cmd {
			p.isRun(story, run, own)
			return nil
		}
	})
}

// play finds the story and plays it.
func (p *storyPage) play(ctx context.Context) (story *scenarios.Story, result *scenarios.Result, err error) {
	if story, err = p.find(ctx); err != nil {
		return nil, nil, err
	}
	if p.lock == story.Strategy() {
		result, err = p.shared.run(ctx, story)
	} else {
		result, err = p.against(ctx, story, p.lock)
	}
	return story, result, err
}

func (p *storyPage) isRun(story *scenarios.Story, run *lesson.Run, own *scenarios.Story) {
	p.story, p.run, p.own = story, run, own
	for row := range run.Rows {
		if run.Rows[row].First && len(run.Questions(row)) > 0 {
			p.asks = append(p.asks, row)
		}
	}
	p.unknown = slices.IndexFunc(run.Rows, func(row lesson.Row) bool { return strings.Contains(row.Text.String(), "NOSCRIPT") })
	p.player = newPlayer(len(p.run.Rows), 0)
	p.slides = p.slidesOf()
	if p.seek(p.startAt); p.show.end {
		p.player.toSlide(len(p.slides) - 1)
		p.show.of = p.slide
	}
	p.arrive()
}

func (p *storyPage) settle() act {
	p.fitCaptions()
	p.fitSlide()
	return p.settled()
}

func (p *storyPage) waits(name string) patience {
	return until(p.run != nil || p.failed != nil, name)
}

func (p *storyPage) title() (left, right string) { return p.lockName(p.lock), p.name() }

// status returns the position and its step. It counts only the violations met so far:
// the learner still has to guess the rest.
func (p *storyPage) status() (left, right string) {
	if trouble := p.trouble(p.run != nil); trouble != "" {
		return trouble, ""
	}
	at := facts{Step: p.at + 1, Steps: p.rows}
	left = fmt.Sprintf("%s  t=%v", p.Fill("at_step", at), p.run.Time(p.at))
	var parts []string
	if !p.still && !p.browser {
		parts = append(parts, p.paceText())
	}
	if met := p.run.Met(p.at); met > 0 {
		parts = append(parts, p.Count("violations", met))
	}
	right = p.List(parts...)
	if step := p.run.Step(p.at); step != nil && !p.browser {
		left = render.Trim(left+"  "+step.Text, p.width-render.Width(right)-2)
	}
	return left, right
}

// paceText returns whether the story plays by itself, and how fast.
func (p *storyPage) paceText() string {
	id := "paused"
	if p.playing {
		id = "playing"
	}
	return p.With(p.Text(id), p.Fill("pace", facts{Delay: p.player.delay().String()}))
}

func (p *storyPage) ends() (start, end, failed bool) {
	return p.run == nil || p.at == 0, p.run != nil && p.at == p.rows-1, p.failed != nil
}

func (p *storyPage) cursor() *int {
	if p.run == nil {
		return &p.startAt
	}
	return &p.at
}

// place returns the story and the step. A run of the matrix or of a token has a token
// instead of a name.
func (p *storyPage) place() (facts, bool) {
	if p.run == nil {
		return facts{}, false
	}
	if p.named {
		return facts{Story: p.story.Name, Step: p.at + 1, Steps: p.rows}, true
	}
	where, ok := p.byToken(p.run.History.Config, p.run.History.Schedule)
	if l := p.lesson(); l != nil {
		if p.browser { // an address has the step beside the token
			l.At = 1
		}
		where.What = l.Token()
	}
	where.Step = p.at + 1
	return where, ok
}

// lesson returns the story at its current step, for the lock that it was played with.
func (p *storyPage) lesson() *scenarios.Lesson {
	says := func(b scenarios.Beat) bool { return len(b.Step.Captions)+len(b.Questions) > 0 }
	if p.own == nil || p.story.Generated || !slices.ContainsFunc(p.run.Beats, says) {
		return nil
	}
	return &scenarios.Lesson{Story: p.own, Lang: p.lang, At: p.at + 1}
}

// Methods for the viewer.

func (p *storyPage) panes() []pane { return nil }

func (p *storyPage) leftPane(int, int) (name string, lines render.Lines, ok bool) {
	return "", nil, false
}

func (p *storyPage) violationsHere() bool { return len(p.here().Found) > 0 }

func (p *storyPage) onCard(string) remarks {
	last := p.rows - 1
	r := remarks{brief: p.part != "", end: p.at < last && p.seen >= last} // the parts that follow are about the rest
	if p.at < last && taught(p.run.History.Config.Strategy) {             // at the end, the caption says it
		r.closing = p.Text("meant_to_fail_after")
	}
	return r
}

func (p *storyPage) asksNow() bool {
	_, question := p.asking()
	return question != nil
}

// revealed reports whether the source may show its fault: a violation was met, all
// questions are answered, or the end was seen. While a chapter shows the lock at work, it
// may not: another part asks for the fault.
func (p *storyPage) revealed() bool {
	if p.part == workPart {
		return false
	}
	if p.talk != nil {
		return p.run.Met(p.at) > 0 || p.at == p.rows-1
	}
	open := slices.ContainsFunc(p.asks, func(row int) bool {
		_, q := p.unanswered(row)
		return q != nil
	})
	return p.run.Met(p.seen) > 0 || !open && (len(p.asks) > 0 || p.seen == p.rows-1)
}

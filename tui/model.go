package tui

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/sim/history"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// A screen is what fills the terminal.
type screen int

const (
	locksScreen   screen = iota // choose a lock
	storiesScreen               // choose one of its stories
	lockScreen                  // its card and source
	playerScreen                // a story, step by step
	matrixScreen                // every lock against every hazard
	levelsScreen                // choose a level
	gameScreen                  // the learner picks what happens
	courseScreen                // choose a chapter of the course
	pageScreen                  // a part of a chapter that is to be read
	compareScreen               // one schedule against two locks
	searchScreen                // look for a lock or a story
	againstScreen               // choose the second of them
)

// A model is the whole state of the program. It changes in update.go and
// actions.go only.
type model struct {
	book    *prose.Book
	lang    string
	theme   render.Theme
	labels  render.Labels
	keys    keyMap
	stories []*scenarios.Story
	broken  error // stories that could not be read

	width, height int
	screen        screen
	ahead         []tea.KeyMsg // pressed before what they are meant for was there
	covered       bool         // by the help, or by a token
	token         string       // what covers it; "" for the help
	tokenNote     string       // whether the terminal was asked to copy it
	scroll        int          // of the help, a token, a card or a source
	locks         menu
	search        search
	lock          strategies.Info
	choice        menu // among the lock's card and its stories

	story      *scenarios.Story
	nameless   *scenarios.Story // no command opens it again by its name
	title      string           // of what is played
	from       screen           // to which the player goes back
	generation int              // of the run that was asked for; an older one is dropped
	startAt    int
	run        *render.Run // nil while the story runs
	failed     error       // why it did not
	player     player
	still      bool // playing takes no time
	card       bool
	violation  int              // which violation the card shows
	given      map[place]string // the answers to the story's questions
	asks       []int            // the rows before which it asks
	pane       pane

	board      board
	course     course
	against    against
	comparison comparison
	background *background
	clipboard  func(text string) error // asks the terminal to copy; nil for no terminal
	panicked   string                  // why the program ends; "" if it does not
	stuck      []Stuck

	levels levels
	game   *game // nil until something is taken over

	progress progress
	store    *store
	notice   string // said once, until the next key
	unsaved  bool   // it was said that nothing can be saved

	captions captionRoom
}

// A menu is a selection among n items.
type menu struct{ at, n int }

func (m *menu) move(by int) { m.at = max(0, min(m.at+by, m.n-1)) }

// newModel is the program before its first message: at the locks, or at the
// lock or the story that the options name. Its background has to be ended.
func newModel(ctx context.Context, o Options, theme render.Theme) (*model, error) {
	if o.Lang == "" {
		o.Lang = "en"
	}
	book, err := prose.Load(o.Lang)
	if err != nil {
		return nil, err
	}
	m := &model{book: book, lang: o.Lang, theme: theme, labels: newLabels(book), keys: newKeyMap(book), still: o.NoAnimation}
	m.board, m.background = newBoard(o.Matrix), newBackground(ctx)
	m.levels = newLevels(o.Explorer)
	m.openStore(o.State)
	m.course = newCourse(m.progress)
	m.stories, m.broken = scenarios.Stories()
	m.locks.n = len(strategies.Catalogue)
	lock := o.Lock
	if o.Story != nil {
		lock = o.Story.Strategy()
	}
	if lock != "" {
		info, ok := strategies.Find(lock)
		if !ok {
			return nil, fmt.Errorf("%q is no lock; lockstep list names them all", lock)
		}
		m.openLock(info)
	}
	if o.Nameless {
		m.nameless = o.Story
	}
	if o.Story != nil {
		m.openStory(o.Story, o.At-1)
	}
	m.enableKeys()
	return m, nil
}

// ofLock returns the stories about the chosen lock, one of the learner's own
// included.
func (m *model) ofLock() []*scenarios.Story {
	var out []*scenarios.Story
	own := m.story
	for _, s := range m.stories {
		if s.Strategy() == m.lock.ID {
			out = append(out, s)
		}
		if s == m.story {
			own = nil
		}
	}
	if own != nil && own.Strategy() == m.lock.ID {
		out = append(out, own)
	}
	return out
}

// here returns the row at the cursor.
func (m *model) here() render.Row { return m.run.Rows[m.player.at] }

// position is what the farewell says: the story, the step and how many, or how
// much of the course is done. A game, or a run of the matrix or of a token, has
// no name by which it could be found again, but a token.
func (m *model) position() prose.TextFacts {
	if facts, ok := m.coursePosition(); ok {
		return facts
	}
	named := m.screen == playerScreen && m.from != matrixScreen && m.story != m.nameless
	config, schedule, ok := m.replayable()
	switch {
	case !ok || !m.showsRun():
		return prose.TextFacts{}
	case !named && len(schedule) == 0:
		return prose.TextFacts{} // nothing was done
	case named:
		return prose.TextFacts{Story: m.story.Name, Step: m.player.at + 1, Steps: m.player.rows}
	}
	return prose.TextFacts{N: len(schedule), What: history.Token(config, schedule)}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

func contains(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}

package pages

import (
	"context"

	"lockstep/internal/prose"
)

// openStore reads what was kept, and says if that cannot be.
func (s *Shell) openStore(o Options) {
	s.store = newStore(StateOf(o.State, o.Course))
	s.store.keeping = o.Keeping
	var aside string
	var err error
	s.progress, aside, err = s.store.load()
	switch {
	case err != nil:
		s.isSaved(saved{err})
	case aside != "":
		s.notice = s.book.Fill("progress_damaged", prose.TextFacts{What: aside})
	}
}

// note keeps what is news, here at once and in the file as soon as it may be. What a
// class does is not its trainer's progress.
func (s *shared) note(news progress) act {
	if s.talk != nil {
		return nil
	}
	s.progress.add(news)
	s.store.add(news)
	return save
}

// forget keeps something no longer, here at once and in the file as soon as it
// may be.
func (s *shared) forget(what func(*progress)) act {
	what(&s.progress)
	s.store.lose(what)
	return save
}

func everything(p *progress) { *p = newProgress() }

// saved is what came of writing the progress.
type saved struct{ err error }

func save(s *Shell) Cmd {
	store := s.store
	return s.background.do(func(context.Context) any { return saved{store.save()} })
}

// isSaved says once that it is not.
func (s *Shell) isSaved(msg saved) {
	if msg.err == nil || s.unsaved {
		return
	}
	s.unsaved = true
	s.notice = s.unsavedText(msg.err)
}

func (s *shared) unsavedText(err error) string {
	return s.book.Fill("progress_unsaved", prose.TextFacts{What: s.firstLine(err)})
}

package pages

import (
	"context"

	"lockstep/internal/progress"
)

// Kept is progress saved elsewhere. It is added to the known progress.
type Kept struct{ Text string }

// Stored is the progress as another page of this learner has stored it, if it is whole.
type Stored struct{ Text string }

// openStore reads the progress, or reports why it cannot.
func (s *Shell) openStore(store *progress.Store) {
	if s.store = store; store == nil {
		s.store = progress.In("")
	}
	var aside string
	var err error
	s.progress, aside, err = s.store.Load()
	switch {
	case err != nil:
		s.isSaved(err)
	case aside != "":
		s.notice = s.Gap("progress_damaged", aside)
	}
}

// note adds to the progress, here at once and in the store soon. What a class does is
// not its trainer's progress.
func (s *shared) note(news progress.Progress) act {
	if s.talk != nil {
		return nil
	}
	return s.change(func(p *progress.Progress) { p.Add(news) })
}

// change changes the progress, here at once and in the store soon.
func (s *shared) change(what func(*progress.Progress)) act {
	what(&s.progress)
	s.store.Change(what)
	return save
}

// isKept adds progress from elsewhere, and reports it.
func (s *Shell) isKept(k Kept) act {
	p, err := progress.Parse(k.Text)
	if err != nil {
		return say(s.in(err))
	}
	done := 0
	for _, c := range s.course.Chapters { // others are of another course
		if p.Chapters[c.ID].Done {
			done++
		}
	}
	return all(s.note(p), say(s.Count("progress_loaded", done, len(p.Levels))))
}

func save(s *Shell) Cmd {
	store := s.store
	return s.do(last(func(context.Context) act {
		err := store.Save()
		return func(s *Shell) Cmd {
			s.isSaved(err)
			return nil
		}
	}))
}

// isSaved reports a failure to save once.
func (s *Shell) isSaved(err error) {
	if err == nil || s.unsaved {
		return
	}
	s.unsaved = true
	s.notice = s.unsavedText(err)
}

func (s *shared) unsavedText(err error) string {
	return s.Gap("progress_unsaved", s.firstLine(err))
}

package pages

import (
	"lockstep/internal/lang"
	"lockstep/internal/prose"
)

// Keeping keeps progress in one text, where there are no files. Load is "" while
// nothing is kept.
type Keeping struct {
	Load func() string
	Save func(text string) error
}

// Kept is a text of progress that the learner had kept elsewhere. What it says is
// added to what is known.
type Kept struct{ Text string }

// progress is what is kept. Over what cannot have come from here nothing is written.
func (k *Keeping) progress() (p progress, aside string, err error) {
	text := k.Load()
	switch {
	case text == "":
		return newProgress(), "", nil
	case len(text) > maxProgress:
		return newProgress(), "", errForeign
	}
	if p, err = parseProgress([]byte(text)); err != nil {
		return newProgress(), "", err
	}
	return p, "", nil
}

func (k *Keeping) write(news progress, forget func(*progress)) error {
	p, _, err := k.progress()
	if err != nil {
		return err
	}
	text, err := p.with(news, forget)
	if err != nil {
		return err
	}
	if len(text) > maxProgress {
		return lang.Errorf("%d bytes; at most %d fit", len(text), maxProgress)
	}
	return k.Save(string(text))
}

// isKept adds progress from elsewhere, and says so.
func (s *Shell) isKept(k Kept) act {
	if len(k.Text) > maxProgress {
		return say(s.in(errForeign))
	}
	p, err := parseProgress([]byte(k.Text))
	if err != nil {
		return say(s.in(err))
	}
	done := 0
	for _, c := range p.Chapters {
		if c.Done {
			done++
		}
	}
	return all(s.note(p), say(s.book.Fill("progress_loaded", prose.TextFacts{N: done, Of: len(p.Levels)})))
}

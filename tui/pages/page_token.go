package pages

import (
	"context"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lockstep/scenarios"
	"lockstep/tui/render"
)

// A tokenPage covers a page with the token of its run, and asks the terminal to copy
// it. A terminal does not confirm, so the token is always shown too.
type tokenPage struct {
	covering
	token string
	lock  string
	other *scenarios.Lesson // what the same key shows a token of next; nil for none
	// Asked means that the terminal was asked, and refused why it could not be.
	asked   bool
	refused error
}

// showToken covers the top page with the token of a run, and then with that of its story;
// nil for none.
func (s *shared) showToken(token, lock string, story *scenarios.Lesson) act {
	return func(sh *Shell) Cmd {
		p := newTokenPage(s, sh.page(), token, lock)
		p.other = story
		return sh.do(push(p))
	}
}

func newTokenPage(s *shared, under page, token, lock string) *tokenPage {
	p := &tokenPage{covering: covering{textPage: textPage{shared: s}, under: under}, token: token, lock: lock}
	p.text = p.lines
	return p
}

func (p *tokenPage) keys() []key {
	return append(p.covering.keys(), copyKey.to(func() act {
		return instead(newTokenPage(p.shared, p.under, p.other.Token(), p.lock))
	}).says("copy_lesson").when(p.other != nil))
}

func (p *tokenPage) opened() act {
	token, write := p.token, p.clipboard
	if write == nil {
		return nil
	}
	return begin(func(context.Context) act {
		err := write(token)
		return func(*Shell) Cmd {
			p.asked, p.refused = true, err
			return nil
		}
	})
}

// lines returns the token with nothing around it that a mouse would select.
func (p *tokenPage) lines(w int) render.Lines {
	out := render.Lines{p.Heading(p.Text("replay_token"), w)}
	if p.refused != nil {
		with := facts{What: p.firstLine(p.refused)}
		out = append(out, render.Wrap(p.Fill("token_not_asked", with), w)...)
	} else if p.asked {
		out = append(out, render.Wrap(p.Text("token_asked"), w)...)
	}
	out = append(append(out, nil), render.Texts(strings.Split(ansi.Hardwrap(p.token, w, false), "\n")...)...)
	use := "token_use"
	if scenarios.IsLesson(p.token) {
		use = "token_use_lesson"
	}
	out = append(append(out, nil), render.Wrap(p.Fill(use, facts{Said: p.knownBy(p.lock)}), w)...)
	if p.other != nil {
		out = append(append(out, nil), render.Wrap(p.Gap("token_lesson", p.named(copyKey)), w)...)
	}
	return out
}

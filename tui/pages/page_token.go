package pages

import (
	"context"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lockstep/scenarios/prose"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// A tokenPage covers a page with the token of the run that it shows, and asks the
// terminal to copy it. That one was asked says nothing of whether it does, so
// together are always needed.
type tokenPage struct {
	covering
	token string
	lock  string
	asked *copied // what came of asking the terminal; nil while nothing has
}

// showToken covers the top page with the token of a run.
func (s *shared) showToken(c history.Config, schedule history.Schedule) act {
	return func(sh *Shell) Cmd {
		p := &tokenPage{covering: covering{textPage: textPage{shared: s}, under: sh.page()}, token: history.Token(c, schedule), lock: c.Strategy}
		p.text = p.lines
		return sh.do(push(p))
	}
}

// copied is what came of asking the terminal.
type copied struct{ err error }

func (p *tokenPage) opened() act {
	token, write := p.token, p.clipboard
	if write == nil {
		return nil
	}
	return begin(func(context.Context) any { return copied{write(token)} })
}

func (p *tokenPage) told(answer any) act {
	if c, ok := answer.(copied); ok {
		p.asked = &c
	}
	return nil
}

// lines are the token with nothing around it that a mouse would select too.
func (p *tokenPage) lines(w int) []string {
	out := []string{render.Heading(p.book.Text("replay_token"), p.theme, w)}
	if p.asked != nil && p.asked.err != nil {
		facts := prose.TextFacts{What: p.firstLine(p.asked.err)}
		out = append(out, render.Wrap(p.book.Fill("token_not_asked", facts), w)...)
	} else if p.asked != nil {
		out = append(out, render.Wrap(p.book.Text(p.tokenText("token_asked")), w)...)
	}
	out = append(append(out, ""), strings.Split(ansi.Hardwrap(p.token, w, false), "\n")...)
	return append(append(out, ""), render.Wrap(p.book.Fill(p.tokenText("token_use"), prose.TextFacts{Said: p.knownBy(p.lock)}), w)...)
}

// tokenText is the id of a text about the token, as it is for this face.
func (p *tokenPage) tokenText(id string) string {
	if p.browser {
		return id + "_browser"
	}
	return id
}

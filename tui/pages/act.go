package pages

import (
	"context"
	"time"
)

// An act is a request of a page to the shell; nil requests nothing.
type act func(*Shell) Cmd

// all combines several acts, in order.
func all(acts ...act) act {
	return func(s *Shell) Cmd {
		var cmds []Cmd
		for _, a := range acts {
			cmds = append(cmds, s.do(a))
		}
		return batch(cmds...)
	}
}

// push opens a page on top.
func push(p page) act {
	return func(s *Shell) Cmd {
		s.stack = append(s.stack, p)
		return s.show()
	}
}

// instead replaces the top page.
func instead(p page) act {
	return func(s *Shell) Cmd {
		s.stack[len(s.stack)-1] = p
		return s.show()
	}
}

// restack replaces the stack by these pages and opens the last one.
func restack(pages []page) act {
	return func(s *Shell) Cmd {
		s.stack = pages
		return s.show()
	}
}

// back closes the top page. The first one stays.
func back(s *Shell) Cmd {
	if len(s.stack) == 1 {
		return nil
	}
	s.stack = s.stack[:len(s.stack)-1]
	return s.show()
}

// tells hands a message to the face: to end or to stop the program.
func tells(msg any) act {
	return func(*Shell) Cmd { return func() any { return msg } }
}

// say shows a notice until the next key.
func say(text string) act {
	return func(s *Shell) Cmd {
		s.notice = text
		return nil
	}
}

// ask shows a question. The next key is its answer: only k says yes.
func ask(text string, k key) act {
	return func(s *Shell) Cmd {
		s.notice, s.question = text, &k
		return nil
	}
}

// An answer is what work for a page asks for in the end. It is dropped once the page is
// closed or covered.
type answer struct {
	generation int // of the page's time on top
	does       act
}

// begin starts work for the top page. Closing or covering the page cancels it.
func begin(work func(context.Context) act) act {
	return func(s *Shell) Cmd {
		ctx, generation := s.top.ctx, s.top.generation
		return s.background.do(func(context.Context) any { return answer{generation, work(ctx)} })
	}
}

// last starts work that continues whatever page is on top.
func last(work func(context.Context) act) act {
	return func(s *Shell) Cmd {
		return s.background.do(func(ctx context.Context) any { return work(ctx) })
	}
}

// after asks for something when a time is up, if the top page is still there.
func after(d time.Duration, does act) act {
	return func(s *Shell) Cmd { return s.later(d, answer{s.top.generation, does}) }
}

// later sends a message to Update when a time is up, counted from now, unless ctx ends
// before.
func later(ctx context.Context) func(d time.Duration, msg any) Cmd {
	return func(d time.Duration, msg any) Cmd {
		timer := time.NewTimer(d)
		return func() any {
			select {
			case <-timer.C:
				return msg
			case <-ctx.Done():
				return nil
			}
		}
	}
}

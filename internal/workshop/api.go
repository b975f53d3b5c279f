package workshop

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"lockstep/internal/lang"
	"lockstep/internal/web/engine"
	"lockstep/sim/history"
)

// This file answers the participants' pages and the trainer's.

// A refusal is an error with a status.
type refusal struct {
	lang.Message
	status int
}

func (r *refusal) Error() string { return r.String() }

func refuse(status int, format string, args ...any) error {
	return &refusal{lang.New(format, args...), status}
}

// The cookies.
const (
	participantCookie = "lockstep"
	trainerCookie     = "lockstep-trainer"
)

// The bounds of what is sent, in bytes.
const (
	maxBody  = 4 << 10
	maxStory = 16 << 10
	maxKeys  = 64 << 10
)

// body makes a call of one that takes a JSON body of at most so many bytes.
func body[T any](most int64, do func(*request, T) (any, error)) call {
	return func(q *request) (any, error) {
		if kind := q.Header.Get("Content-Type"); kind != "application/json" {
			return nil, refuse(http.StatusUnsupportedMediaType, "the body is to be application/json, not %q", history.Brief(kind))
		}
		text, err := io.ReadAll(http.MaxBytesReader(q.w, q.Body, most))
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return nil, refuse(http.StatusRequestEntityTooLarge, "at most %d bytes fit", most)
		}
		var in T
		if err == nil {
			err = json.Unmarshal(text, &in)
		}
		if err != nil {
			return nil, refuse(http.StatusBadRequest, "the body is not such JSON: %v", err)
		}
		return do(q, in)
	}
}

// done is the answer of a call that has no other.
var done = struct{}{}

// cookie sets a cookie for a day of teaching and the day after.
func (s *Server) cookie(w http.ResponseWriter, name, value string) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.Secure, MaxAge: 48 * 3600})
}

// secretOf is the secret in a cookie; "" for none.
func secretOf(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil || len(c.Value) > 100 {
		return ""
	}
	return c.Value
}

// known is the sender of a request, by its cookies.
func (s *Server) known(r *http.Request) (c caller) {
	own, desk := hashOf(secretOf(r, participantCookie)), string(hashOf(secretOf(r, trainerCookie)))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trainers[desk] {
		c.trainer = desk
	}
	if c.id = s.secrets[string(own)]; c.id != 0 {
		s.room.people[c.id].seen = time.Now()
		c.did = s.room.did[c.id]
	}
	return c
}

func (s *Server) me(q *request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.room.people[q.id], nil
}

// join makes a participant, or knows it again; a name or a team changes it.
func (s *Server) join(q *request, in struct{ Name, Team, Lang string }) (any, error) {
	name, team := clean(in.Name, maxName), clean(in.Team, maxName)
	if q.id != 0 {
		return s.rename(q.Context(), q.id, name, team)
	}
	var gone []int
	s.mu.Lock()
	if len(s.room.people) >= maxPeople {
		gone = slices.DeleteFunc(s.room.absent(time.Now()), func(id int) bool { return s.room.did[id] > 0 })
		if len(gone) == 0 {
			s.mu.Unlock()
			return nil, refuse(http.StatusServiceUnavailable, "the room is full")
		}
		gone = gone[:1]
	}
	went := s.forget(gone)
	s.nextID++
	if name == "" {
		if name = invent(s.languageOf(in.Lang)); s.room.named(name) { // there are fewer names than people
			name += " " + strconv.Itoa(s.nextID)
		}
	}
	p, secret := person{ID: s.nextID, Name: name, Team: team}, rand.Text()
	// Those who join at the same time are to see it. If it cannot be written, nobody gets the
	// secret, and the place goes to another.
	joined := p
	s.room.people[p.ID], s.secrets[string(hashOf(secret))] = &joined, p.ID
	s.mu.Unlock()
	came := []any{"INSERT INTO participants VALUES (?, ?, ?, ?)", p.ID, hashOf(secret), p.Name, p.Team}
	if err := s.store.change(q.Context(), nil, append(went, came)...); err != nil {
		return nil, err
	}
	s.cookie(q.w, participantCookie, secret)
	return p, nil
}

// rename gives a participant another name and team. Two empty ones change nothing.
func (s *Server) rename(ctx context.Context, id int, name, team string) (any, error) {
	s.mu.Lock()
	now := *s.room.people[id]
	s.mu.Unlock()
	if name == "" && team == "" {
		return now, nil
	}
	now.Name, now.Team = cmp.Or(name, now.Name), team
	return now, s.keep(ctx, func() {
		if p := s.room.people[id]; p != nil { // not forgotten meanwhile
			p.Name, p.Team = now.Name, now.Team
		}
		s.news(contestEvent, "")
		s.news(roomEvent, "")
	}, []any{"UPDATE participants SET name = ?, team = ? WHERE id = ?", now.Name, now.Team, id})
}

// forget removes participants from the room, and returns the statements that remove them
// from the file. What they have answered stays counted.
func (s *Server) forget(gone []int) (statements [][]any) {
	maps.DeleteFunc(s.secrets, func(_ string, id int) bool { return slices.Contains(gone, id) })
	for _, id := range gone {
		delete(s.room.people, id)
		statements = append(statements, []any{"DELETE FROM participants WHERE id = ?", id})
	}
	return statements
}

// answer keeps the answer of a participant to the poll that everybody sees.
func (s *Server) answer(q *request, in struct {
	Poll   string `json:"poll"`
	Choice int    `json:"choice"`
}) (any, error) {
	s.mu.Lock()
	p := s.room.current
	closed := p == nil || p.ID != in.Poll || p.State != isOpen
	fits := !closed && in.Choice >= 0 && in.Choice < len(p.said("").Options)
	round, unkept := 0, false
	if p != nil {
		round, unkept = p.Round, s.unkept[p.ID] > 0
	}
	s.mu.Unlock()
	switch {
	case closed:
		return nil, refuse(http.StatusConflict, "the poll is closed")
	case !fits:
		return nil, refuse(http.StatusBadRequest, "there is no answer %d", in.Choice)
	case unkept:
		if err := s.flush(); err != nil {
			return nil, err
		}
	}
	// Of two choices at once, the one that is in the file has to be the one that counts.
	return in, s.keep(q.Context(), func() {
		s.room.did[q.id] = 1
		if p.Round == round {
			p.answers[q.id] = in.Choice
			if p.State == isRevealed { // it came with the end
				s.pollChanged()
			}
		}
	}, []any{"INSERT INTO answers VALUES (?, ?, ?, ?) ON CONFLICT (poll, round, participant) DO UPDATE SET choice = excluded.choice", p.ID, round, q.id, in.Choice})
}

// result plays a solution of the level that everybody plays.
func (s *Server) result(q *request, in struct{ Level, Token string }) (any, error) {
	s.mu.Lock()
	c := s.room.contest
	locked := c == nil || c.Level != in.Level || c.State != isOpen
	s.mu.Unlock()
	if locked {
		return nil, refuse(http.StatusConflict, "the contest is not open")
	}
	done, err := s.alone(q.id)
	if err != nil {
		return nil, err
	}
	defer done()
	steps, err := s.played(q.Context(), in.Level, in.Token)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	over := s.room.contest != c // another one has begun meanwhile
	s.results++
	got := result{steps, s.results}
	s.mu.Unlock()
	if over {
		return nil, refuse(http.StatusConflict, "the contest is not open")
	}
	answer := map[string]any{"steps": steps}
	return answer, s.keep(q.Context(), func() {
		s.room.did[q.id] = 1
		answer["best"] = c.add(q.id, got)
		if who := s.room.people[q.id]; who != nil {
			answer["rank"] = s.room.rankOf(who)
		}
		s.news(contestEvent, "")
	}, []any{"INSERT INTO results VALUES (?, ?, ?, ?) ON CONFLICT (level, participant) DO UPDATE SET steps = excluded.steps, n = excluded.n WHERE excluded.steps < steps", in.Level, q.id, got.steps, got.n})
}

// share keeps a story that a participant hands in, if it can be played.
func (s *Server) share(q *request, in struct{ Title, Text, Lang string }) (any, error) {
	own := 0
	s.mu.Lock()
	for _, h := range s.room.shared {
		if h.by == q.id {
			own++
		}
	}
	full := own >= maxOwn || len(s.room.shared) >= maxShared
	s.mu.Unlock()
	if full {
		return nil, refuse(http.StatusServiceUnavailable, "%d stories fit, and %d of one participant; no more", maxShared, maxOwn)
	}
	done, err := s.alone(q.id)
	if err != nil {
		return nil, err
	}
	defer done()
	at, err := s.placeOf(q.Context(), in.Text, s.languageOf(in.Lang))
	if err != nil {
		return nil, err
	}
	story := shared{Title: clean(in.Title, maxTitle), Place: at, by: q.id}
	answer := map[string]int{}
	return answer, s.keep(q.Context(), func() {
		s.room.did[q.id] = 1
		story.ID = len(s.room.shared) + 1 // as the file numbers them
		s.room.shared = append(s.room.shared, story)
		answer["id"] = story.ID
	}, []any{"INSERT INTO shared (participant, title, place) VALUES (?, ?, ?)", q.id, story.Title, at})
}

// earlier answers with earlier frames, for those who look back.
func (s *Server) earlier(q *request) (any, error) {
	from, _ := strconv.Atoi(q.FormValue("from"))
	to, _ := strconv.Atoi(q.FormValue("to"))
	const most = 64
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []shownFrame{}
	if l := s.walks[q.FormValue("lang")]; l != nil {
		for _, f := range l.frames {
			if f.At >= from && f.At <= to && len(list) < most {
				list = append(list, f)
			}
		}
	}
	return list, nil
}

// The trainer --------------------------------------------------------------

// drive passes a key on, from the trainer who drives.
func (s *Server) drive(q *request, in engine.Request) (any, error) {
	if in.Found != nil || in.Stored != nil || in.Load != nil {
		return nil, refuse(http.StatusBadRequest, "that is not for a trainer to say")
	}
	s.mu.Lock()
	driving, driver := s.room.driving, s.room.driver
	s.mu.Unlock()
	if driving == "" {
		driving = q.trainer
		if err := s.drivenBy("Trainer", driving); err != nil {
			return nil, err
		}
	}
	if driving != q.trainer {
		return nil, refuse(http.StatusConflict, "%s drives; take over first", driver)
	}
	s.mu.Lock()
	s.begun = true
	s.mu.Unlock()
	if !s.press(in) {
		return nil, refuse(http.StatusServiceUnavailable, "the walkthrough is still at earlier keys")
	}
	return done, nil
}

// take makes a trainer the one who drives.
func (s *Server) take(q *request, in struct{ Name string }) (any, error) {
	return done, s.drivenBy(cmp.Or(clean(in.Name, maxName), "Trainer"), q.trainer)
}

// drivenBy makes a trainer the one who drives, under a name.
func (s *Server) drivenBy(name, who string) error {
	return s.keep(context.Background(), func() {
		s.room.driver, s.room.driving = name, who
		s.news(roomEvent, "")
	}, []any{putFact, "driver", name}, []any{putFact, "driving", hex.EncodeToString([]byte(who))})
}

// The bounds of a question of the trainer's own.
const (
	maxQuestion = 300 // runes
	maxOptions  = 8
)

// doPoll changes a poll, or asks one of the trainer's own.
func (s *Server) doPoll(q *request, in struct {
	Do, ID, Question, Why string
	Options               []string
	Right                 *int
}) (any, error) {
	if in.Do == "ask" {
		return s.ownPoll(in.Question, in.Why, in.Options, in.Right)
	}
	s.mu.Lock()
	p := s.room.find(in.ID)
	if p == nil || !p.do(in.Do) {
		s.mu.Unlock()
		return nil, refuse(http.StatusBadRequest, "there is no poll %q that can %s; use close, reveal, reopen or reset", history.Brief(in.ID), history.Brief(in.Do))
	}
	s.room.current = p
	s.pollChanged()
	leave := ""
	if l := s.walks[s.first]; in.Do == "reveal" && l.asking != nil && l.asking.Asked.ID == p.ID {
		last := l.asking.Lines[len(l.asking.Lines)-1]
		leave, p.left = last[0].Press, true // "I do not know" leads to the answer
	}
	s.mu.Unlock()
	if leave != "" {
		s.press(engine.Request{Press: leave})
	}
	return done, s.flush()
}

func (s *Server) ownPoll(question, why string, options []string, right *int) (any, error) {
	text := pollText{Question: clean(question, maxQuestion), Why: clean(why, maxQuestion)}
	p := &poll{Own: true, Right: right}
	for _, o := range options {
		if o = clean(o, maxQuestion); o != "" {
			text.Options = append(text.Options, o)
		}
	}
	p.Said = map[string]pollText{s.first: text}
	if n := len(text.Options); text.Question == "" || n < 2 || n > maxOptions || !p.whole() {
		return nil, refuse(http.StatusBadRequest, "a poll has a question and 2 to %d answers, of which one may be the right one", maxOptions)
	}
	s.mu.Lock()
	if len(s.room.polls) >= maxPolls {
		s.mu.Unlock()
		return nil, refuse(http.StatusServiceUnavailable, "%d polls were asked; no more fit", maxPolls)
	}
	p.ID = "own/" + strconv.Itoa(len(s.room.polls)+1)
	s.room.ask(p)
	s.pollChanged()
	s.mu.Unlock()
	return done, s.flush()
}

// clear forgets who is not there.
func (s *Server) clear(q *request) (any, error) {
	s.mu.Lock()
	went := s.forget(s.room.absent(time.Now()))
	s.news(contestEvent, "")
	s.mu.Unlock()
	return done, s.store.change(q.Context(), nil, went...)
}

// doContest sets, opens or closes a contest.
func (s *Server) doContest(q *request, in struct{ Do, Level, By string }) (any, error) {
	s.mu.Lock()
	c := s.room.contest
	switch {
	case in.Do == "set" && s.levels[in.Level] != nil && (in.By == "person" || in.By == "team"):
		c = &contest{Level: in.Level, State: isLocked, By: in.By, results: map[int]result{}}
	case in.Do == "open" && c != nil:
		c.State = isOpen
	case in.Do == "close" && c != nil:
		c.State = isClosed
	default:
		s.mu.Unlock()
		return nil, refuse(http.StatusBadRequest, "a contest is set, with a level and by person or team, then opened and closed")
	}
	s.room.contest = c
	text, _ := json.Marshal(c) // it has nothing but texts
	s.news(contestEvent, "")
	s.mu.Unlock()
	changes := [][]any{{putFact, "contest", string(text)}}
	if in.Do == "set" {
		changes = append(changes, []any{"DELETE FROM results WHERE level = ?", in.Level})
	}
	return done, s.store.change(q.Context(), nil, changes...)
}

// doTimer starts or stops the timer.
func (s *Server) doTimer(q *request, in struct{ Minutes float64 }) (any, error) {
	if !(in.Minutes >= 0 && in.Minutes <= 600) {
		return nil, refuse(http.StatusBadRequest, "%v minutes; from 0 to 600 fit", in.Minutes)
	}
	var ends time.Time
	if in.Minutes > 0 {
		ends = time.Now().Add(time.Duration(in.Minutes * float64(time.Minute)))
	}
	return done, s.keep(context.Background(), func() {
		s.room.ends = ends
		s.news(timerEvent, "")
	}, []any{putFact, "timer", ends.UTC().Format(time.RFC3339)})
}

// playable lists the levels that a contest can be about.
func (s *Server) playable(q *request) (any, error) {
	list := s.course.Playable()
	type row struct {
		Name  string `json:"name"`
		Title string `json:"title"`
	}
	rows := []row{}
	for i := range list {
		rows = append(rows, row{list[i].ID, s.titleOf(list[i].ID, s.languageOf(q.FormValue("lang")))})
	}
	return rows, nil
}

// handedIn lists what participants have handed in.
func (s *Server) handedIn(*request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []shared{}
	for _, h := range slices.Backward(s.room.shared) {
		if p := s.room.people[h.by]; p != nil {
			h.Name, h.Team = p.Name, p.Team
		}
		list = append(list, h)
	}
	return list, nil
}

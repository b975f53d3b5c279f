// Package workshop serves a class: participants follow a trainer's walkthrough in their
// browsers, answer polls and compete at levels. There are no accounts and no addresses are
// kept; a cookie makes a participant the same again.
//
// Everything that a participant or a trainer has done is in an SQLite database before it
// is acknowledged. The pages are in static/; their words with them.
package workshop

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"lockstep/internal/course"
	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/internal/web"
	"lockstep/scenarios"
)

// Options configure a workshop.
type Options struct {
	File   string      // the database; it is made if there is none
	Course string      // as web.Packed takes it
	Site   *web.Server // a site to play levels on; nil for none
	Join   string      // the link for participants
	Secure bool        // it is served by TLS
	// Tell is called with what goes wrong while it runs.
	Tell func(error)
}

// A Server is a workshop.
type Server struct {
	Options
	course *course.Course
	store  *store
	ctx    context.Context
	stop   context.CancelFunc
	ended  *sync.WaitGroup
	files  map[string]file
	limits limits
	judges chan struct{} // has an element for each solution that is played
	// patience bounds reading a request.
	patience time.Duration
	key      string // of the trainer's link
	epoch    string
	levels   map[string]*scenarios.Level // that can be played, by id
	first    string                      // the language by which polls are opened and closed

	keeping sync.Mutex        // guards the following
	kept    map[string]string // the facts in the database, of which the place and the poll are kept up

	mu       sync.Mutex // guards the following, and the walks' frames
	room     room
	secrets  map[string]int  // participants, by the hash of their secrets
	trainers map[string]bool // by the same
	walks    map[string]*walk
	place    string         // of the trainer's frame; "" until the class has begun
	begun    bool           // a trainer has driven
	unkept   map[string]int // polls that have changed since they were written, with the number of the change
	changes  int            // of polls
	subs     map[*subscriber]bool
	streams  int // so far
	events   int // sent so far
	messages map[messageKey]message
	results  int
	nextID   int
	counted  countView // as in the last count event
}

// A messageKey is what a message is for.
type messageKey struct {
	kind    kind
	lang    string
	trainer bool
}

// The bounds of a workshop.
const (
	maxPeople      = 2000
	maxStreams     = 6 // of a participant, in several tabs
	maxSubs        = 3000
	maxStrangers   = 100            // of maxSubs, without a cookie: beamers
	maxConnections = maxSubs + 1000 // so that there is always room to come in
	maxPolls       = 500
	maxShared      = 500
	maxOwn         = 20 // of maxShared, of one participant
)

// New opens a workshop: a new one, or the one in the file as it was.
func New(ctx context.Context, o Options) (*Server, error) {
	c, packed, err := web.Packed(o.Course)
	if err != nil {
		return nil, err
	}
	st, err := openStore(o.File)
	if err != nil {
		return nil, err
	}
	s := &Server{
		Options: o, course: c, levels: levelsOf(c), store: st, files: faceFiles(), limits: limits{buckets: map[string]*rate.Limiter{}}, judges: make(chan struct{}, 2), patience: callTime, key: rand.Text(),
		first: prose.Languages()[0], walks: map[string]*walk{}, subs: map[*subscriber]bool{}, messages: map[messageKey]message{}, unkept: map[string]int{}, secrets: map[string]int{}, trainers: map[string]bool{},
		room: room{people: map[int]*person{}, did: map[int]int{}}, kept: map[string]string{},
	}
	if err := s.load(); err != nil {
		_ = st.close()
		return nil, lang.Errorf("%s: %w", o.File, err)
	}
	s.ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.ended = s.follow(s.ctx, s.place, packed)
	s.ended.Go(s.beat)
	return s, nil
}

// Close ends the workshop. Its file stays.
func (s *Server) Close() error {
	s.stop()
	s.ended.Wait()
	return errors.Join(s.flush(), s.store.close())
}

// Key is what the trainer's link ends with. Each start has another one; who is a trainer
// already stays one.
func (s *Server) Key() string { return s.key }

// load reads the room from the database.
func (s *Server) load() error {
	var name, text string
	if err := s.store.each("SELECT name, value FROM facts", func() { s.kept[name] = text }, &name, &text); err != nil {
		return err
	}
	r := &s.room
	if s.epoch = s.kept["epoch"]; s.epoch == "" {
		s.epoch = rand.Text()
		if err := s.store.change(context.Background(), nil, []any{putFact, "epoch", s.epoch}); err != nil {
			return err
		}
	}
	s.place = s.kept["place"]
	s.begun = s.place != ""
	if who, err := hex.DecodeString(s.kept["driving"]); err == nil {
		r.driver, r.driving = s.kept["driver"], string(who)
	}
	if at, err := time.Parse(time.RFC3339, s.kept["timer"]); err == nil {
		r.ends = at
	}
	if text := s.kept["contest"]; text != "" {
		r.contest = &contest{results: map[int]result{}}
		if err := json.Unmarshal([]byte(text), r.contest); err != nil {
			return err
		}
	}
	var secret []byte
	var p person
	var damaged error
	var round, choice int
	var got result
	var h shared
	err := errors.Join(
		s.store.each("SELECT id, secret, name, team FROM participants", func() {
			one := p
			r.people[p.ID], s.secrets[string(secret)], s.nextID = &one, p.ID, max(s.nextID, p.ID)
		}, &p.ID, &secret, &p.Name, &p.Team),
		s.store.each("SELECT secret FROM trainers", func() { s.trainers[string(secret)] = true }, &secret),
		s.store.each("SELECT value FROM polls ORDER BY n", func() {
			p := &poll{answers: map[int]int{}, left: true}
			if json.Unmarshal([]byte(text), p) != nil || !p.whole() {
				damaged = lang.Errorf("a poll is damaged: %.200q", text)
			}
			r.polls = append(r.polls, p)
		}, &text),
		s.store.each("SELECT poll, round, participant, choice FROM answers", func() {
			r.did[h.by] = 1
			if p := r.find(name); p != nil && p.Round == round && choice >= 0 {
				p.answers[h.by] = choice
			}
		}, &name, &round, &h.by, &choice),
		s.store.each("SELECT level, participant, steps, n FROM results", func() {
			r.did[h.by] = 1
			s.results = max(s.results, got.n)
			if r.contest != nil && r.contest.Level == name {
				r.contest.results[h.by] = got
			}
		}, &name, &h.by, &got.steps, &got.n),
		s.store.each("SELECT id, participant, title, place FROM shared ORDER BY id", func() {
			r.did[h.by] = 1
			r.shared = append(r.shared, h)
		}, &h.ID, &h.by, &h.Title, &h.Place),
	)
	r.current = r.find(s.kept["poll"])
	return errors.Join(err, damaged)
}

const putFact = "INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"

// keep writes statements with their arguments, and then changes the room as they do.
func (s *Server) keep(ctx context.Context, then func(), statements ...[]any) error {
	return s.store.change(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		then()
	}, statements...)
}

// pollChanged sends the poll that everybody sees to all, and has it written.
func (s *Server) pollChanged() {
	for lang := range s.walks {
		s.news(pollEvent, lang)
	}
	s.news(roomEvent, "")
	if p := s.room.current; p != nil {
		s.changes++
		s.unkept[p.ID] = s.changes
	}
}

// flush has written what has changed of the polls and the place.
func (s *Server) flush() error {
	s.keeping.Lock()
	defer s.keeping.Unlock()
	s.mu.Lock()
	changed, facts := maps.Clone(s.unkept), map[string]string{"place": s.place, "poll": ""}
	if s.room.current != nil {
		facts["poll"] = s.room.current.ID
	}
	var changes [][]any              // statements with their arguments
	for _, p := range s.room.polls { // in the order in which they were asked
		if changed[p.ID] > 0 {
			text, _ := json.Marshal(p) // it has nothing but texts and numbers
			changes = append(changes, []any{"INSERT INTO polls (id, value) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET value = excluded.value", p.ID, string(text)})
		}
	}
	s.mu.Unlock()
	for name, value := range facts {
		if s.kept[name] != value {
			changes = append(changes, []any{putFact, name, value})
		}
	}
	if len(changes) == 0 {
		return nil
	}
	err := s.store.change(context.Background(), nil, changes...)
	if err == nil {
		maps.Copy(s.kept, facts)
		s.mu.Lock()
		defer s.mu.Unlock()
		// Only now may an answer rely on them.
		maps.DeleteFunc(s.unkept, func(id string, change int) bool { return changed[id] == change })
	}
	return err
}

// news makes a message of a kind out of date, and tells whom it concerns: who reads the
// language, or everybody for "".
func (s *Server) news(k kind, lang string) {
	for key := range s.messages {
		if key.kind == k && (lang == "" || key.lang == lang) {
			delete(s.messages, key)
		}
	}
	for sub := range s.subs {
		if (lang == "" || sub.lang == lang) && (k != roomEvent || sub.trains()) {
			sub.mark(k)
		}
	}
}

// newsFor returns what is new for a subscriber.
func (s *Server) newsFor(sub *subscriber) (list []message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range kinds {
		if !sub.news[k] {
			continue
		}
		sub.news[k] = false
		if k == roomEvent { // it says who drives
			list = append(list, s.message(kindNames[k], s.roomFor(sub)))
			continue
		}
		key := messageKey{k, sub.lang, sub.trains()}
		if _, ok := s.messages[key]; !ok {
			s.messages[key] = s.message(kindNames[k], s.about(key))
		}
		list = append(list, s.messages[key])
	}
	return list
}

func (s *Server) message(name string, what any) message {
	s.events++
	return newMessage(name, s.events, what)
}

// about is the content of an event.
func (s *Server) about(key messageKey) any {
	switch key.kind {
	case frameEvent:
		return frameOf(s.walks[key.lang], key.trainer)
	case pollEvent:
		return pollOf(s.room.current, key.lang, 0, key.trainer)
	case contestEvent:
		return s.contestOf(key.lang)
	case timerEvent:
		return s.timerOf()
	default:
		return s.countOf()
	}
}

// beat does once a second what need not be done at once.
func (s *Server) beat() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.mu.Lock()
			if now := s.countOf(); now != s.counted {
				s.counted = now
				s.news(countEvent, "")
				s.news(roomEvent, "")
			}
			s.mu.Unlock()
			if err := s.flush(); err != nil && s.ctx.Err() == nil {
				s.Tell(err)
			}
			s.limits.forget()
		case <-s.ctx.Done():
			return
		}
	}
}

// subscribe adds a reader. One too many of a participant, of those without a cookie, or of
// all takes the place of another.
func (s *Server) subscribe(sub *subscriber) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams++
	sub.n = s.streams
	s.subs[sub] = true
	if p := s.room.people[sub.id]; p != nil {
		p.streams++
	}
	s.crowd(maxStreams, func(other *subscriber) bool { return sub.id != 0 && other.id == sub.id })
	s.crowd(maxStrangers, (*subscriber).stranger)
	s.crowd(maxSubs, func(other *subscriber) bool { return !other.trains() })
}

// crowd ends one of too many readers: of those who have done nothing, at the address that has
// most, the oldest.
func (s *Server) crowd(most int, among func(*subscriber) bool) {
	var all []*subscriber
	at := map[string]int{}
	for sub := range s.subs {
		if among(sub) {
			all = append(all, sub)
			at[sub.at]++
		}
	}
	if len(all) > most {
		last := slices.MinFunc(all, func(a, b *subscriber) int {
			return cmp.Or(s.room.did[a.id]-s.room.did[b.id], at[b.at]-at[a.at], a.n-b.n)
		})
		s.gone(last)
		close(last.gone)
	}
}

func (s *Server) unsubscribe(sub *subscriber) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone(sub)
}

// gone removes a reader, if that has not happened yet.
func (s *Server) gone(sub *subscriber) {
	if p := s.room.people[sub.id]; p != nil && s.subs[sub] {
		p.streams--
	}
	delete(s.subs, sub)
}

// hashOf is what is kept of a secret.
func hashOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// Serve answers on a listener until ctx ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second}
	server.RegisterOnShutdown(s.stop) // the streams end
	return web.ServeUntil(ctx, l, maxConnections, server)
}

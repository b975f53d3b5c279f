package workshop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"lockstep/internal/testkit"
)

// TestStoreSettles: what cannot be written takes nothing with it that was to be written at
// the same time.
func TestStoreSettles(t *testing.T) {
	s := testkit.Must(openStore(filepath.Join(t.TempDir(), "room.db")))(t)
	insert := func(id int) *write {
		return &write{done: make(chan error, 1), statements: [][]any{{"INSERT INTO shared VALUES (?, 1, '', '')", id}}}
	}
	batch := []*write{insert(1), insert(1), insert(2)}
	s.settle(batch)
	for i, fails := range []bool{false, true, false} {
		if err := <-batch[i].done; (err != nil) != fails {
			t.Errorf("write %d: %v", i, err)
		}
	}
	testkit.OK(t, s.close())
	if err := s.change(t.Context(), nil, []any{"DELETE FROM shared"}); err == nil {
		t.Error("a closed store writes")
	}
}

// TestStoreChange: who hangs up when a change is written cannot keep the room from
// following what is on the disk.
func TestStoreChange(t *testing.T) {
	s := testkit.Must(openStore(filepath.Join(t.TempDir(), "room.db")))(t)
	ctx, hangUp := context.WithCancel(t.Context())
	testkit.OK(t, s.change(ctx, func() { hangUp(); time.Sleep(10 * time.Millisecond) }))
	testkit.OK(t, s.close())
}

// TestStorePolls: a poll counts as not written until it is on the disk, so that no answer
// gets there first.
func TestStorePolls(t *testing.T) {
	h := anew(t)
	testkit.Must(h.ownPoll("Which?", "", []string{"this", "that"}, nil))(t)
	isUnkept := func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.unkept[h.room.current.ID] > 0
	}
	h.mu.Lock()
	h.pollChanged()
	h.mu.Unlock()
	h.behind(h.flush, func() {
		if !isUnkept() {
			t.Error("it counts as written before it is")
		}
	})
	if isUnkept() {
		t.Error("it does not count as written")
	}
}

// behind has a write wait in the store behind another one, does something meanwhile, and
// returns when both have ended.
func (h *hall) behind(write func() error, meanwhile func()) {
	h.Helper()
	begun, goOn, ended := make(chan bool), make(chan bool), make(chan error)
	go func() {
		ended <- h.store.change(h.Context(), func() { close(begun); <-goOn })
	}()
	<-begun
	go func() { ended <- write() }()
	for len(h.store.writes) == 0 { // it, or the beat, is to wait
		time.Sleep(time.Millisecond)
	}
	meanwhile()
	close(goOn)
	testkit.OK(h, errors.Join(<-ended, <-ended))
}

// TestStorePlace: a workshop that ends keeps its place.
func TestStorePlace(t *testing.T) {
	h := anew(t)
	h.mu.Lock()
	h.place = "a_late_del@3"
	h.mu.Unlock()
	if h = h.again(); h.kept["place"] != "a_late_del@3" {
		t.Errorf("it goes on at %q", h.kept)
	}
}

// TestRoomGuests: too many readers of a kind take places from one another, of those first
// who have done nothing, at the address that has most, the oldest; nobody is kept out.
func TestRoomGuests(t *testing.T) {
	h := anew(t)
	add := func(c caller, at string) *subscriber {
		sub := &subscriber{caller: c, at: at, gone: make(chan struct{})}
		h.subscribe(sub)
		return sub
	}
	open := func(sub *subscriber) bool {
		select {
		case <-sub.gone:
			return false
		default:
			h.mu.Lock()
			defer h.mu.Unlock()
			return h.subs[sub]
		}
	}
	joins := func(id, did int) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.room.people[id], h.room.did[id] = &person{ID: id}, did
	}
	beamer, trainer, first := add(caller{}, "a"), add(caller{trainer: "t"}, "b"), add(caller{}, "b")
	second := add(caller{}, "b")
	for range maxStrangers {
		add(caller{}, "b")
	}
	if last := add(caller{}, "b"); !open(beamer) || !open(trainer) || open(first) || open(second) || !open(last) || len(h.subs) != maxStrangers+1 {
		t.Errorf("beamer %t, trainer %t, first %t, second %t, last %t, %d readers", open(beamer), open(trainer), open(first), open(second), open(last), len(h.subs))
	}
	joins(1, 1)
	answered := add(caller{id: 1}, "b")
	var quiet *subscriber
	for id := 2; id < maxSubs+100; id++ {
		joins(id, 0)
		quiet = add(caller{id: id}, "b")
	}
	elsewhere := add(caller{id: 2}, "c")
	for range 2 * maxStreams {
		quiet = add(caller{id: maxSubs}, "b")
	}
	if of := h.room.people[maxSubs].streams; !open(answered) || !open(elsewhere) || !open(trainer) || !open(quiet) || len(h.subs) != maxSubs+1 || of != maxStreams {
		t.Errorf("answered %t, elsewhere %t, trainer %t, the latest %t, %d readers, %d of one", open(answered), open(elsewhere), open(trainer), open(quiet), len(h.subs), of)
	}
	for sub := range h.subs {
		h.unsubscribe(sub)
		h.unsubscribe(sub) // what was ended goes by itself later
	}
	for id, p := range h.room.people {
		if p.streams != 0 {
			t.Fatalf("%d has %d streams", id, p.streams)
		}
	}
}

// TestRoomPatience: a request whose body never comes ends; a stream goes on.
func TestRoomPatience(t *testing.T) {
	h := anew(t)
	h.patience = 400 * time.Millisecond
	for _, first := range []string{"GET /draw.js", "GET /api/events", "POST /nowhere", "POST /api/join"} {
		conn := testkit.Must(net.Dial("tcp", h.web.Listener.Addr().String()))(t)
		fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n", first)
		_, _ = io.Copy(io.Discard, conn) // it ends, with an answer or without
		_ = conn.Close()
	}
	a := h.participant("A", "")
	events := a.events("/api/events?lang=en")
	heard(t, events, "state")
	time.Sleep(2 * h.patience)
	h.mu.Lock()
	h.news(timerEvent, "")
	h.mu.Unlock()
	heard(t, events, "timer")
}

// TestRoomAlone: nobody has two things played at once.
func TestRoomAlone(t *testing.T) {
	h := anew(t)
	a := h.participant("A", "")
	done := testkit.Must(h.alone(1))(t)
	a.wants(http.StatusTooManyRequests, "POST", "/api/share", m{"text": "lst1.x"})
	done()
	a.wants(http.StatusUnprocessableEntity, "POST", "/api/share", m{"text": "lst1.x"})
}

func TestRoomAddresses(t *testing.T) {
	l := limits{buckets: map[string]*rate.Limiter{}}
	for i := range maxBuckets {
		l.allow(fmt.Sprint("a", i), 1, 1)
	}
	if l.allow("another", 1, 1) || !l.allow("p1", 1, 1) {
		t.Error("strangers keep a participant out")
	}
	l.allow("p2", 1, 2)
	for _, b := range l.buckets { // as if some seconds had passed
		b.AllowN(time.Now().Add(10*time.Second), 0)
	}
	l.forget()
	if len(l.buckets) > 1 {
		t.Errorf("%d are not forgotten", len(l.buckets))
	}
}

// TestRoomFull: who only joins, again and again, keeps out neither newcomers nor those who
// are there, nor those who have done something, also after a restart; and the trainer can
// make room.
func TestRoomFull(t *testing.T) {
	h := anew(t)
	trainer, a := h.trainer(), h.participant("A", "")
	trainer.must("/api/trainer/poll", m{"do": "ask", "question": "?", "options": []string{"a", "b"}})
	a.must("/api/answer", m{"poll": "own/1", "choice": 0})
	var joins [][]any
	for id := 2; id <= maxPeople; id++ {
		joins = append(joins, []any{"INSERT INTO participants VALUES (?, ?, ?, '')", id, hashOf(fmt.Sprint("stranger", id)), fmt.Sprint(id)})
	}
	testkit.OK(t, h.store.change(t.Context(), nil, joins...))
	h = h.again(trainer, a) // as kill -9: all that counts is in the file
	if len(h.room.people) != maxPeople {
		t.Fatalf("%d participants", len(h.room.people))
	}
	h.room.people[3].seen = time.Now() // its page has come back
	b := h.participant("B", "")
	if h.room.people[1] == nil || h.room.people[2] != nil || h.room.people[3] == nil || len(h.secrets) != maxPeople || len(h.room.people) != maxPeople {
		t.Errorf("%d participants, %d secrets", len(h.room.people), len(h.secrets))
	}
	for _, v := range []*visitor{a, b} {
		v.wants(http.StatusOK, "GET", "/api/me", "")
	}
	h.mu.Lock()
	for id := range h.room.people {
		h.room.did[id] = 1
	}
	h.mu.Unlock()
	h.visitor().wants(http.StatusServiceUnavailable, "POST", "/api/join", m{})
	heard(t, trainer.events("/api/trainer/events?lang=en"), "room", fmt.Sprintf(`"absent":%d`, maxPeople-3))
	trainer.must("/api/trainer/clear", m{})
	h.participant("C", "")
	h.mu.Lock()
	if len(h.room.people) != 4 || len(h.secrets) != 4 || h.room.current.answers[1] != 0 || len(h.room.current.answers) != 1 {
		t.Errorf("%d participants, %d secrets, answers %v", len(h.room.people), len(h.secrets), h.room.current.answers)
	}
	h.mu.Unlock()
	if h = h.again(); len(h.room.people) != 4 {
		t.Errorf("%d participants are in the file", len(h.room.people))
	}
}

// TestJoinAtOnce: those who join at the same time have no more places than those who join
// one after the other.
func TestJoinAtOnce(t *testing.T) {
	h := anew(t)
	for id := 1; id < maxPeople; id++ {
		h.room.people[id], h.room.did[id] = &person{ID: id}, 1
	}
	h.nextID = maxPeople
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() { h.visitor().ask("POST", "/api/join", "{}") })
	}
	all.Wait()
	if len(h.room.people) != maxPeople || len(h.secrets) != 1 {
		t.Errorf("%d participants, %d secrets", len(h.room.people), len(h.secrets))
	}
}

// TestSharedBound: nobody hands in so many that none of others fits.
func TestSharedBound(t *testing.T) {
	h := anew(t)
	a, b := h.participant("A", ""), h.participant("B", "")
	for id := range maxOwn {
		h.room.shared = append(h.room.shared, shared{ID: id + 1, by: 1})
	}
	text := "world strategy=set-del clients=A,B\n\nrun A\n"
	a.wants(http.StatusServiceUnavailable, "POST", "/api/share", m{"text": text})
	b.must("/api/share", m{"text": text})
}

// TestStoreOrder: of two choices of one participant at once, the one that counts is the one
// that is in the file.
func TestStoreOrder(t *testing.T) {
	h := anew(t)
	trainer, a := h.trainer(), h.participant("A", "")
	trainer.must("/api/trainer/poll", m{"do": "ask", "question": "?", "options": []string{"a", "b", "c"}})
	for range 5 {
		var all sync.WaitGroup
		for choice := range 9 {
			all.Go(func() {
				a.must("/api/answer", m{"poll": "own/1", "choice": choice % 3})
			})
		}
		all.Wait()
		filed := -1
		testkit.OK(t, h.store.each("SELECT choice FROM answers", func() {}, &filed))
		h.mu.Lock()
		if counts := h.room.current.answers[1]; counts != filed {
			t.Errorf("%d counts, and %d is in the file", counts, filed)
		}
		h.mu.Unlock()
	}
}

// TestForgottenMeanwhile: a change by somebody who is forgotten before it is in the file ends
// like any other.
func TestForgottenMeanwhile(t *testing.T) {
	h := anew(t)
	h.participant("A", "")
	id := slices.Collect(maps.Keys(h.room.people))[0]
	h.behind(func() error {
		_, err := h.rename(t.Context(), id, "B", "")
		return err
	}, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.forget([]int{id})
	})
}

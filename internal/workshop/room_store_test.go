package workshop

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestStoreSettles: what cannot be written takes nothing with it that was to be written at
// the same time.
func TestStoreSettles(t *testing.T) {
	s, err := openStore(filepath.Join(t.TempDir(), "room.db"))
	if err != nil {
		t.Fatal(err)
	}
	insert := func(id int) *write {
		return &write{done: make(chan error, 1), do: func(tx *sql.Tx) error {
			_, err := tx.Exec("INSERT INTO shared VALUES (?, 1, '', '')", id)
			return err
		}}
	}
	batch := []*write{insert(1), insert(1), insert(2)}
	s.settle(batch)
	for i, fails := range []bool{false, true, false} {
		if err := <-batch[i].done; (err != nil) != fails {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	if err := s.write(t.Context(), "DELETE FROM shared"); err == nil {
		t.Error("a closed store writes")
	}
}

// TestStoreChange: who hangs up when a change is written cannot keep the room from
// following what is on the disk.
func TestStoreChange(t *testing.T) {
	s, err := openStore(filepath.Join(t.TempDir(), "room.db"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, hangUp := context.WithCancel(t.Context())
	if err := s.change(ctx, func(*sql.Tx) error { hangUp(); time.Sleep(10 * time.Millisecond); return nil }, nil); err != nil {
		t.Error(err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// TestStorePolls: a poll counts as not written until it is on the disk, so that no answer
// gets there first.
func TestStorePolls(t *testing.T) {
	h := opened(t, filepath.Join(t.TempDir(), "room.db"))
	if _, err := h.ownPoll("Which?", "", []string{"this", "that"}, nil); err != nil {
		t.Fatal(err)
	}
	isUnkept := func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.unkept[h.room.current.ID] > 0
	}
	h.mu.Lock()
	h.pollChanged()
	h.mu.Unlock()
	begun, goOn, blocked, flushed := make(chan bool), make(chan bool), make(chan error), make(chan error)
	go func() {
		blocked <- h.store.change(t.Context(), func(*sql.Tx) error { close(begun); <-goOn; return nil }, nil)
	}()
	<-begun
	go func() { flushed <- h.flush() }()
	for len(h.store.writes) == 0 { // flush, or the beat, waits behind the change
		time.Sleep(time.Millisecond)
	}
	if !isUnkept() {
		t.Error("it counts as written before it is")
	}
	close(goOn)
	if err := <-blocked; err != nil {
		t.Error(err)
	}
	if err := <-flushed; err != nil {
		t.Error(err)
	}
	if isUnkept() {
		t.Error("it does not count as written")
	}
}

// TestStorePlace: a workshop that ends keeps its place.
func TestStorePlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "room.db")
	h := opened(t, file)
	h.mu.Lock()
	h.place = "a_late_del@3"
	h.mu.Unlock()
	h.shut()
	if h = opened(t, file); h.kept != "a_late_del@3" {
		t.Errorf("it goes on at %q", h.kept)
	}
}

// TestRoomGuests: who has no cookie cannot take the streams of the class.
func TestRoomGuests(t *testing.T) {
	h := opened(t, filepath.Join(t.TempDir(), "room.db"))
	var all []*subscriber
	for h.subscribe(&subscriber{}) {
		if all = append(all, nil); len(all) > maxStrangers {
			t.Fatal("any number of guests")
		}
	}
	if !h.subscribe(&subscriber{who: 1}) || !h.subscribe(&subscriber{trainer: true}) {
		t.Error("guests keep the class out")
	}
	for sub := range h.subs {
		h.unsubscribe(sub)
	}
	if h.strangers != 0 || len(h.subs) != 0 {
		t.Errorf("%d guests, %d streams are left", h.strangers, len(h.subs))
	}
}

// TestRoomPatience: a request whose body never comes ends; a stream goes on.
func TestRoomPatience(t *testing.T) {
	h := opened(t, filepath.Join(t.TempDir(), "room.db"))
	h.patience = 400 * time.Millisecond
	for _, first := range []string{"GET /draw.js", "GET /api/events", "POST /nowhere", "POST /api/join"} {
		conn, err := net.Dial("tcp", h.web.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
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
	h := opened(t, filepath.Join(t.TempDir(), "room.db"))
	a := h.participant("A", "")
	done, err := h.alone(1)
	if err != nil {
		t.Fatal(err)
	}
	if status, said := a.ask("POST", "/api/share", `{"text":"lst1.x"}`); status != http.StatusTooManyRequests {
		t.Errorf("%d %s", status, said)
	}
	done()
	if status, said := a.ask("POST", "/api/share", `{"text":"lst1.x"}`); status != http.StatusUnprocessableEntity {
		t.Errorf("%d %s", status, said)
	}
}

func TestRoomAddresses(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:1234": "a192.0.2.7", "[::ffff:192.0.2.7]:1": "a192.0.2.7",
		"[2001:db8:1:2:3:4:5:6]:1": "a2001:db8:1:2::", "[2001:db8:1:2::9]:2": "a2001:db8:1:2::", "[fe80::1%eth0]:3": "afe80::", "pipe": "a",
	} {
		if got := addressOf(remote); got != want {
			t.Errorf("%s: %s, want %s", remote, got, want)
		}
	}
	l := newLimits()
	for i := range maxBuckets {
		l.allow(fmt.Sprint("a", i), 1, 1)
	}
	if l.allow("another", 1, 1) || !l.allow("p1", 1, 1) {
		t.Error("strangers keep a participant out")
	}
}

// TestRoomFull: who only joins, again and again, keeps out neither newcomers nor those who
// are there.
func TestRoomFull(t *testing.T) {
	file := filepath.Join(t.TempDir(), "room.db")
	h := opened(t, file)
	a := h.participant("A", "")
	a.ask("GET", "/api/me", "")
	h.mu.Lock()
	for id := 2; id <= maxPeople; id++ {
		h.room.people[id], h.secrets[fmt.Sprint("stranger", id)] = &person{ID: id}, id
	}
	h.nextID = maxPeople
	h.mu.Unlock()
	b := h.participant("B", "")
	if h.room.people[1] == nil || h.room.people[2] != nil || len(h.secrets) != maxPeople || len(h.room.people) != maxPeople {
		t.Errorf("%d participants, %d secrets", len(h.room.people), len(h.secrets))
	}
	for _, v := range []*visitor{a, b} {
		if status, said := v.ask("GET", "/api/me", ""); status != http.StatusOK {
			t.Errorf("%d %s", status, said)
		}
	}
	h.mu.Lock()
	for _, p := range h.room.people {
		p.came = true
	}
	h.mu.Unlock()
	if status, said := h.visitor().ask("POST", "/api/join", "{}"); status != http.StatusServiceUnavailable {
		t.Errorf("%d %s", status, said)
	}
}

// TestStoreOrder: of two choices of one participant at once, the one that counts is the one
// that is in the file.
func TestStoreOrder(t *testing.T) {
	h := opened(t, filepath.Join(t.TempDir(), "room.db"))
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
		if err := h.store.each("SELECT choice FROM answers", func(scan func(...any) error) error { return scan(&filed) }); err != nil {
			t.Fatal(err)
		}
		h.mu.Lock()
		if counts := h.room.current.answers[1]; counts != filed {
			t.Errorf("%d counts, and %d is in the file", counts, filed)
		}
		h.mu.Unlock()
	}
}

// TestStoreName: the file has the name that it was given, whatever that means in a URL.
func TestStoreName(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a?mode=memory#100%25 b.db")
	s, err := openStore(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.write(t.Context(), "INSERT INTO facts VALUES ('a', 'b')"); err != nil {
		t.Error(err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

package workshop

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"lockstep/internal/lang"
)

// A store keeps a room in an SQLite database. One goroutine writes: what waits while it
// commits is one transaction, so that the answers of a whole room take a few.
type store struct {
	db     *sql.DB
	writes chan *write
	quit   chan struct{} // closed when it is to end
	ended  chan struct{}
}

// A write is a change, and its end.
type write struct {
	statements [][]any // each with its arguments
	then       func()  // called when it is on the disk, in the order of the writes; nil for nothing
	done       chan error
}

// A room's file has roomID as its application_id, and as its user_version the number of the
// format, which tables are.
const (
	roomID     = 0x4c6f636b // Lock
	roomFormat = 1

	tables = `CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE participants (id INTEGER PRIMARY KEY, secret BLOB NOT NULL UNIQUE, name TEXT NOT NULL, team TEXT NOT NULL) STRICT;
CREATE TABLE trainers (secret BLOB PRIMARY KEY) STRICT;
CREATE TABLE polls (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, value TEXT NOT NULL) STRICT;
CREATE TABLE answers (poll TEXT NOT NULL, round INTEGER NOT NULL, participant INTEGER NOT NULL, choice INTEGER NOT NULL, PRIMARY KEY (poll, round, participant)) STRICT;
CREATE TABLE results (level TEXT NOT NULL, participant INTEGER NOT NULL, steps INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (level, participant)) STRICT;
CREATE TABLE shared (id INTEGER PRIMARY KEY, participant INTEGER NOT NULL, title TEXT NOT NULL, place TEXT NOT NULL) STRICT;
`
	// look reads the marks of a database, whether it is whole, and all that was created in it.
	look = `SELECT application_id, user_version, (SELECT quick_check FROM pragma_quick_check), (SELECT coalesce(group_concat(sql || ';' || char(10), '' ORDER BY rowid), '') FROM sqlite_schema WHERE sql IS NOT NULL)
FROM pragma_application_id, pragma_user_version`
)

// openStore opens a room's file, or makes it. A file that is something else stays as it is.
func openStore(file string) (*store, error) {
	at, err := filepath.Abs(file) // as a name, SQLite would take :memory: for something else
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(at, os.O_RDWR|os.O_CREATE, 0o600) // nobody else is to read the names
	if err == nil {
		err = f.Close() // before SQLite has locks, which a close drops
	}
	if err != nil {
		return nil, err
	}
	if at, err = filepath.EvalSymlinks(at); err != nil { // SQLite's other files are beside the file, not the link
		return nil, err
	}
	info, err := os.Stat(at)
	if err != nil || !info.Mode().IsRegular() {
		return nil, lang.Errorf("%s is not a regular file", file)
	}
	name := (&url.URL{Scheme: "file", Path: path.Join("/", filepath.ToSlash(at))}).String() // it may have a ? or a #
	how := "?mode=ro&_pragma=busy_timeout(500)"
	if _, err := os.Stat(at + "-wal"); err != nil {
		how += "&immutable=1" // makes no files beside it
	}
	var id, format int
	var sound, found, fresh string
	db, _ := sql.Open("sqlite", name+how) // the driver is there
	err = errors.Join(db.QueryRow(look).Scan(&id, &format, &sound, &found), db.Close())
	switch {
	case err != nil:
		return nil, lang.Errorf("%s is not a room of lockstep workshop, or another one has it: %w", file, err)
	case id == roomID && format != roomFormat:
		return nil, lang.Errorf("%s is a room of format %d, and this program reads format %d; use another file, or the program that made it", file, format, roomFormat)
	case id == 0 && format == 0 && found == "" && (info.Size() == 0 || info.Size() >= 512): // SQLite writes over what is shorter than a page
		fresh = tables
	case found != tables || id != roomID && (id != 0 || format != 0): // rooms of November 2026 have no marks
		return nil, lang.Errorf("%s is something else than a room of lockstep workshop, and stays as it is; use a new file, or a room", file)
	case sound != "ok":
		return nil, lang.Errorf("%s is damaged, and stays as it is: %s; use a copy of it, or a new file", file, sound)
	}
	for _, end := range []string{"-wal", "-shm"} {
		_ = os.Chmod(at+end, 0o600) // after a crash
	}
	if err := os.Chmod(at, 0o600); err != nil {
		return nil, err
	}
	db, _ = sql.Open("sqlite", name+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(500)&_pragma=locking_mode(EXCLUSIVE)")
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(fmt.Sprintf("BEGIN IMMEDIATE; %s PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", fresh, roomID, roomFormat)); err != nil {
		return nil, errors.Join(lang.Errorf("%s is not a room of lockstep workshop, or another one has it: %w", file, err), db.Close())
	}
	s := &store{db: db, writes: make(chan *write, 1024), quit: make(chan struct{}), ended: make(chan struct{})} // from now on the file is this process's alone
	go s.run()
	return s, nil
}

// mostAtOnce bounds a transaction.
const mostAtOnce = 500

func (s *store) run() {
	defer close(s.ended)
	for {
		select {
		case w := <-s.writes:
			s.settle(append([]*write{w}, s.waiting(mostAtOnce-1)...))
		case <-s.quit:
			s.settle(s.waiting(cap(s.writes)))
			return
		}
	}
}

// waiting takes at most so many writes that wait.
func (s *store) waiting(most int) (batch []*write) {
	for len(batch) < most {
		select {
		case w := <-s.writes:
			batch = append(batch, w)
		default:
			return batch
		}
	}
	return batch
}

// settle commits writes at once. If that fails, each is tried alone: one that cannot be
// written takes no other with it.
func (s *store) settle(batch []*write) {
	if len(batch) == 0 {
		return
	}
	together := s.commit(batch)
	for _, w := range batch {
		err := together
		if err != nil && len(batch) > 1 {
			err = s.commit([]*write{w})
		}
		if err == nil && w.then != nil {
			w.then()
		}
		if err != nil { // nothing counts
			err = refuse(http.StatusServiceUnavailable, "the room's file cannot be written: %v", err)
		}
		w.done <- err
	}
}

func (s *store) commit(batch []*write) error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	for _, w := range batch {
		for _, s := range w.statements {
			if _, err := tx.Exec(s[0].(string), s[1:]...); err != nil {
				return errors.Join(err, tx.Rollback())
			}
		}
	}
	return tx.Commit()
}

var errEnded = lang.Errorf("the workshop ends")

// change returns when statements have changed the file; see write for then. The end of ctx
// stops it only before its turn: afterwards the change can be on the disk, and the room has to
// follow it.
func (s *store) change(ctx context.Context, then func(), statements ...[]any) error {
	w := &write{statements: statements, then: then, done: make(chan error, 1)}
	select {
	case s.writes <- w:
	case <-s.ended:
		return errEnded
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-w.done:
		return err
	case <-s.ended:
	}
	select {
	case err := <-w.done: // both had come
		return err
	default:
		return errEnded
	}
}

// each reads rows, each into the same variables.
func (s *store) each(query string, row func(), into ...any) error {
	rows, err := s.db.Query(query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		row()
	}
	return rows.Err()
}

func (s *store) close() error {
	close(s.quit)
	<-s.ended
	return s.db.Close()
}

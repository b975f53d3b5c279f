package workshop

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"

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
	do   func(*sql.Tx) error
	then func() // called when it is on the disk, in the order of the writes; nil for nothing
	done chan error
}

// tables are made in a new database.
const tables = `
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS participants (id INTEGER PRIMARY KEY, secret BLOB NOT NULL UNIQUE, name TEXT NOT NULL, team TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS trainers (secret BLOB PRIMARY KEY) STRICT;
CREATE TABLE IF NOT EXISTS polls (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS answers (poll TEXT NOT NULL, round INTEGER NOT NULL, participant INTEGER NOT NULL, choice INTEGER NOT NULL, PRIMARY KEY (poll, round, participant)) STRICT;
CREATE TABLE IF NOT EXISTS results (level TEXT NOT NULL, participant INTEGER NOT NULL, steps INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (level, participant)) STRICT;
CREATE TABLE IF NOT EXISTS shared (id INTEGER PRIMARY KEY, participant INTEGER NOT NULL, title TEXT NOT NULL, place TEXT NOT NULL) STRICT;
`

// openStore opens a file, or makes it.
func openStore(file string) (*store, error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600) // nobody else is to read the names
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return nil, err
	}
	name := (&url.URL{Path: file}).EscapedPath() // it may have a ? or a #
	db, err := sql.Open("sqlite", "file:"+name+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(500)&_pragma=locking_mode(EXCLUSIVE)")
	if err == nil {
		db.SetMaxOpenConns(1)
		_, err = db.Exec(tables + "BEGIN IMMEDIATE; COMMIT;") // from now on it is this process's alone
	}
	if err != nil {
		if db != nil {
			_ = db.Close()
		}
		return nil, lang.Errorf("%s is no room of lockstep workshop, or another one has it: %w", file, err)
	}
	s := &store{db: db, writes: make(chan *write, 1024), quit: make(chan struct{}), ended: make(chan struct{})}
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
		w.done <- err
	}
}

func (s *store) commit(batch []*write) error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	for _, w := range batch {
		if err := w.do(tx); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// write returns when a change is on the disk.
func (s *store) write(ctx context.Context, statement string, args ...any) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec(statement, args...)
		return err
	}, nil)
}

var errEnded = lang.Errorf("the workshop ends")

// change is write with more than a statement; see write for then. The end of ctx stops it
// only before its turn: afterwards the change can be on the disk, and the room has to follow
// it.
func (s *store) change(ctx context.Context, do func(*sql.Tx) error, then func()) error {
	w := &write{do: do, then: then, done: make(chan error, 1)}
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

// each reads rows.
func (s *store) each(query string, row func(scan func(...any) error) error) error {
	rows, err := s.db.Query(query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s *store) close() error {
	close(s.quit)
	<-s.ended
	return s.db.Close()
}

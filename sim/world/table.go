//go:build !js

package world

import (
	"database/sql"

	_ "modernc.org/sqlite" // registers the driver "sqlite"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
)

// The statements are what one would write against any SQL database. Each write
// is one UPDATE that compares and changes; if no row was affected, it was
// refused. To compare in a SELECT before would leave a gap between the two.
//
// A fencing token is compared by <=, not by <. The row remembers the newest
// token that it has seen, and one holder comes with the same token more than
// once: it reads, and it writes, perhaps twice. By < it would be refused by
// what it has done itself. Nothing is lost: no two leases have the same token.
const (
	createTable = `
		CREATE TABLE resource (
			name    TEXT    NOT NULL PRIMARY KEY,
			value   INTEGER NOT NULL,
			version INTEGER NOT NULL,
			fence   INTEGER NOT NULL
		) STRICT`
	insertRow = `
		INSERT INTO resource (name, value, version, fence)
		VALUES (@name, @value, @version, @fence)`
	selectRow = `
		SELECT value, version, fence FROM resource
		WHERE name = @name`

	// A read that carries a token announces it: from now on, whoever has an
	// older one comes too late.
	announce = `
		UPDATE resource SET fence = @fence
		WHERE name = @name AND fence <= @fence`

	write = `
		UPDATE resource SET value = @value, version = version + 1
		WHERE name = @name`
	writeVersioned = `
		UPDATE resource SET value = @value, version = version + 1
		WHERE name = @name AND version = @based`
	writeFenced = `
		UPDATE resource SET value = @value, version = version + 1, fence = @fence
		WHERE name = @name AND fence <= @fence`
	writeVersionedFenced = `
		UPDATE resource SET value = @value, version = version + 1, fence = @fence
		WHERE name = @name AND version = @based AND fence <= @fence`
)

// statementFor is the one that an access needs, "" for none.
func statementFor(a *sim.Access) string {
	switch {
	case a.Op == history.ReadOp && a.Fence != 0:
		return announce
	case a.Op != history.WriteOp:
		return ""
	case a.Conditional && a.Fence != 0:
		return writeVersionedFenced
	case a.Conditional:
		return writeVersioned
	case a.Fence != 0:
		return writeFenced
	}
	return write
}

// A table keeps the resource in a row of an SQL table, in a SQLite database of
// its own that has no file.
type table struct {
	db  *sql.DB
	row string
}

func openTable(name string, first sim.ResourceState) (*table, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, lang.Errorf("store %s: %w", history.InSQL, err)
	}
	db.SetMaxOpenConns(1) // each connection would have a database of its own
	t := &table{db, name}
	if _, err = db.Exec(createTable); err == nil {
		_, err = db.Exec(insertRow, sql.Named("name", name),
			sql.Named("value", first.Value), sql.Named("version", first.Version), sql.Named("fence", first.Fence))
	}
	if err != nil {
		t.close()
		return nil, lang.Errorf("store %s: %w", history.InSQL, err)
	}
	return t, nil
}

func (t *table) close() { _ = t.db.Close() } // there is nothing to be kept

// Do is Store's. The row knows best.
func (t *table) Do(_ sim.ResourceState, a *sim.Access) (r sim.ResourceState, err error) {
	refused := false
	if statement := statementFor(a); statement != "" {
		refused, err = t.update(statement, a)
	}
	if err == nil {
		err = t.db.QueryRow(selectRow, sql.Named("name", t.row)).Scan(&r.Value, &r.Version, &r.Fence)
	}
	if err != nil {
		return r, err
	}
	if a.Op == history.ReadOp {
		a.Value = r.Value
	}
	if refused {
		a.Op = history.Refuse
	}
	a.Version = r.Version
	return r, nil
}

// update runs one of the UPDATEs. It was refused if it has found no row.
func (t *table) update(statement string, a *sim.Access) (refused bool, err error) {
	result, err := t.db.Exec(statement, sql.Named("name", t.row),
		sql.Named("value", a.Value), sql.Named("based", a.Based), sql.Named("fence", a.Fence))
	if err != nil {
		return false, err
	}
	rows, err := result.RowsAffected()
	return rows == 0, err
}

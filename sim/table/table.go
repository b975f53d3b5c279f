// Package table has the store of a resource that is a row of an SQL table. It is apart
// from package world because a test of somebody's lock, and a browser, need no database:
// to compile one takes longer than all the rest of Lockstep.
package table

import (
	"database/sql"

	_ "modernc.org/sqlite" // registers the driver "sqlite"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
)

// The statements suit any SQL database. Each write is one UPDATE that compares
// and changes; it is refused if it affects no row. A SELECT before it would
// leave a gap between the two.
//
// The statements compare fencing tokens by <=, not by <. The row remembers the
// newest token, and a holder sends its token more than once: it reads, and it
// writes, perhaps twice. With <, the holder's own access would refuse its next
// one. As long as the counter is kept, no two leases have the same token, so
// <= admits no other holder.
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

	// A read with a token announces it: from now on the row refuses older
	// tokens.
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

// statementFor returns the statement for an access, "" for none.
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

// A table keeps the resource in a row of an SQL table, in its own in-memory
// SQLite database.
type table struct {
	db  *sql.DB
	row string
}

// Open makes the table of a resource, and the function that closes it.
func Open(name string, first sim.ResourceState) (sim.Store, func(), error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, nil, lang.Errorf("store %s: %w", history.InSQL, err)
	}
	end := func() { _ = db.Close() } // nothing to keep
	db.SetMaxOpenConns(1)            // each connection would have its own database
	if _, err = db.Exec(createTable); err == nil {
		_, err = db.Exec(insertRow, sql.Named("name", name),
			sql.Named("value", first.Value), sql.Named("version", first.Version), sql.Named("fence", first.Fence))
	}
	if err != nil {
		end()
		return nil, nil, lang.Errorf("store %s: %w", history.InSQL, err)
	}
	return &table{db, name}, end, nil
}

// Do is Store's. The row is the state; the ResourceState is ignored.
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

// update runs one of the UPDATEs. It is refused if it affects no row.
func (t *table) update(statement string, a *sim.Access) (refused bool, err error) {
	result, err := t.db.Exec(statement, sql.Named("name", t.row),
		sql.Named("value", a.Value), sql.Named("based", a.Based), sql.Named("fence", a.Fence))
	if err != nil {
		return false, err
	}
	rows, err := result.RowsAffected()
	return rows == 0, err
}

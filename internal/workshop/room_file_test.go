package workshop

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// inUse makes a database of the statements, and keeps it open.
func inUse(t *testing.T, file, statements string) *sql.DB {
	t.Helper()
	db := testkit.Must(sql.Open("sqlite", file))(t)
	testkit.Must(db.Exec(statements))(t)
	return db
}

// database makes a database of the statements.
func database(t *testing.T, file, statements string) {
	t.Helper()
	testkit.OK(t, inUse(t, file, statements).Close())
}

// before is how the build before the marks made a room.
const before = `
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS participants (id INTEGER PRIMARY KEY, secret BLOB NOT NULL UNIQUE, name TEXT NOT NULL, team TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS trainers (secret BLOB PRIMARY KEY) STRICT;
CREATE TABLE IF NOT EXISTS polls (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS answers (poll TEXT NOT NULL, round INTEGER NOT NULL, participant INTEGER NOT NULL, choice INTEGER NOT NULL, PRIMARY KEY (poll, round, participant)) STRICT;
CREATE TABLE IF NOT EXISTS results (level TEXT NOT NULL, participant INTEGER NOT NULL, steps INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (level, participant)) STRICT;
CREATE TABLE IF NOT EXISTS shared (id INTEGER PRIMARY KEY, participant INTEGER NOT NULL, title TEXT NOT NULL, place TEXT NOT NULL) STRICT;
`

// TestForeignFiles: a file that is no room of this format is refused with a sentence that
// says what it is, and stays as it is, byte for byte.
func TestForeignFiles(t *testing.T) {
	room := before + fmt.Sprintf("PRAGMA application_id = %d;", roomID)
	for name, test := range map[string]struct{ statements, says string }{
		"another table":         {"CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')", "something else than a room"},
		"the name of ours":      {"CREATE TABLE participants (name)", "something else than a room"},
		"some of ours":          {"CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT", "something else than a room"},
		"ours and another":      {before + "CREATE TABLE more (x)", "something else than a room"},
		"a trigger":             {room + "PRAGMA user_version = 1; CREATE TRIGGER t AFTER INSERT ON answers BEGIN DELETE FROM participants; END", "something else than a room"},
		"a view":                {room + "PRAGMA user_version = 1; CREATE VIEW v AS SELECT 1", "something else than a room"},
		"an application":        {"PRAGMA application_id = 252006673", "something else than a room"},
		"its version":           {"PRAGMA user_version = 1", "something else than a room"},
		"ours, of another":      {before + "PRAGMA application_id = 252006673", "something else than a room"},
		"ours, with a version":  {before + "PRAGMA user_version = 99", "something else than a room"},
		"a room that is later":  {room + "PRAGMA user_version = 99", "of format 99, and this program reads format 1"},
		"a room without format": {room, "of format 0"},
		"write-ahead":           {"PRAGMA journal_mode = WAL; CREATE TABLE notes (text)", "something else than a room"},
	} {
		file := filepath.Join(t.TempDir(), "a.db")
		database(t, file, test.statements)
		stays(t, name, file, test.says)
	}
	for name, text := range map[string]string{
		"text": strings.Repeat("no database\n", 500), "one byte": "x", "cut short": "SQLite format 3\x00", "zeros": string(make([]byte, 4096)),
	} {
		file := filepath.Join(t.TempDir(), "a.db")
		testkit.OK(t, os.WriteFile(file, []byte(text), 0o644))
		stays(t, name, file, "room of lockstep workshop")
	}
	for name, poll := range map[string]string{
		"no JSON": "{", "right but no option": `{"right": 2, "said": {"en": {"options": ["a", "b"]}}}`, "right below all": `{"right": -1, "said": {"en": {"options": ["a", "b"]}}}`,
		"fewer in another language": `{"said": {"en": {"options": ["a", "b"]}, "zh": {"options": ["a"]}}}`,
	} {
		file := filepath.Join(t.TempDir(), "a.db")
		database(t, file, room+"PRAGMA user_version = 1; INSERT INTO polls VALUES (1, 'id', '"+poll+"')")
		if s, err := New(t.Context(), Options{File: file}); err == nil || !strings.Contains(err.Error(), "a poll is damaged") {
			t.Errorf("%s: %v, %v", name, s != nil, err)
		}
	}
	file := filepath.Join(t.TempDir(), "a.db")
	database(t, file, room+`PRAGMA user_version = 1; INSERT INTO polls VALUES (1, 'id', '{"id": "id", "said": {"en": {"options": ["a", "b"]}}}'); INSERT INTO answers VALUES ('id', 0, 1, -1), ('id', 0, 2, 9), ('id', 0, 3, 1)`)
	s := testkit.Must(New(t.Context(), Options{File: file}))(t)
	if got := s.room.polls[0].counts(); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("options that there are not: %v", got)
	}
	testkit.OK(t, s.Close())
	for end, says := range map[string]string{"a page of it": "is damaged", "its half": "room of lockstep workshop", "its last bytes": "is damaged"} {
		file := filepath.Join(t.TempDir(), "a.db")
		database(t, file, room+"PRAGMA user_version = 1; INSERT INTO facts VALUES ('place', 'a_late_del@3'); INSERT INTO shared VALUES (1, 1, 'title', 'place')")
		text := testkit.Must(os.ReadFile(file))(t)
		switch end {
		case "a page of it":
			copy(text[2*4096:], strings.Repeat("x", 4096))
		case "its half":
			text = text[:len(text)/2]
		default:
			text = text[:len(text)-1000]
		}
		testkit.OK(t, os.WriteFile(file, text, 0o644))
		stays(t, end+" is damaged", file, says)
	}
	stays(t, "a folder", t.TempDir(), "directory")
	stays(t, "no name", "", "directory")
	if runtime.GOOS != "windows" {
		stays(t, "a device", os.DevNull, "not a regular file")
	}
}

// stays opens what is no room.
func stays(t *testing.T, name, file, says string) {
	t.Helper()
	before, _ := os.ReadFile(file)
	mode, _ := os.Stat(file)
	s, err := openStore(file)
	if err == nil {
		_ = s.close()
	}
	if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), file) {
		t.Errorf("%s: %v, want %q", name, err, says)
	}
	after, _ := os.ReadFile(file)
	now, _ := os.Stat(file)
	if string(before) != string(after) || mode != nil && mode.Mode() != now.Mode() {
		t.Errorf("%s was changed", name)
	}
	if beside, _ := filepath.Glob(file + "-*"); len(beside) > 0 && file != "" {
		t.Errorf("%s: %q is left", name, beside)
	}
}

// TestForeignCrash: not even what a crash has left beside another program's database is
// taken into it.
func TestForeignCrash(t *testing.T) {
	dir := t.TempDir()
	live := filepath.Join(dir, "live.db")
	db := inUse(t, live, "PRAGMA journal_mode = WAL; CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')")
	defer func() { _ = db.Close() }()
	file := filepath.Join(dir, "a.db")
	kept := crashed(t, live, file)
	if _, err := openStore(file); err == nil || !strings.Contains(err.Error(), "something else than a room") {
		t.Errorf("%v", err)
	}
	for end, want := range kept {
		if got, err := os.ReadFile(file + end); err != nil || string(got) != want {
			t.Errorf("%q was changed: %v", end, err)
		}
	}
}

// TestLinkedRoom: a room that a link leads to is found again after kill -9, and another
// program's database stays as it is, although SQLite keeps what is new beside the file.
func TestLinkedRoom(t *testing.T) {
	for name, made := range map[string]string{"a room": before + fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = 1;", roomID), "another": "CREATE TABLE notes (text);"} {
		dir := t.TempDir()
		live, file, link := filepath.Join(dir, "live.db"), filepath.Join(t.TempDir(), "a.db"), filepath.Join(dir, "link.db")
		db := inUse(t, live, "PRAGMA journal_mode = WAL;"+made)
		crashed(t, live, file)
		if err := errors.Join(db.Close(), os.Symlink(file, link)); err != nil {
			t.Skip(err) // Windows asks for a right
		}
		s, err := openStore(link)
		if name == "a room" {
			testkit.OK(t, err)
			testkit.OK(t, s.close())
		} else if err == nil || !strings.Contains(err.Error(), "something else than a room") {
			t.Errorf("%v", err)
		}
	}
}

// crashed copies a database in use as kill -9 leaves it, and returns what is in its files.
func crashed(t *testing.T, live, file string) map[string]string {
	t.Helper()
	kept := map[string]string{}
	for _, end := range []string{"", "-wal"} {
		text, err := os.ReadFile(live + end)
		if err == nil {
			err = os.WriteFile(file+end, text, 0o644)
		}
		if err != nil || len(text) == 0 {
			t.Fatalf("%s: %d bytes, %v", end, len(text), err)
		}
		kept[end] = string(text)
	}
	return kept
}

// TestOldRoom: a room of the build before rooms had marks opens with all that is in it, also
// after kill -9, and has the marks then.
func TestOldRoom(t *testing.T) {
	dir := t.TempDir()
	live, file := filepath.Join(dir, "live.db"), filepath.Join(dir, "a.db")
	db := inUse(t, live, "PRAGMA journal_mode = WAL;"+before+"INSERT INTO facts VALUES ('place', 'a_late_del@3')")
	crashed(t, live, file)
	testkit.OK(t, db.Close())
	for range 2 {
		h := opened(t, file)
		if h.kept["place"] != "a_late_del@3" {
			t.Errorf("it is at %q", h.kept)
		}
		all, _ := filepath.Glob(file + "*") // with -wal, and after a crash -shm
		for _, name := range all {
			if info, err := os.Stat(name); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
		}
		id, format := 0, 0
		if err := h.store.db.QueryRow("SELECT application_id, user_version FROM pragma_application_id, pragma_user_version").Scan(&id, &format); err != nil || id != roomID || format != roomFormat {
			t.Errorf("%x, %d, %v", id, format, err)
		}
		h.shut()
	}
}

// TestRoomNames: what SQLite takes for something else than a file is a file here.
func TestRoomNames(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{":memory:", "file:x.db?mode=memory", "a?mode=memory#100%25 b.db", "锁.db"} {
		if runtime.GOOS == "windows" && strings.ContainsAny(name, ":?") {
			continue
		}
		for range 2 {
			s, err := openStore(name)
			if err != nil {
				t.Fatalf("%q: %v", name, err)
			}
			testkit.OK(t, s.close())
		}
		if info, err := os.Stat(name); err != nil || info.Size() == 0 || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%q: %v, %v", name, info, err)
		}
	}
}

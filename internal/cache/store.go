package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"lockstep/internal/lang"
)

// A Key names an answer: the hash of all that it depends on.
type Key string

// KeyOf hashes texts, each by itself: that one ends where another begins makes
// a difference.
func KeyOf(texts ...string) Key {
	h := sha256.New()
	for _, text := range texts {
		_, _ = fmt.Fprintf(h, "%d %s", len(text), text) // writing to a hash cannot fail
	}
	return Key(hex.EncodeToString(h.Sum(nil)))
}

// SumOf hashes a value as JSON; "" if it cannot be written so.
func SumOf(value any) Key {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return KeyOf(string(text))
}

// The bounds of a store.
const (
	MaxBytes   = 512 << 20
	MaxEntries = 20_000
	MaxUnused  = 30 * 24 * time.Hour
	maxEntry   = 3 << 20 // bytes
)

// A Store is a folder of entries, one file each. A nil Store has none and keeps none.
type Store struct {
	Fresh bool // nothing is found, and all is kept anew

	dir     string
	now     func() time.Time
	trimmed atomic.Bool // since this process began
}

// Open returns the store in a folder, which need not exist yet.
func Open(dir string) *Store { return &Store{dir: dir, now: time.Now} }

// Dir is the store's folder; "" of a nil store.
func (s *Store) Dir() string {
	if s == nil {
		return ""
	}
	return s.dir
}

// An entry is an answer in a file, which is this as JSON.
type entry struct {
	Key    Key
	At     time.Time // when it was kept
	Read   Read
	Answer Answer
	Sum    Key // of the rest, so that no part of an entry is read as one
}

func (e entry) sum() Key {
	e.Sum = ""
	return SumOf(e)
}

// ours begins the names of all files: other programs too name theirs by hashes.
const ours = "lockstep-entry-"

func (s *Store) file(k Key) string { return filepath.Join(s.dir, ours+string(k)) }

// get returns an entry. One that cannot be read, or not as it was written, or that holds no
// more, is none.
func (s *Store) get(k Key) (e entry, ok bool) {
	if s == nil || s.Fresh {
		return e, false
	}
	info, err := os.Lstat(s.file(k))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxEntry { // to open a pipe can take for ever
		return e, false
	}
	text, err := os.ReadFile(s.file(k))
	if err != nil || json.Unmarshal(text, &e) != nil || e.Key != k || e.Sum == "" || e.Sum != e.sum() || e.Read.Over() {
		return e, false
	}
	if s.now().Sub(info.ModTime()) > time.Hour { // used, for Trim
		_ = os.Chtimes(s.file(k), time.Time{}, s.now()) // in a folder that is only read, it ages
	}
	return e, true
}

// put stores an answer in place of the one there was. The error is for tests: nothing
// depends on the store.
func (s *Store) put(k Key, r Read, a Answer) error {
	if s == nil {
		return nil
	}
	e := entry{Key: k, At: s.now().Round(0), Read: r, Answer: a}
	e.Sum = e.sum()
	text, err := json.Marshal(e)
	if err = errors.Join(err, os.MkdirAll(s.dir, 0o700)); err != nil || len(text) > maxEntry {
		return err
	}
	f, err := os.CreateTemp(s.dir, unfinished+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), s.file(k))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if !s.trimmed.Swap(true) {
		_ = s.Trim()
	}
	return nil
}

// unfinished begins the name of an entry while it is written.
const unfinished = ours + "unfinished-"

// remove removes an entry, if it is there.
func (s *Store) remove(k Key) {
	if s != nil {
		_ = os.Remove(s.file(k)) // what cannot be removed was not written here
	}
}

// A file is one of the store.
type file struct {
	path string
	size int64
	used time.Time
}

// files lists what is the store's own, also what was never finished.
func (s *Store) files() (list []file, err error) {
	if s == nil {
		return nil, nil
	}
	all, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, f := range all {
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() && strings.HasPrefix(f.Name(), ours) {
			list = append(list, file{filepath.Join(s.dir, f.Name()), info.Size(), info.ModTime()})
		}
	}
	return list, err
}

// Size returns how many entries there are and how many bytes they take.
func (s *Store) Size() (entries int, size int64, err error) {
	list, err := s.files()
	for _, f := range list {
		size += f.size
	}
	return len(list), size, err
}

// Clean removes all entries, and nothing else.
func (s *Store) Clean() (removed int, err error) {
	list, err := s.files()
	gone, failed := removeAll(list)
	return gone, errors.Join(err, failed)
}

func removeAll(list []file) (removed int, err error) {
	for _, f := range list {
		if gone := os.Remove(f.path); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
			continue
		}
		removed++
	}
	return removed, err
}

// Trim removes what nobody has used for long, and of the rest what was used longest
// ago, until the store is within its bounds.
func (s *Store) Trim() error { return s.trim(MaxEntries, MaxBytes) }

func (s *Store) trim(most int, bytes int64) error {
	list, err := s.files()
	slices.SortFunc(list, func(a, b file) int { return b.used.Compare(a.used) })
	kept, size := 0, int64(0)
	_, failed := removeAll(slices.DeleteFunc(list, func(f file) bool {
		old := MaxUnused
		if strings.HasPrefix(filepath.Base(f.path), unfinished) {
			old = time.Hour // nobody writes it any more
		}
		keeps := s.now().Sub(f.used) <= old && kept < most && size+f.size <= bytes
		if keeps {
			kept++
			size += f.size
		}
		return keeps
	}))
	return errors.Join(err, failed)
}

// Env is the variable that moves the cache, or switches it off.
const Env = "LOCKSTEP_CACHE"

// Usual returns the user's store: in the folder that LOCKSTEP_CACHE names, or else in
// lockstep in the system's folder for caches; nil if the variable is off, or there is
// no such folder.
func Usual() (*Store, error) {
	switch dir := os.Getenv(Env); {
	case dir == "off":
		return nil, nil
	case dir == "":
		usual, err := os.UserCacheDir()
		if err != nil {
			return nil, nil // as in a container without a home
		}
		return Open(filepath.Join(usual, "lockstep")), nil
	case !filepath.IsAbs(dir):
		return nil, lang.Errorf("%s: %q; use off, or a folder by its whole path", Env, dir)
	default:
		return Open(dir), nil
	}
}

// Beside returns the folder of the user's store, also if that is off: what is kept there
// beside it is no answer.
func Beside() (string, error) {
	store, err := Usual()
	if store != nil || err != nil {
		return store.Dir(), err
	}
	usual, err := os.UserCacheDir()
	if err != nil {
		return "", lang.Errorf("there is no folder for caches, in which Lockstep's source would be: let %s name one", Env)
	}
	return filepath.Join(usual, "lockstep"), nil
}

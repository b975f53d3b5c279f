package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"lockstep/internal/lang"
)

// A Key names an entry: the hash of all that its value depends on.
type Key [sha256.Size]byte

// KeyOf hashes texts, each by itself: that one ends where another begins makes
// a difference.
func KeyOf(texts ...string) (k Key) {
	h := sha256.New()
	for _, text := range texts {
		_ = binary.Write(h, binary.BigEndian, uint64(len(text))) // writing to a hash cannot fail
		_, _ = io.WriteString(h, text)
	}
	h.Sum(k[:0])
	return k
}

func (k Key) String() string { return hex.EncodeToString(k[:]) }

// The bounds of a store.
const (
	MaxBytes   = 512 << 20
	MaxEntries = 20_000
	MaxUnused  = 30 * 24 * time.Hour
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

// An entry is a file: the mark, the key, when it was stored, the value, and the hash
// of all that. So no part of an entry, no entry of another version and no file under
// another entry's name is read as one.
var mark = []byte("lockstep cache 1\n")

const (
	headSize = len("lockstep cache 1\n") + sha256.Size + 8
	extra    = headSize + sha256.Size // of a file, beyond its value
)

// ours begins the names of all files: other programs too name theirs by hashes.
const ours = "lockstep-entry-"

func (s *Store) file(k Key) string { return filepath.Join(s.dir, ours+k.String()) }

// Get returns a value of at most so many bytes and when it was stored. An entry that
// cannot be read, or not as it was written, is none.
func (s *Store) Get(k Key, most int64) (value []byte, at time.Time, ok bool) {
	if s == nil || s.Fresh {
		return nil, at, false
	}
	info, err := os.Lstat(s.file(k))
	if err != nil || !info.Mode().IsRegular() || info.Size()-int64(extra) > most { // to open a pipe can take for ever
		return nil, at, false
	}
	text, err := os.ReadFile(s.file(k))
	end := len(text) - sha256.Size
	if err != nil || end < headSize {
		return nil, at, false
	}
	at = time.Unix(int64(binary.BigEndian.Uint64(text[headSize-8:])), 0)
	value = text[headSize:end]
	if !bytes.Equal(text, entryOf(k, at, value)) {
		return nil, at, false
	}
	if s.now().Sub(info.ModTime()) > time.Hour { // used, for Trim
		_ = os.Chtimes(s.file(k), time.Time{}, s.now()) // in a folder that is only read, it ages
	}
	return value, at, true
}

// Put stores a value in place of the one there was. The error is for tests and for
// whoever wants to know: nothing depends on the store.
func (s *Store) Put(k Key, value []byte) error {
	if s == nil {
		return nil
	}
	err := os.MkdirAll(s.dir, 0o700)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(s.dir, unfinished+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(entryOf(k, s.now(), value))
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

// entryOf is the file of an entry.
func entryOf(k Key, at time.Time, value []byte) []byte {
	text := slices.Concat(mark, k[:], binary.BigEndian.AppendUint64(nil, uint64(at.Unix())), value)
	sum := sha256.Sum256(text)
	return append(text, sum[:]...)
}

// Remove removes an entry, if it is there.
func (s *Store) Remove(k Key) {
	if s != nil {
		_ = os.Remove(s.file(k)) // what cannot be removed was not written here
	}
}

// An entry is a file of the store.
type entry struct {
	path string
	size int64
	used time.Time
}

// entries lists what is the store's own, also what was never finished.
func (s *Store) entries() (list []entry, err error) {
	if s == nil {
		return nil, nil
	}
	files, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, file := range files {
		if info, err := file.Info(); err == nil && info.Mode().IsRegular() && strings.HasPrefix(file.Name(), ours) {
			list = append(list, entry{filepath.Join(s.dir, file.Name()), info.Size(), info.ModTime()})
		}
	}
	return list, err
}

// Size returns how many entries there are and how many bytes they take.
func (s *Store) Size() (entries int, size int64, err error) {
	list, err := s.entries()
	for _, e := range list {
		size += e.size
	}
	return len(list), size, err
}

// Clean removes all entries, and nothing else.
func (s *Store) Clean() (removed int, err error) {
	list, err := s.entries()
	for _, e := range list {
		if gone := os.Remove(e.path); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
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
	list, err := s.entries()
	slices.SortFunc(list, func(a, b entry) int { return b.used.Compare(a.used) })
	kept, size := 0, int64(0)
	for _, e := range list {
		old := MaxUnused
		if strings.HasPrefix(filepath.Base(e.path), unfinished) {
			old = time.Hour // nobody writes it any more
		}
		if s.now().Sub(e.used) <= old && kept < most && size+e.size <= bytes {
			kept++
			size += e.size
			continue
		}
		if gone := os.Remove(e.path); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
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

package live

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/lang"
)

// A Target is a database of a server and the login.
type Target struct {
	network, address string
	user, password   string
	db               int
	source           string // where a password outside the address comes from; see WithPassword
}

// String returns the address without its password. It hides everything before
// an @, which may come from a mistyped address even in a socket's path.
func (t Target) String() string {
	if at := strings.LastIndex(t.address, "@"); at >= 0 {
		return "***" + t.address[at:]
	}
	return t.address
}

// Format formats a target like String, for any verb.
func (t Target) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(t.String())) }

// HasPassword reports whether the target has a password.
func (t Target) HasPassword() bool { return t.password != "" }

// WithPassword returns the target with a password from elsewhere, and the
// source of it for messages.
func (t Target) WithPassword(password, source string) Target {
	t.password, t.source = password, source
	return t
}

// url returns the address of a TCP target as Parse reads it.
func (t Target) url() string {
	u := url.URL{Scheme: "redis", Host: t.address, Path: "/" + strconv.Itoa(t.db)}
	if t.user != "" || t.password != "" {
		u.User = url.UserPassword(t.user, t.password)
	}
	return u.String()
}

// Parse parses host:port, redis://user@host:port/db, or the path of a unix socket: an
// absolute path, or unix://user@/path?db=N. Any part of a mistyped address may be a
// password, so the error quotes nothing.
func Parse(text string) (Target, error) {
	_, _, isURL := strings.Cut(text, "://")
	switch {
	case strings.HasPrefix(text, "/"):
		return Target{network: "unix", address: text}, nil
	case text != "" && !isURL:
		text = "redis://" + text
	}
	o, err := redis.ParseURL(text)
	if err != nil || o.TLSConfig != nil || strings.Contains(text, "#") || twoDatabases(text) {
		return Target{}, lang.Errorf("the address is not one of host:port, redis://user@host:port/db, /path/of/a.sock and unix://user@/path/of/a.sock?db=N")
	}
	return Target{network: o.Network, address: o.Addr, user: o.Username, password: o.Password, db: o.DB}, nil
}

// twoDatabases reports whether an address names one in its path and one behind it.
func twoDatabases(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "redis" && strings.Trim(u.Path, "/") != "" && u.Query().Has("db")
}

package live

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"lockstep/internal/lang"
)

// A Target is the address of a server and its login.
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

// Parse parses host:port, redis://user:password@host:port/db, or the path of a
// unix socket: an absolute path, unix://path, or unix://user:password@/path.
// Any part of a mistyped address may be a password, so the error names the
// mistake and quotes nothing.
func Parse(text string) (Target, error) {
	t, err := parse(text)
	if err != nil {
		return Target{}, lang.Errorf("%w; use host:port, redis://user:password@host:port/db or /path/of/a.sock", err)
	}
	return t, nil
}

func parse(text string) (Target, error) {
	scheme, rest, isURL := strings.Cut(text, "://")
	switch {
	case text == "":
		return Target{}, lang.Errorf("the address is empty")
	case strings.HasPrefix(text, "/"):
		return Target{network: "unix", address: text}, nil
	case !isURL:
		return Target{network: "tcp", address: text}, checkHostPort(text)
	case scheme == "unix":
		return parseSocket(text, rest)
	case scheme == "redis":
		return parseURL(text)
	case scheme == "rediss":
		return Target{}, lang.Errorf("the address asks for TLS, which is not spoken here")
	}
	return Target{}, lang.Errorf("the scheme of the address is neither redis nor unix")
}

// parseURL parses redis://user:password@host:port/db.
func parseURL(text string) (Target, error) {
	u, err := url.Parse(text)
	if err != nil { // the error would show a password
		return Target{}, lang.Errorf("the address is no URL")
	}
	if u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		return Target{}, lang.Errorf("the address is not complete, or has more than user, password, host, port and db")
	}
	t := Target{network: "tcp", address: u.Host, user: u.User.Username()}
	if u.Port() == "" {
		t.address = net.JoinHostPort(u.Hostname(), "6379")
	}
	t.password, _ = u.User.Password()
	if db := strings.Trim(u.Path, "/"); db != "" {
		if t.db, err = strconv.Atoi(db); err != nil || t.db < 0 {
			return Target{}, lang.Errorf("what follows the host in the address is no number of a database")
		}
	}
	return t, checkHostPort(t.address)
}

// parseSocket parses what follows unix://: a plain path, unless user and
// password precede it.
func parseSocket(text, path string) (Target, error) {
	if path == "" {
		return Target{}, lang.Errorf("the address is empty")
	}
	if strings.HasPrefix(path, "/") || !strings.Contains(path, "@") {
		return Target{network: "unix", address: path}, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host != "" || u.Path == "" || u.RawQuery != "" || u.Fragment != "" {
		return Target{}, lang.Errorf("the address is no URL of a unix socket: after user:password@ the path begins with a /")
	}
	t := Target{network: "unix", address: u.Path, user: u.User.Username()}
	t.password, _ = u.User.Password()
	return t, nil
}

func checkHostPort(s string) error {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return lang.Errorf("the address is no host:port")
	}
	if n, err := strconv.Atoi(port); host == "" || strings.ContainsAny(host, "@/?#") || err != nil || n < 1 || n > 65535 {
		return lang.Errorf("the address has no host, or no port between 1 and 65535")
	}
	return nil
}

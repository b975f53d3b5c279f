package live

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// A Target says where a server is and how to log in.
type Target struct {
	network, address string
	user, password   string
	db               int
}

// String names the server, without its password.
func (t Target) String() string { return t.address }

// url writes a target of the network as Parse reads it.
func (t Target) url() string {
	u := url.URL{Scheme: "redis", Host: t.address, Path: "/" + strconv.Itoa(t.db)}
	if t.user != "" || t.password != "" {
		u.User = url.UserPassword(t.user, t.password)
	}
	return u.String()
}

// Parse reads host:port, redis://user:password@host:port/db, or the path of a
// unix socket: an absolute one, unix://path, or unix://user:password@/path.
func Parse(text string) (Target, error) {
	fail := func(why string) (Target, error) {
		return Target{}, fmt.Errorf("%s; host:port, redis://user:password@host:port/db or /path/of/a.sock would fit", why)
	}
	switch {
	case text == "" || text == "unix://":
		return fail("the address is empty")
	case strings.HasPrefix(text, "/"):
		return Target{network: "unix", address: text}, nil
	case strings.HasPrefix(text, "unix://"):
		t, why := parseSocket(text)
		if why != "" {
			return fail(why)
		}
		return t, nil
	case !strings.Contains(text, "://"):
		if why := checkHostPort(text); why != "" {
			return fail(fmt.Sprintf("%q: %s", text, why))
		}
		return Target{network: "tcp", address: text}, nil
	}
	t, why := parseURL(text)
	if why != "" {
		return fail(why)
	}
	return t, nil
}

// parseURL reads redis://user:password@host:port/db.
func parseURL(text string) (t Target, why string) {
	u, err := url.Parse(text)
	if err != nil { // the error would show a password
		return t, "the address is no URL"
	}
	if u.Scheme != "redis" {
		return t, fmt.Sprintf("%q: the scheme is not redis", u.Scheme)
	}
	t = Target{network: "tcp", address: u.Host}
	if u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		return t, "the address is not complete, or has more than user, password, host, port and db"
	}
	if u.Port() == "" {
		t.address = net.JoinHostPort(u.Hostname(), "6379")
	}
	if why := checkHostPort(t.address); why != "" {
		return t, fmt.Sprintf("%q: %s", t.address, why)
	}
	t.user = u.User.Username()
	t.password, _ = u.User.Password()
	if db := strings.Trim(u.Path, "/"); db != "" {
		if t.db, err = strconv.Atoi(db); err != nil || t.db < 0 {
			return t, fmt.Sprintf("%q is no number of a database", db)
		}
	}
	return t, ""
}

// parseSocket reads a unix socket's URL. Its path is taken as it stands, unless
// a password is before it, which must not be shown as a part of the path.
func parseSocket(text string) (t Target, why string) {
	path := strings.TrimPrefix(text, "unix://")
	if !strings.Contains(path, "@/") {
		return Target{network: "unix", address: path}, ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Host != "" || u.RawQuery != "" || u.Fragment != "" {
		return t, "the address is no URL of a unix socket"
	}
	t = Target{network: "unix", address: u.Path, user: u.User.Username()}
	t.password, _ = u.User.Password()
	return t, ""
}

func checkHostPort(s string) string {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return "no host:port"
	}
	if n, err := strconv.Atoi(port); host == "" || err != nil || n < 1 || n > 65535 {
		return "no host, or no port between 1 and 65535"
	}
	return ""
}

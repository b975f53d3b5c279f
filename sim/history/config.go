package history

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
)

// Config says what a world consists of. Its text form is the argument list of
// a story's "world" line.
type Config struct {
	Strategy string   // id of the lock
	Clients  []string // names, in order
	TTL      Millis   // of a lease
	Wait     Millis   // how long a client keeps trying to acquire; 0 is one attempt
	Poll     Millis   // between a client's attempts, where the lock itself does not poll
	Work     Millis   // how long the guarded work takes, on the client's clock
	Rounds   int      // how often each client acquires, works and releases
	Nest     int      // how many times the holder acquires before it works: 2 is re-entry
	Timeout  Millis   // after which a client stops waiting for a reply
	Retries  int      // go-redis's own retries after a failed command; 0 is none
	Nodes    int      // of a lock that uses several; 0 is as many as it is written for
	Lag      int      // how many writes the replica of a node may have missed when it is promoted
	Resource string   // what the lock guards: stock, task or cache
	Stock    int64    // how many items there are to sell
	Store    string   // where the resource is kept: memory or sql; it makes no difference to what happens
	Delay    string   // where a lock's own code draws one: drawn, shortest or longest
	Process  string   // own: each client is a process; shared: they are goroutines of one
	Scripts  string   // none: no node knows a script at the start; known: those of the lock, as after an earlier run
	LockKey  string   // the lock's key in Redis, where it makes its own; "" is lock: and the resource
}

// Default is the configuration from which a world line departs.
func Default() Config {
	return Config{
		Clients: []string{"A", "B"}, TTL: 5 * Second, Poll: 100 * Millisecond, Rounds: 1, Nest: 1,
		Timeout: Second, Resource: "stock", Stock: 1, Store: InMemory, Delay: Drawn, Process: Own, Scripts: NoScripts,
	}
}

// Silence is for how long the client of ZooKeeper waits for an answer to its pings, before it ends
// its connection: two thirds of a session's timeout, as its library does. It is 0 on Redis: for ever.
func (c Config) Silence() Millis {
	if StoreOf(c.Key()) != "ZooKeeper" {
		return 0
	}
	return c.TTL * 2 / 3
}

// How long a lock waits whose code draws that at random.
const (
	Drawn    = "drawn"
	Shortest = "shortest"
	Longest  = "longest"
)

// Which scripts nodes know at the start.
const (
	NoScripts    = "none"
	KnownScripts = "known"
)

// What clients are.
const (
	Own    = "own"    // processes
	Shared = "shared" // goroutines of one process, which has the name of the first
)

// Processes are the names of the processes.
func (c Config) Processes() []string {
	if c.Process == Shared {
		return c.Clients[:1]
	}
	return c.Clients
}

// Resources lists what a lock can guard.
func Resources() []string {
	return []string{"stock", "task", "cache"}
}

// The stores that can keep a resource.
const (
	InMemory = "memory"
	InSQL    = "sql"
)

// Key is the name of the lock in Redis.
func (c Config) Key() string { return cmp.Or(c.LockKey, "lock:"+c.Resource) }

// A field is a setting of a configuration.
type field struct {
	name  string
	write func() string
	read  func(string) error
}

// fields is the one list of what a world line may say, in the order in which
// it is written.
func (c *Config) fields() []field {
	return []field{
		{"strategy", func() string { return c.Strategy }, func(s string) error {
			c.Strategy = s
			return checkID(s)
		}},
		{"clients", func() string { return strings.Join(c.Clients, ",") }, func(s string) error {
			c.Clients = strings.Split(s, ",")
			return checkClients(c.Clients)
		}},
		millis("ttl", 1, &c.TTL),
		millis("wait", 0, &c.Wait),
		millis("poll", 1, &c.Poll),
		millis("work", 0, &c.Work),
		number("rounds", 1, 100, &c.Rounds),
		number("nest", 1, 8, &c.Nest),
		millis("timeout", 1, &c.Timeout),
		number("retries", 0, 10, &c.Retries),
		number("nodes", 0, MaxNodes, &c.Nodes),
		number("lag", 0, MaxLag, &c.Lag),
		oneOf("resource", Resources(), &c.Resource),
		number("stock", 1, 1_000_000, &c.Stock),
		oneOf("store", []string{InMemory, InSQL}, &c.Store),
		oneOf("delay", []string{Drawn, Shortest, Longest}, &c.Delay),
		oneOf("process", []string{Own, Shared}, &c.Process),
		oneOf("scripts", []string{NoScripts, KnownScripts}, &c.Scripts),
		{"key", func() string { return c.LockKey }, func(s string) error {
			c.LockKey = s
			return checkKey(s)
		}},
	}
}

func oneOf(name string, words []string, at *string) field {
	return field{name, func() string { return *at }, func(s string) error {
		*at = s
		if !slices.Contains(words, s) {
			return lang.Errorf("%q is no %s; %s", s, name, lang.Fit(s, words))
		}
		return nil
	}}
}

func millis(name string, least Millis, at *Millis) field {
	return field{name, func() string { return at.String() }, func(s string) error {
		m, err := ParseMillis(s)
		if err == nil && m < least {
			err = lang.Errorf("%q is too short; at least %v fits", s, least)
		}
		*at = m
		return err
	}}
}

func number[N int | int64](name string, least, most N, at *N) field {
	return field{name, func() string { return strconv.FormatInt(int64(*at), 10) }, func(s string) error {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < int64(least) || n > int64(most) {
			return lang.Errorf("%q is not a number between %d and %d", s, least, most)
		}
		*at = N(n)
		return nil
	}}
}

// String writes what differs from Default, always with strategy and clients.
func (c Config) String() string {
	var words []string
	usual := Default()
	omitted := usual.fields()
	for i, f := range c.fields() {
		if text := f.write(); i < 2 || text != omitted[i].write() {
			words = append(words, f.name+"="+text)
		}
	}
	return strings.Join(words, " ")
}

// Set changes one field from its text, as a world line has it.
func (c *Config) Set(name, value string) error {
	for _, f := range c.fields() {
		if f.name == name {
			if err := f.read(value); err != nil {
				return lang.Errorf("%s: %w", name, err)
			}
			return nil
		}
	}
	return lang.Errorf("a world has no %q; %s", name, lang.Fit(name, Settings()))
}

// Settings are the names of what a configuration says.
func Settings() (names []string) {
	for _, f := range new(Config).fields() {
		names = append(names, f.name)
	}
	return names
}

// ParseConfig reads what String wrote.
func ParseConfig(text string) (Config, error) {
	c := Default()
	for _, word := range strings.Fields(text) {
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			return Config{}, lang.Errorf("%q is not of the form name=value", word)
		}
		if err := c.Set(name, value); err != nil {
			return Config{}, err
		}
	}
	return c, c.Check()
}

// Check says what makes c unusable, if anything does.
func (c Config) Check() error {
	for _, f := range c.fields() {
		if err := f.read(f.write()); err != nil {
			return lang.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

func checkID(s string) error {
	if s == "" || len(s) > 40 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return lang.Errorf("%q is not a lock's id; ids look like set-lua", s)
	}
	return nil
}

func checkKey(s string) error {
	if len(s) > 200 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return lang.Errorf("%q is not a key; use up to 200 printable characters without a space", s)
	}
	return nil
}

func checkName(s string) error {
	if s == "" || len(s) > 12 || s[0] < 'A' || s[0] > 'Z' {
		return lang.Errorf("%q is not a client's name; names look like A or Worker1", s)
	}
	for _, r := range s {
		if (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return lang.Errorf("%q is not a client's name; use letters and digits", s)
		}
	}
	return nil
}

// MaxClients is how many clients a world has at most.
const MaxClients = 30

func checkClients(names []string) error {
	if len(names) > MaxClients {
		return lang.Errorf("%d clients are too many; use at most %d", len(names), MaxClients)
	}
	for i, name := range names {
		if err := checkName(name); err != nil {
			return err
		}
		if slices.Contains(names[:i], name) {
			return lang.Errorf("client %s is named twice", name)
		}
	}
	return nil
}

// Command crowd is a class for lockstep workshop: participants who join, follow, answer
// and lose the network, and a stranger who does harm. It starts the server itself, kills
// it in the middle, and prints what it has measured.
//
//	go run -C tools ./crowd
//	go run -C tools ./crowd --people 20 --away 2s
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/internal/gotool"
)

type options struct {
	people  int
	steps   int
	away    time.Duration
	hostile int // requests a second
	held    int // connections that the stranger holds
	program string
	out     io.Writer
}

func main() {
	o := options{out: os.Stdout}
	flag.IntVar(&o.people, "people", 300, "participants")
	flag.IntVar(&o.steps, "steps", 60, "keys of the trainer in each phase")
	flag.DurationVar(&o.away, "away", time.Minute, "how long half of the participants have no network")
	flag.IntVar(&o.hostile, "hostile", 1000, "requests a second from a stranger")
	flag.IntVar(&o.held, "held", 4500, "connections that the stranger holds, and opens again when they are closed; the server takes 4000 in all")
	flag.StringVar(&o.program, "program", "", "the program lockstep; it is built if none is given")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "crowd:", err)
		os.Exit(1)
	}
}

// story is what the trainer shows: it asks questions.
const story = "del_removes_the_next_holders_lock"

func run(ctx context.Context, o options) error {
	temp, err := os.MkdirTemp("", "lockstep-crowd-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	if o.program == "" {
		o.program = filepath.Join(temp, "lockstep")
		root, err := gotool.Run(ctx, "", nil, "list", "-m", "-f", "{{.Dir}}", "lockstep")
		if err == nil {
			_, err = gotool.Run(ctx, strings.TrimSpace(string(root)), nil, "build", "-o", o.program, ".")
		}
		if err != nil {
			return fmt.Errorf("go build: %w", err)
		}
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	s := &server{program: o.program, listen: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), room: filepath.Join(temp, "room.db")}
	if err := s.start(ctx); err != nil {
		return err
	}
	defer s.kill()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := newClass(s, o)
	defer c.end()
	for _, phase := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"join", c.join},
		{"follow", c.follow},
		{"poll", func(ctx context.Context) error { return c.poll(ctx, nil) }},
		{"kill -9 in a poll", c.killed},
		{"half without a network", c.away},
		{"a stranger beside", func(ctx context.Context) error { return c.stranger(ctx, "127.0.0.2") }},
		{"a stranger among them", func(ctx context.Context) error { return c.stranger(ctx, "127.0.0.1") }},
		{"a full room", c.full},
	} {
		began := time.Now()
		said, err := c.phase(ctx, phase.do)
		if err != nil {
			return fmt.Errorf("%s: %w", phase.name, err)
		}
		fmt.Fprintf(o.out, "%-24s %6.1fs  %s\n", phase.name, time.Since(began).Seconds(), said)
	}
	fmt.Fprintf(o.out, "%-24s          %s\n", "memory of the server", s.memory())
	return nil
}

// A server is lockstep workshop as a process.
type server struct {
	program, listen, room string
	cmd                   *exec.Cmd
	trainer               string // the link
	most                  int    // KiB, of the processes before
}

func (s *server) url(path string) string { return "http://" + s.listen + path }

var trainerLine = regexp.MustCompile(`Trainer: (\S+)`)

func (s *server) start(ctx context.Context) error {
	s.cmd = exec.CommandContext(ctx, s.program, "workshop", "--listen", s.listen, "--room", s.room)
	s.cmd.Env = append(os.Environ(), "GOMEMLIMIT=900MiB")
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := trainerLine.FindStringSubmatch(lines.Text()); m != nil {
			s.trainer = m[1]
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return nil
		}
	}
	return fmt.Errorf("the server has not said where it is: %w", lines.Err())
}

func (s *server) kill() {
	s.most = max(s.most, s.peak())
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

var peakLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peak is the greatest resident memory of the process so far in KiB; 0 without /proc.
func (s *server) peak() int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	m := peakLine.FindSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n
}

func (s *server) memory() string { return fmt.Sprintf("%d MiB at most", max(s.most, s.peak())>>10) }

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// A class is the participants and their trainer.
type class struct {
	*server
	options
	client *http.Client
	key    *http.Cookie // the trainer's
	people []*person
	said   []string
}

// A person is a participant: it holds a stream and comes back when that ends.
type person struct {
	*class
	cookie *http.Cookie
	choice int

	mu      sync.Mutex
	online  bool
	cut     int  // how often a stream has ended while it had a network
	offline bool // it has no network
	at      int
	poll    poll
	changed chan struct{} // closed when something has changed, and replaced
	cancel  context.CancelFunc
	done    chan struct{}
}

type poll struct {
	ID     string `json:"id"`
	Round  int    `json:"round"`
	State  string `json:"state"`
	Counts []int  `json:"counts"`
	Mine   *int   `json:"mine"`
}

func newClass(s *server, o options) *class {
	return &class{server: s, options: o, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: o.people, MaxConnsPerHost: 0}}}
}

func (c *class) phase(ctx context.Context, do func(context.Context) error) (string, error) {
	c.said = nil
	err := do(ctx)
	return strings.Join(c.said, ", "), err
}

func (c *class) say(format string, args ...any) {
	c.said = append(c.said, fmt.Sprintf(format, args...))
}

// end ends all participants.
func (c *class) end() {
	for _, p := range c.people {
		p.cancel()
	}
	for _, p := range c.people {
		<-p.done
	}
	c.client.CloseIdleConnections()
}

// post sends JSON. It tries again where there is no answer, as the pages do.
func (c *class) post(ctx context.Context, path string, cookie *http.Cookie, in any) (http.Header, error) {
	text, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url(path), bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Content-Type", "application/json")
		if cookie != nil {
			r.AddCookie(cookie)
		}
		got, err := c.client.Do(r)
		if err == nil {
			said, _ := io.ReadAll(got.Body)
			_ = got.Body.Close()
			if got.StatusCode == http.StatusOK {
				return got.Header, nil
			}
			if got.StatusCode < 500 && got.StatusCode != http.StatusTooManyRequests {
				return nil, fmt.Errorf("%s: %s: %s", path, got.Status, said)
			}
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return nil, cmp.Or(err, ctx.Err())
		}
	}
}

// join has everybody join and listen.
func (c *class) join(ctx context.Context) error {
	if err := c.becomeTrainer(ctx); err != nil {
		return err
	}
	began := time.Now()
	took := make([]time.Duration, c.options.people)
	errs := make([]error, c.options.people)
	var all sync.WaitGroup
	c.people = make([]*person, c.options.people)
	for i := range c.people {
		all.Go(func() {
			began := time.Now()
			header, err := c.post(ctx, "/api/join", nil, map[string]string{"lang": []string{"en", "zh"}[i%2]})
			p := &person{class: c, choice: i % 2, changed: make(chan struct{}), done: make(chan struct{})}
			c.people[i] = p
			streamed, cancel := context.WithCancel(ctx)
			p.cancel = cancel
			if err == nil {
				p.cookie = cookieOf(header)
			}
			go p.listen(streamed, []string{"en", "zh"}[i%2])
			took[i], errs[i] = time.Since(began), err
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := c.until(ctx, 30*time.Second, func(p *person) bool { return p.online }); err != nil {
		return err
	}
	c.say("%d joined and listen after %v", len(c.people), time.Since(began).Round(time.Millisecond))
	c.say("one takes %s", quantiles(took))
	return nil
}

func cookieOf(h http.Header) *http.Cookie {
	for _, c := range (&http.Response{Header: h}).Cookies() {
		return &http.Cookie{Name: c.Name, Value: c.Value}
	}
	return nil
}

func (c *class) becomeTrainer(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.trainer, nil)
	if err != nil {
		return err
	}
	stay := *c.client
	stay.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	got, err := stay.Do(r)
	if err != nil {
		return err
	}
	_ = got.Body.Close()
	if c.key = cookieOf(got.Header); c.key == nil {
		return fmt.Errorf("no trainer's cookie: %s", got.Status)
	}
	return nil
}

// quantiles are the median, the 99th of a hundred and the greatest.
func quantiles(took []time.Duration) string {
	if len(took) == 0 {
		return "nothing"
	}
	slices.Sort(took)
	at := func(q float64) time.Duration {
		return took[min(len(took)-1, int(q*float64(len(took))))].Round(time.Millisecond)
	}
	return fmt.Sprintf("median %v, 99 %% %v, most %v", at(0.5), at(0.99), took[len(took)-1].Round(time.Millisecond))
}

// listen holds a stream, and another one after it ends.
func (p *person) listen(ctx context.Context, lang string) {
	defer close(p.done)
	for ctx.Err() == nil {
		if !p.isOffline() {
			p.stream(ctx, lang)
		}
		p.change(func() {
			p.online = false
			if !p.offline && ctx.Err() == nil {
				p.cut++
			}
		})
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

func (p *person) isOffline() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.offline
}

func (p *person) stream(ctx context.Context, lang string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url("/api/events?lang="+lang), nil)
	if err != nil {
		return
	}
	if p.cookie != nil {
		r.AddCookie(p.cookie)
	}
	got, err := p.client.Do(r)
	if err != nil {
		return
	}
	defer func() { _ = got.Body.Close() }()
	go func() { // the network goes
		for ctx.Err() == nil {
			if p.isOffline() {
				cancel()
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}()
	lines := bufio.NewScanner(got.Body)
	lines.Buffer(nil, 4<<20)
	kind := ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "event":
			kind = value
		case "data":
			p.hear(kind, []byte(value))
		}
	}
}

// hear takes an event.
func (p *person) hear(kind string, data []byte) {
	switch kind {
	case "state":
		var s struct {
			At   int   `json:"at"`
			Poll *poll `json:"poll"`
		}
		if json.Unmarshal(data, &s) == nil {
			p.change(func() {
				p.online, p.at, p.poll = true, s.At, poll{}
				if s.Poll != nil {
					p.poll = *s.Poll
				}
			})
		}
	case "frame":
		var s struct {
			At int `json:"at"`
		}
		if json.Unmarshal(data, &s) == nil {
			p.change(func() { p.at = s.At })
		}
	case "poll":
		var s poll
		if json.Unmarshal(data, &s) == nil {
			p.change(func() { p.poll = s })
		}
	}
}

func (p *person) change(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
	close(p.changed)
	p.changed = make(chan struct{})
}

// until waits until something is true of everybody who has a network.
func (c *class) until(ctx context.Context, limit time.Duration, is func(*person) bool) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for i, p := range c.people {
		for {
			p.mu.Lock()
			ok, changed := is(p) || p.offline, p.changed
			p.mu.Unlock()
			if ok {
				break
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return fmt.Errorf("participant %d waits in vain for %v: it is at %d, %+v", i, limit, p.at, p.poll)
			}
		}
	}
	return nil
}

// drive presses a key, and returns when each participant who has a network has its frame.
func (c *class) drive(ctx context.Context, request map[string]any) ([]time.Duration, error) {
	before := make([]int, len(c.people))
	for i, p := range c.people {
		p.mu.Lock()
		before[i] = p.at
		p.mu.Unlock()
	}
	const none = -1
	took := make([]time.Duration, len(c.people))
	var all sync.WaitGroup
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for i, p := range c.people {
		all.Go(func() {
			for ctx.Err() == nil {
				p.mu.Lock()
				ok, offline, changed := p.at != before[i], p.offline, p.changed
				p.mu.Unlock()
				if offline {
					took[i] = none
					return
				}
				if ok {
					took[i] = time.Since(began)
					return
				}
				select {
				case <-changed:
				case <-ctx.Done():
				}
			}
		})
	}
	_, err := c.post(ctx, "/api/trainer/drive", c.key, request)
	all.Wait()
	return slices.DeleteFunc(took, func(d time.Duration) bool { return d == none }), cmp.Or(err, ctx.Err())
}

// follow goes forward and back through a story.
func (c *class) follow(ctx context.Context) error {
	if _, err := c.drive(ctx, map[string]any{"place": story}); err != nil {
		return err
	}
	time.Sleep(500 * time.Millisecond) // the story is run
	return c.walk(ctx)
}

func (c *class) walk(ctx context.Context) error {
	var all []time.Duration
	for i := range c.steps {
		key := []string{"right", "left"}[i%2]
		took, err := c.drive(ctx, map[string]any{"press": key})
		if err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		all = append(all, took...)
		time.Sleep(100 * time.Millisecond)
	}
	c.say("%d steps, each to everybody: %s", c.steps, quantiles(all))
	return nil
}

// poll asks a question of the trainer's own, has everybody answer it, and compares the
// counts. between is called when half have answered.
func (c *class) poll(ctx context.Context, between func() error) error {
	if _, err := c.post(ctx, "/api/trainer/poll", c.key, map[string]any{"do": "ask", "question": "Which one?", "options": []string{"this", "that"}, "right": 1}); err != nil {
		return err
	}
	had := map[string]bool{}
	for _, p := range c.people {
		p.mu.Lock()
		if p.poll.State != "open" {
			had[p.poll.ID] = true
		}
		p.mu.Unlock()
	}
	if err := c.until(ctx, 20*time.Second, func(p *person) bool { return p.poll.State == "open" && !had[p.poll.ID] }); err != nil {
		return err
	}
	began := time.Now()
	half := len(c.people) / 2
	if err := c.answer(ctx, c.people[:half]); err != nil {
		return err
	}
	if between != nil {
		if err := between(); err != nil {
			return err
		}
		began = time.Now()
	}
	if err := c.answer(ctx, c.people); err != nil { // the first half once more: nothing may count twice
		return err
	}
	c.say("answered by all after %v", time.Since(began).Round(time.Millisecond))
	c.people[0].mu.Lock()
	id := c.people[0].poll.ID
	c.people[0].mu.Unlock()
	if _, err := c.post(ctx, "/api/trainer/poll", c.key, map[string]any{"do": "reveal", "id": id}); err != nil {
		return err
	}
	if err := c.until(ctx, 20*time.Second, func(p *person) bool { return p.poll.State == "revealed" && p.poll.ID == id }); err != nil {
		return err
	}
	want := []int{0, 0}
	for _, p := range c.people {
		want[p.choice]++
	}
	for i, p := range c.people {
		if !slices.Equal(p.poll.Counts, want) {
			return fmt.Errorf("participant %d sees %v; %v were given", i, p.poll.Counts, want)
		}
	}
	c.say("counted exactly: %v", want)
	return nil
}

func (c *class) answer(ctx context.Context, who []*person) error {
	errs := make([]error, len(who))
	var all sync.WaitGroup
	for i, p := range who {
		all.Go(func() {
			p.mu.Lock()
			id := p.poll.ID
			p.mu.Unlock()
			_, errs[i] = c.post(ctx, "/api/answer", p.cookie, map[string]any{"poll": id, "choice": p.choice})
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// killed kills the server when half have answered.
func (c *class) killed(ctx context.Context) error {
	return c.poll(ctx, func() error {
		c.kill()
		began := time.Now()
		if err := c.until(ctx, 20*time.Second, func(p *person) bool { return !p.online }); err != nil {
			return err
		}
		if err := c.start(ctx); err != nil {
			return err
		}
		if err := c.until(ctx, 30*time.Second, func(p *person) bool { return p.online && p.poll.State == "open" }); err != nil {
			return err
		}
		c.say("everybody is back after %v", time.Since(began).Round(time.Millisecond))
		return nil
	})
}

// away takes half of the participants' network.
func (c *class) away(ctx context.Context) error {
	half := c.people[:len(c.people)/2]
	for _, p := range half {
		p.change(func() { p.offline = true })
	}
	gone := time.Now()
	if err := c.walk(ctx); err != nil {
		return err
	}
	time.Sleep(time.Until(gone.Add(c.options.away)))
	began := time.Now()
	for _, p := range half {
		p.change(func() { p.offline, p.online = false, false })
	}
	if err := c.until(ctx, 30*time.Second, func(p *person) bool { return p.online }); err != nil {
		return err
	}
	c.say("back after %v", time.Since(began).Round(time.Millisecond))
	return nil
}

// stranger sends requests of all kinds and holds connections, from an address, while the
// class goes on and newcomers join. Afterwards everybody loses the connection, and comes back
// all the same.
func (c *class) stranger(ctx context.Context, from string) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	harmful := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 100}}
	defer harmful.CloseIdleConnections()
	release := c.hold(within, dialer)
	defer release()
	var sent, refused atomic.Int64
	var all sync.WaitGroup
	const hands = 50
	for hand := range hands {
		all.Go(func() {
			tick := time.NewTicker(hands * time.Second / time.Duration(c.hostile))
			defer tick.Stop()
			for n := hand; ; n++ {
				select {
				case <-tick.C:
				case <-within.Done():
					return
				}
				r, err := c.harm(within, n)
				if err != nil {
					continue
				}
				got, err := harmful.Do(r)
				if err != nil {
					continue
				}
				_, _ = io.Copy(io.Discard, io.LimitReader(got.Body, 1<<20))
				_ = got.Body.Close()
				if sent.Add(1); got.StatusCode >= 400 {
					refused.Add(1)
				}
			}
		})
	}
	before := c.cuts()
	began := time.Now()
	err := c.walk(ctx)
	c.say("%.0f requests a second came, %d %% refused", float64(sent.Load())/time.Since(began).Seconds(), 100*refused.Load()/max(1, sent.Load()))
	c.say("%d streams of the class were cut", c.cuts()-before)
	if err == nil {
		err = c.newcomers(ctx, 20)
	}
	if err == nil {
		err = c.reconnect(ctx)
	}
	cancel()
	all.Wait()
	return err
}

func (c *class) cuts() (n int) {
	for _, p := range c.people {
		p.mu.Lock()
		n += p.cut
		p.mu.Unlock()
	}
	return n
}

// newcomers join one after the other, each by a connection of its own.
func (c *class) newcomers(ctx context.Context, n int) error {
	var took []time.Duration
	for range n {
		began := time.Now()
		fresh := &class{server: c.server, options: c.options, client: &http.Client{Transport: &http.Transport{}}}
		_, err := fresh.post(ctx, "/api/join", nil, map[string]string{"lang": "en"})
		fresh.client.CloseIdleConnections()
		if err != nil {
			return err
		}
		took = append(took, time.Since(began))
	}
	c.say("a newcomer joins: %s", quantiles(took))
	return nil
}

// full fills the room with participants who do nothing. Newcomers join all the same, also
// after the server is killed, and nobody who has answered loses the place.
func (c *class) full(ctx context.Context) error {
	const most = 2000
	began := time.Now()
	var all sync.WaitGroup
	errs := make([]error, 20)
	for hand := range errs {
		all.Go(func() {
			for i := hand; i < most && errs[hand] == nil; i += len(errs) {
				_, errs[hand] = c.post(ctx, "/api/join", nil, map[string]string{"lang": "en"})
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	c.say("%d joined in %v", most, time.Since(began).Round(time.Millisecond))
	for range 2 {
		if err := c.newcomers(ctx, 20); err != nil {
			return err
		}
		for _, p := range c.people {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url("/api/me"), nil)
			if err != nil {
				return err
			}
			r.AddCookie(p.cookie)
			got, err := c.client.Do(r)
			if err != nil {
				return err
			}
			_ = got.Body.Close()
			if got.StatusCode != http.StatusOK {
				return fmt.Errorf("a participant has lost the place: %s", got.Status)
			}
		}
		c.kill()
		if err := c.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// reconnect takes everybody's connection, for as long as a stream needs to notice.
func (c *class) reconnect(ctx context.Context) error {
	for _, p := range c.people {
		p.change(func() { p.offline = true })
	}
	time.Sleep(time.Second)
	began := time.Now()
	for _, p := range c.people {
		p.change(func() { p.offline, p.online = false, false })
	}
	err := c.until(ctx, 30*time.Second, func(p *person) bool { return p.online })
	c.say("back after %v", time.Since(began).Round(time.Millisecond))
	return err
}

// holds are what the stranger's connections send: nothing, half a request, one whose body
// never comes, one that waits for the next, a stream.
var holds = []string{
	"", "GET /api/me HTTP/1.1\r\nHost:", "POST /api/join HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n",
	"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", "GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n",
}

// hold opens connections, and each again when the server closes it, until the returned
// function is called.
func (c *class) hold(ctx context.Context, dialer net.Dialer) (release func()) {
	ctx, cancel := context.WithCancel(ctx)
	var open, closed atomic.Int64
	var first, all sync.WaitGroup
	for i := range c.held {
		first.Add(1)
		all.Go(func() {
			begun := sync.OnceFunc(first.Done)
			defer begun()
			for ctx.Err() == nil {
				conn, err := dialer.DialContext(ctx, "tcp", c.listen)
				if err == nil {
					open.Add(1)
					stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
					_, _ = io.WriteString(conn, holds[i%len(holds)])
					begun()
					_, _ = io.Copy(io.Discard, conn) // until the server closes it
					stop()
					_ = conn.Close()
					open.Add(-1)
					closed.Add(1)
				}
				select {
				case <-time.After(time.Second):
				case <-ctx.Done():
				}
			}
		})
	}
	first.Wait()
	c.say("%d connections held at the start", open.Load())
	return func() {
		c.say("the server has closed %d", closed.Load())
		cancel()
		all.Wait()
	}
}

// harm is one of a stranger's requests.
func (c *class) harm(ctx context.Context, n int) (*http.Request, error) {
	switch n % 5 {
	case 0:
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url("/api/answer"), strings.NewReader(`{"poll":"own/1","choice":0}`))
		if err == nil {
			r.Header.Set("Content-Type", "application/json")
			r.AddCookie(&http.Cookie{Name: "lockstep", Value: fmt.Sprint("guessed", n)})
		}
		return r, err
	case 1:
		return http.NewRequestWithContext(ctx, http.MethodPost, c.url("/api/join"), strings.NewReader(strings.Repeat("x", 10_000)))
	case 2:
		return http.NewRequestWithContext(ctx, http.MethodGet, c.url("/trainer?key=guessed"), nil)
	case 3:
		return http.NewRequestWithContext(ctx, http.MethodGet, c.url("/../../etc/passwd"), nil)
	default:
		return http.NewRequestWithContext(ctx, http.MethodGet, c.url("/draw.js"), nil)
	}
}

package server

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/alicebob/miniredis/v2/server"

	"lockstep/sim"
)

// millis returns the node's time, as a Unix time in milliseconds.
func (n *engine) millis() int64 { return sim.Epoch().UnixMilli() + int64(n.now) }

// deadline parses a time to live or a Unix time. The error contains the
// command's name.
func (n *engine) deadline(name, text string, seconds, relative bool) (at int64, refusal string) {
	at, ok := integer(text)
	if !ok {
		return 0, errNoInteger
	}
	unit, from := int64(1), int64(0)
	if seconds {
		unit = 1000
	}
	if relative {
		from = n.millis()
	}
	positive := strings.Contains(name, "SET") || name == "GETEX"
	if positive && at <= 0 || at > math.MaxInt64/unit || at < math.MinInt64/unit || at*unit > math.MaxInt64-from {
		return 0, fmt.Sprintf("-ERR invalid expire time in '%s' command\r\n", strings.ToLower(name))
	}
	return at*unit + from, ""
}

// flags are options that stand alone.
type flags []string

func (f flags) has(flag string) bool { return slices.Contains(f, flag) }

// forbid reports whether NX, XX, GT or LT forbids to replace the time that is left, or -1, by
// another.
func (f flags) forbid(more, left int64) bool {
	lives := left >= 0
	return f.has("NX") && lives || f.has("XX") && !lives || f.has("GT") && (!lives || more <= left) || f.has("LT") && lives && more >= left
}

// setOptions are the options of SET, GETEX and MSETEX, and of commands on fields.
type setOptions struct {
	flags   flags  // see setFlags
	unit    string // EX, PX, EXAT or PXAT
	time    string
	when    string // IFEQ, IFNE, IFDEQ or IFDNE
	against string
}

// setFlags are the options without an argument, by command.
var setFlags = map[string]flags{
	"SET": {"NX", "XX", "GET", "KEEPTTL"}, "MSETEX": {"NX", "XX", "KEEPTTL"}, "GETEX": {"PERSIST"},
	"HSETEX": {"FNX", "FXX", "KEEPTTL"}, "HGETEX": {"PERSIST"}, "HPEXPIRE": {"NX", "XX", "GT", "LT"},
}

// parseSetOptions parses them like Redis: an option may repeat.
func (n *engine) parseSetOptions(cmd, args []string) (o setOptions, ok bool) {
	for i := 0; i < len(args); i++ {
		option := strings.ToUpper(args[i])
		kind, value := &o.unit, &o.time
		switch option {
		case "EX", "PX", "EXAT", "PXAT":
		default:
			kind, value = &o.when, &o.against
		}
		switch {
		case setFlags[cmd[0]].has(option):
			o.flags = append(o.flags, option)
		case kind == &o.when && !(cmd[0] == "SET" && isCondition(option)):
			n.lacks(cmd, option)
			return o, false
		default:
			if i++; i == len(args) || *kind != "" && *kind != option {
				return o, false
			}
			*kind, *value = option, args[i]
		}
	}
	nx, xx := o.flags.has("NX"), o.flags.has("XX")
	return o, !(nx && xx) && !(o.when != "" && (nx || xx)) && !(o.unit != "" && (o.flags.has("KEEPTTL") || o.flags.has("PERSIST")))
}

// correctSet converts every deadline to a Unix time in milliseconds.
func correctSet(n *engine, c *server.Peer, cmd []string) (string, []string) {
	words := 3
	if cmd[0] == "GETEX" {
		words = 2
	}
	if len(cmd) < words {
		return "", cmd
	}
	o, ok := n.parseSetOptions(cmd, cmd[words:])
	if !ok {
		return errSyntax, nil
	}
	if cmd[0] == "GETEX" { // Redis parses the deadline only if it returns a value
		if value := n.ask(c, "GET", cmd[1]); value == "$-1\r\n" || value[0] == '-' {
			return value, nil
		}
	}
	if o.when != "" {
		if met, refusal := n.meets(c, cmd[1], o.when, o.against); refusal != "" || !met && !o.flags.has("GET") {
			return cmp.Or(refusal, "$-1\r\n"), nil
		} else if !met {
			return n.ask(c, "GET", cmd[1]), nil
		}
	}
	instead := cmd[:words] // appends nothing that cmd lacks
	for _, flag := range []string{"NX", "XX", "GET", "KEEPTTL", "PERSIST"} {
		if o.flags.has(flag) {
			instead = append(instead, flag)
		}
	}
	if o.unit == "" {
		return "", instead
	}
	at, refusal := n.deadline(cmd[0], o.time, o.unit[0] == 'E', len(o.unit) == 2)
	if refusal != "" {
		return refusal, nil
	}
	if at < n.millis() {
		return n.setExpired(c, o, instead), nil
	}
	return "", append(instead, "PXAT", strconv.FormatInt(at, 10))
}

// setExpired sets a key whose deadline has passed, and so deletes it.
func (n *engine) setExpired(c *server.Peer, o setOptions, cmd []string) string {
	exists := n.askInt(c, "EXISTS", cmd[1]) == 1
	reply := n.ask(c, cmd...)
	if reply[0] != '-' && !(o.flags.has("NX") && exists) && !(o.flags.has("XX") && !exists) {
		n.ask(c, "DEL", cmd[1])
	}
	return reply
}

func correctSetEx(n *engine, _ *server.Peer, cmd []string) (string, []string) {
	if len(cmd) != 4 {
		return "", cmd
	}
	at, refusal := n.deadline(cmd[0], cmd[2], cmd[0] == "SETEX", true)
	return refusal, []string{"SET", cmd[1], cmd[3], "PXAT", strconv.FormatInt(at, 10)}
}

// correctExpire itself decides whether the deadline changes.
func correctExpire(n *engine, c *server.Peer, cmd []string) (string, []string) {
	if len(cmd) < 3 {
		return "", cmd
	}
	var options flags
	for _, option := range cmd[3:] {
		switch flag := strings.ToUpper(option); flag {
		case "NX", "XX", "GT", "LT":
			options = append(options, flag)
		default:
			return n.lacks(cmd, option), nil
		}
	}
	switch {
	case options.has("NX") && (options.has("XX") || options.has("GT") || options.has("LT")):
		return "-ERR NX and XX, GT or LT options at the same time are not compatible\r\n", nil
	case options.has("GT") && options.has("LT"):
		return "-ERR GT and LT options at the same time are not compatible\r\n", nil
	}
	at, refusal := n.deadline(cmd[0], cmd[2], !strings.HasPrefix(cmd[0], "P"), !strings.HasSuffix(cmd[0], "AT"))
	if refusal != "" {
		return refusal, nil
	}
	left := n.askInt(c, "PTTL", cmd[1])
	switch {
	case left == -2, options.forbid(at-n.millis(), left):
		return ":0\r\n", nil
	case at <= n.millis():
		return "", []string{"DEL", cmd[1]}
	}
	return "", []string{"PEXPIREAT", cmd[1], strconv.FormatInt(at, 10)}
}

// correctSeconds rounds to the nearest second; miniredis rounds down.
func correctSeconds(n *engine, c *server.Peer, cmd []string) (string, []string) {
	if len(cmd) != 2 {
		return "", cmd
	}
	t := n.askInt(c, "P"+cmd[0], cmd[1])
	if t >= 0 {
		t = (t + 500) / 1000
	}
	return fmt.Sprintf(":%d\r\n", t), nil
}

// correctTime returns the world's time. miniredis's clock is behind; see grace.
func correctTime(n *engine, _ *server.Peer, cmd []string) (string, []string) {
	if len(cmd) != 1 {
		return "", cmd
	}
	seconds, micros := strconv.FormatInt(n.millis()/1000, 10), strconv.FormatInt(n.millis()%1000*1000, 10)
	return fmt.Sprintf("*2\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n", len(seconds), seconds, len(micros), micros), nil
}

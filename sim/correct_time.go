package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/alicebob/miniredis/v2/server"
)

// millis is what the node's clock shows, in the unit of deadlines.
func (n *node) millis() int64 { return Epoch.UnixMilli() + int64(n.now) }

// deadline reads a time to live or a Unix time. The name is the command's, as
// it stands in the error.
func (n *node) deadline(name, text string, seconds, relative bool) (at int64, refusal string) {
	at, ok := integer(text)
	if !ok {
		return 0, errNoInteger
	}
	refusal = fmt.Sprintf("-ERR invalid expire time in '%s' command\r\n", strings.ToLower(name))
	if strings.Contains(name, "SET") || name == "GETEX" {
		if at <= 0 {
			return 0, refusal
		}
	}
	if seconds {
		if at > math.MaxInt64/1000 || at < math.MinInt64/1000 {
			return 0, refusal
		}
		at *= 1000
	}
	if relative {
		if at > math.MaxInt64-n.millis() {
			return 0, refusal
		}
		at += n.millis()
	}
	return at, ""
}

// setOptions are those of SET and GETEX.
type setOptions struct {
	flags map[string]bool // NX, XX, GET, KEEPTTL, PERSIST
	unit  string          // EX, PX, EXAT or PXAT
	time  string
}

// parseSetOptions reads them as Redis does: the same one may come twice.
func parseSetOptions(name string, args []string) (o setOptions, ok bool) {
	o.flags = map[string]bool{}
	for i := 0; i < len(args); i++ {
		switch option := strings.ToUpper(args[i]); option {
		case "NX", "XX", "GET", "KEEPTTL":
			if name == "GETEX" {
				return o, false
			}
			o.flags[option] = true
		case "PERSIST":
			if name == "SET" {
				return o, false
			}
			o.flags[option] = true
		case "EX", "PX", "EXAT", "PXAT":
			if i++; i == len(args) || o.unit != "" && o.unit != option {
				return o, false
			}
			o.unit, o.time = option, args[i]
		default:
			return o, false
		}
	}
	return o, !(o.flags["NX"] && o.flags["XX"]) && !(o.unit != "" && (o.flags["KEEPTTL"] || o.flags["PERSIST"]))
}

// correctSet writes every deadline as a Unix time in milliseconds.
func (n *node) correctSet(c *server.Peer, cmd []string) (string, []string) {
	words := map[string]int{"SET": 3, "GETEX": 2}[cmd[0]]
	if len(cmd) < words {
		return "", cmd
	}
	o, ok := parseSetOptions(cmd[0], cmd[words:])
	if !ok {
		return errSyntax, nil
	}
	if cmd[0] == "GETEX" { // reads the deadline only if there is a value to return
		if value := n.ask(c, "GET", cmd[1]); value == "$-1\r\n" || value[0] == '-' {
			return value, nil
		}
	}
	instead := cmd[:words:words]
	for _, flag := range []string{"NX", "XX", "GET", "KEEPTTL", "PERSIST"} {
		if o.flags[flag] {
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

// setExpired sets a key whose deadline has passed: it is gone at once.
func (n *node) setExpired(c *server.Peer, o setOptions, cmd []string) string {
	exists := n.askInt(c, "EXISTS", cmd[1]) == 1
	reply := n.ask(c, cmd...)
	if reply[0] != '-' && !(o.flags["NX"] && exists) && !(o.flags["XX"] && !exists) {
		n.ask(c, "DEL", cmd[1])
	}
	return reply
}

func (n *node) correctSetEx(_ *server.Peer, cmd []string) (string, []string) {
	if len(cmd) != 4 {
		return "", cmd
	}
	at, refusal := n.deadline(cmd[0], cmd[2], cmd[0] == "SETEX", true)
	return refusal, []string{"SET", cmd[1], cmd[3], "PXAT", strconv.FormatInt(at, 10)}
}

// correctExpire decides itself whether the deadline changes.
func (n *node) correctExpire(c *server.Peer, cmd []string) (string, []string) {
	if len(cmd) < 3 {
		return "", cmd
	}
	flags := map[string]bool{}
	for _, option := range cmd[3:] {
		switch flag := strings.ToUpper(option); flag {
		case "NX", "XX", "GT", "LT":
			flags[flag] = true
		default:
			return "-ERR Unsupported option " + option + "\r\n", nil
		}
	}
	switch {
	case flags["NX"] && (flags["XX"] || flags["GT"] || flags["LT"]):
		return "-ERR NX and XX, GT or LT options at the same time are not compatible\r\n", nil
	case flags["GT"] && flags["LT"]:
		return "-ERR GT and LT options at the same time are not compatible\r\n", nil
	}
	at, refusal := n.deadline(cmd[0], cmd[2], !strings.HasPrefix(cmd[0], "P"), !strings.HasSuffix(cmd[0], "AT"))
	if refusal != "" {
		return refusal, nil
	}
	left := n.askInt(c, "PTTL", cmd[1])
	old, lives := n.millis()+left, left >= 0
	switch {
	case left == -2, flags["NX"] && lives, flags["XX"] && !lives, flags["GT"] && (!lives || at <= old), flags["LT"] && lives && at >= old:
		return ":0\r\n", nil
	case at <= n.millis():
		return "", []string{"DEL", cmd[1]}
	}
	return "", []string{"PEXPIREAT", cmd[1], strconv.FormatInt(at, 10)}
}

// correctSeconds rounds to the nearest second; miniredis rounds down.
func (n *node) correctSeconds(c *server.Peer, cmd []string) (string, []string) {
	if len(cmd) != 2 {
		return "", cmd
	}
	t := n.askInt(c, "P"+cmd[0], cmd[1])
	if t >= 0 {
		t = (t + 500) / 1000
	}
	return fmt.Sprintf(":%d\r\n", t), nil
}

// correctTime tells the time that the world has, not miniredis's: see grace.
func (n *node) correctTime(_ *server.Peer, cmd []string) (string, []string) {
	if len(cmd) != 1 {
		return "", cmd
	}
	seconds, micros := strconv.FormatInt(n.millis()/1000, 10), strconv.FormatInt(n.millis()%1000*1000, 10)
	return fmt.Sprintf("*2\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n", len(seconds), seconds, len(micros), micros), nil
}

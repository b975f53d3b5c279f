package sim

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alicebob/miniredis/v2/server"
)

const errNoScript = "-NOSCRIPT No matching script. Please use EVAL.\r\n"

// scriptError is how miniredis tells an error at a line of a script.
var scriptError = regexp.MustCompile(`^-ERR Error compiling script \(new function\): :(\d+): (.*?)(?: script: [0-9a-f]+, &c\.)? stack traceback:`)

// errorCode is how an error of a command begins: ERR, WRONGTYPE ...
var errorCode = regexp.MustCompile(`^[A-Z]+ `)

// correctEval remembers a script once it compiles, whatever comes of running
// it, and tells errors as Redis does: those of a command with their own code.
func (n *node) correctEval(c *server.Peer, cmd []string) (string, []string) {
	if len(cmd) < 3 {
		return "", cmd
	}
	switch keys, ok := integer(cmd[2]); {
	case cmd[0] == "EVALSHA" && len(cmd[1]) != 40:
		return errNoScript, nil
	case !ok:
		return errNoInteger, nil
	case keys > int64(len(cmd)-3):
		return "-ERR Number of keys can't be greater than number of args\r\n", nil
	case keys < 0:
		return "-ERR Number of keys can't be negative\r\n", nil
	}
	if n.scripted {
		return "", cmd // refused
	}
	cmd = slices.Clone(cmd)
	sha := strings.ToLower(cmd[1])
	if cmd[0] == "EVAL" {
		loaded := n.load(c, cmd[1])
		if loaded[0] == '-' {
			return loaded, nil
		}
		sha = bulk(loaded)
	}
	cmd[1] = sha
	n.scripted = true
	reply := n.ask(c, append([]string{"EVALSHA"}, cmd[1:]...)...)
	n.scripted = false
	if m := scriptError.FindStringSubmatch(reply); m != nil {
		reply = fmt.Sprintf("-%s script: %s, on @user_script:%s.\r\n", scriptErrorText(m[1], m[2]), sha, m[1])
	}
	return reply, nil
}

// scriptErrorText is the text of an error that ended a script.
func scriptErrorText(line, text string) string {
	switch {
	case errorCode.MatchString(text):
		return text
	case strings.HasPrefix(text, "Lua redis lib command arguments"), strings.HasPrefix(text, "Please specify at least one argument"):
		return "ERR " + text
	}
	return "ERR user_script:" + line + ": " + text
}

// replyInScript is what a script is told of a command that it may not call.
func replyInScript(reply string) string {
	for _, refusal := range [][2]string{
		{"-ERR unknown command", "Unknown Redis command called from script"},
		{"-ERR wrong number of arguments", "Wrong number of args calling Redis command from script"},
		{"-This Redis command is not allowed", "This Redis command is not allowed from script"},
	} {
		if strings.HasPrefix(reply, refusal[0]) {
			return "-ERR " + refusal[1] + "\r\n"
		}
	}
	return reply
}

// load is SCRIPT LOAD.
func (n *node) load(c *server.Peer, script string) string {
	reply := n.ask(c, "SCRIPT", "LOAD", script)
	if reply[0] != '-' && !slices.Contains(n.scripts, script) {
		n.scripts = append(n.scripts, script)
	}
	return reply
}

// correctScript keeps account of what miniredis does not show.
func (n *node) correctScript(c *server.Peer, cmd []string) (string, []string) {
	if len(cmd) < 2 {
		return "", cmd
	}
	switch sub := strings.ToUpper(cmd[1]); {
	case sub == "LOAD" && len(cmd) != 3:
		return "-ERR wrong number of arguments for 'script|load' command\r\n", nil
	case sub == "LOAD":
		return n.load(c, cmd[2]), nil
	case sub == "FLUSH":
		reply := n.ask(c, cmd...)
		if reply[0] != '-' {
			n.scripts = nil
		}
		return reply, nil
	}
	return "", cmd
}

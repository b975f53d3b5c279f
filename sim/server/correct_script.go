package server

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/alicebob/miniredis/v2/server"
)

const errNoScript = "-NOSCRIPT No matching script. Please use EVAL.\r\n"

// scriptError matches miniredis's error for a script that fails, with the line
// and the text.
var scriptError = regexp.MustCompile(`^-ERR Error compiling script \(new function\): :(\d+): (.*?)(?: script: [0-9a-f]+, &c\.)? stack traceback:`)

// errorCode matches the first word of a command's error: ERR, WRONGTYPE ...
var errorCode = regexp.MustCompile(`^[A-Z]+ `)

// correctEval keeps the script of an EVAL for EVALSHA, even if its run fails. It
// words errors as Redis does: the error of a command keeps its own code.
func correctEval(n *engine, c *server.Peer, cmd []string) (string, []string) {
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
		return "", cmd // a script within a script: miniredis refuses it
	}
	sha := strings.ToLower(cmd[1])
	if cmd[0] == "EVAL" {
		var refusal string
		if sha, refusal = n.load(c, cmd[1]); refusal != "" {
			return refusal, nil
		}
	}
	cmd[0], cmd[1] = "EVALSHA", sha
	n.scripted = true
	reply := n.ask(c, cmd...)
	n.scripted = false
	if !strings.HasPrefix(reply, "-") {
		return reply, nil
	}
	if m := scriptError.FindStringSubmatch(reply); m != nil {
		reply = fmt.Sprintf("-%s script: %s, on @user_script:%s.\r\n", scriptErrorText(m[1], m[2]), sha, m[1])
	}
	return reply, nil
}

// scriptErrorText returns Redis's text of the error that ended a script at a line.
func scriptErrorText(line, text string) string {
	switch {
	case errorCode.MatchString(text):
		return text
	case strings.HasPrefix(text, "Lua redis lib command arguments"), strings.HasPrefix(text, "Please specify at least one argument"):
		return "ERR " + text
	}
	return "ERR user_script:" + line + ": " + text
}

// replyInScript returns a command's reply as a script sees it.
func replyInScript(reply string) string {
	if !strings.HasPrefix(reply, "-") {
		return reply
	}
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

// load is SCRIPT LOAD. It asks miniredis only for scripts that are not yet loaded,
// since each is compiled.
func (n *engine) load(c *server.Peer, script string) (sha, refusal string) {
	sha, loaded := n.scripts[script]
	if loaded && !n.scripted {
		return sha, ""
	}
	reply := n.ask(c, "SCRIPT", "LOAD", script)
	if reply[0] == '-' {
		return "", reply
	}
	sha = bulk(reply)
	n.scripts[script] = sha
	return sha, ""
}

// correctScript tracks the loaded scripts, which miniredis does not expose.
func correctScript(n *engine, c *server.Peer, cmd []string) (string, []string) {
	if len(cmd) < 2 {
		return "", cmd
	}
	switch sub := strings.ToUpper(cmd[1]); {
	case sub == "LOAD" && len(cmd) != 3:
		return "-ERR wrong number of arguments for 'script|load' command\r\n", nil
	case sub == "LOAD":
		sha, refusal := n.load(c, cmd[2])
		if refusal == "" {
			return fmt.Sprintf("$%d\r\n%s\r\n", len(sha), sha), nil
		}
		return refusal, nil
	case sub == "FLUSH":
		reply := n.ask(c, cmd...)
		if reply[0] != '-' {
			clear(n.scripts)
		}
		return reply, nil
	}
	return "", cmd
}

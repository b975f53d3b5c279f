package live

import (
	"crypto/sha1"
	"encoding/hex"
	"regexp"
	"strings"
)

// Redis lets a script use keys that are not among its KEYS. So every script is
// checked first: each call of Redis must be a plain call of a known command on
// KEYS[...].
var (
	anyCall   = regexp.MustCompile(`\bredis\b`)
	plainCall = regexp.MustCompile(`\bredis\.p?call\(\s*["']([A-Za-z]+)["']\s*,\s*KEYS\[[A-Za-z0-9_]+\]\s*([,)])`)
	harmless  = regexp.MustCompile(`\bredis\.(status_reply|error_reply|sha1hex)\b`)
	devious   = regexp.MustCompile(`\b(_G|_ENV|getfenv|setfenv|load|loadstring|dofile|rawset|rawget|setmetatable)\b|\bKEYS\s*=[^=]|\bKEYS\[[^\]]*\]\s*=[^=]|\bKEYS\s*[^\s\[]`)
	comment   = regexp.MustCompile(`--[^\n]*`)
)

// checkScript returns why a script is not sent, or nil.
func checkScript(script string, guarded bool) error {
	text := script
	if strings.Contains(text, "--[") {
		return refused("its script has a long comment, which is not read here")
	}
	text = comment.ReplaceAllString(text, "")
	if found := devious.FindString(text); found != "" {
		return refused("its script says %q, so that its keys are not known", found)
	}
	calls := plainCall.FindAllStringSubmatch(text, -1)
	if len(calls)+len(harmless.FindAllString(text, -1)) != len(anyCall.FindAllString(text, -1)) {
		return refused("its script calls Redis other than by redis.call(\"COMMAND\", KEYS[n], ...), so that its keys are not known")
	}
	for _, call := range calls {
		cmd := []string{call[1], ""}
		s, _, err := shapeOf(cmd)
		if err == nil && s.keys != oneKey && (s.keys != allKeys || call[2] != ")") {
			err = refused("its script calls %s, whose keys are not known", call[1])
		}
		if err == nil && guarded {
			err = guardShows(s, cmd)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// scripts makes the scripts of a space unique: a server may know a script from
// another client or an earlier run, and no other client may find a script that
// a space has loaded.
type scripts struct {
	salt  string
	known map[string]string // the client's SHA -> the SHA on the server
}

// own returns EVAL or EVALSHA as it is sent to the server.
func (s *scripts) own(cmd []string) []string {
	switch strings.ToUpper(cmd[0]) {
	case "EVAL":
		script := cmd[1] + "\n-- " + s.salt
		s.known[sha(cmd[1])] = sha(script)
		cmd[1] = script
	case "EVALSHA":
		asked := strings.ToLower(cmd[1])
		if cmd[1] = s.known[asked]; cmd[1] == "" {
			cmd[1] = sha(s.salt + asked) // the SHA of no script
		}
	}
	return cmd
}

func sha(s string) string {
	sum := sha1.Sum([]byte(s)) // Redis names scripts by it
	return hex.EncodeToString(sum[:])
}

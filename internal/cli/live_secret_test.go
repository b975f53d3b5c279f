//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// secret is a password that must not be shown.
const secret = "xK9qZw7"

// TestSecretsAreNotShown: where the server quotes what it was sent.
func TestSecretsAreNotShown(t *testing.T) {
	const fit = "redis_version:7.0.15\r\nredis_mode:standalone\r\nrole:master\r\n"
	for name, answers := range map[string]map[string]string{
		"no AUTH":   {"AUTH": "-ERR unknown command 'AUTH', with args beginning with: '" + secret + "'\r\n"},
		"an echo":   {"AUTH": "*2\r\n$4\r\nAUTH\r\n$7\r\n" + secret + "\r\n"},
		"no Redis":  {"AUTH": "500 what is " + secret + "\r\n"},
		"a status":  {"PING": ":" + secret + "\r\n"},
		"a version": {"INFO": bulk(strings.Replace(fit, "7.0.15", secret, 1))},
		"a role":    {"INFO": bulk(strings.Replace(fit, "master", secret, 1))},
	} {
		address, seen := fakeServer(t, answers, fit)
		t.Setenv(passwordVariable, secret)
		code, stdout, stderr := lockstep(t.Context(), "run", crash, "--redis", address)
		if cmds := seen(); code != exitUsage || !slices.Contains(cmds, "AUTH "+secret) || strings.Contains(stdout+stderr, secret) {
			t.Errorf("%s: exit %d, stdout %q, stderr %q, sent %q", name, code, stdout, stderr, cmds)
		}
	}
}

// TestPasswordFromElsewhere: from a file, or from where redis-cli takes it, and
// never from the address.
func TestPasswordFromElsewhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	testkit.OK(t, os.WriteFile(file, []byte("of the file\n"), 0o600))
	for name, test := range map[string]struct {
		variable, address string
		args              []string
		want              string
	}{
		"none":             {"", "ADDR", nil, "PING"},
		"variable":         {"of the variable", "ADDR", nil, "AUTH of the variable"},
		"file first":       {"of the variable", "ADDR", []string{"--redis-password-file", file}, "AUTH of the file"},
		"in the address":   {"of the variable", "redis://:address@ADDR", nil, ""},
		"user and file":    {"", "redis://user@ADDR", []string{"--redis-password-file", file}, "AUTH user of the file"},
		"for no server":    {"", "", []string{"--redis-password-file", file}, ""},
		"for our own":      {"", "start", []string{"--redis-password-file", file}, ""},
		"no file is there": {"", "ADDR", []string{"--redis-password-file", file + "x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(passwordVariable, test.variable)
			address, seen := fakeServer(t, map[string]string{"AUTH": "-WRONGPASS\r\n", "PING": "-NOAUTH\r\n"}, "")
			args := append([]string{"run", crash}, test.args...)
			if test.address != "" {
				args = append(args, "--redis", strings.Replace(test.address, "ADDR", address, 1))
			}
			code, _, stderr := lockstep(t.Context(), args...)
			if got := strings.Join(seen(), ";"); code != exitUsage || got != test.want {
				t.Errorf("exit %d, stderr %q, sent %q, want %q", code, stderr, got, test.want)
			}
			if source := map[string]string{"variable": passwordVariable, "file first": file, "in the address": "every user of this machine can see a password in an address; set it in " + passwordVariable}[name]; !strings.Contains(stderr, source) {
				t.Errorf("%q does not say where the password came from", stderr)
			}
		})
	}
}

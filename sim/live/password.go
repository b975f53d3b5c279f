package live

import (
	"io"
	"os"
	"strings"

	"lockstep/internal/lang"
)

// maxPassword bounds the part of a file that is read for a password.
const maxPassword = 4 << 10

// ReadPassword reads a password from a file with one line. Like ssh, it refuses
// a file of the user's own that others can read. The error never contains the
// file's text.
func ReadPassword(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if mode := info.Mode().Perm(); readByOthers(info) {
		return "", lang.Errorf("%s can be read by others (its mode is %#o); run chmod 600 on it", path, mode)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxPassword+1))
	if err != nil {
		return "", err
	}
	password, err := onlyLine(string(text))
	if err != nil {
		return "", lang.Errorf("%s: %w", path, err)
	}
	return password, nil
}

func onlyLine(text string) (string, error) {
	line := strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	switch {
	case len(text) > maxPassword:
		return "", lang.Errorf("it is longer than %d bytes; use a password on one line", maxPassword)
	case line == "":
		return "", lang.Errorf("it is empty; use a password on one line")
	case strings.ContainsAny(line, "\r\n"):
		return "", lang.Errorf("it has more than one line; use a password on one line")
	}
	return line, nil
}

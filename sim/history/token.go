package history

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"hash/crc32"
	"io"
	"strings"

	"lockstep/internal/lang"
)

// tokenPrefix contains the version of the format. A change of the meaning of old
// tokens needs another number.
const tokenPrefix = "ls1."

// Every schedule that a world can have fits: MaxSchedule actions of at most 40
// characters, packed or not, and written in base64.
const (
	maxToken     = 3 << 19 // bytes of a token
	maxTokenText = 1 << 20 // bytes of what it holds
)

// Token writes configuration and schedule in one line. ParseToken reads it.
func Token(c Config, s Schedule) string { return Pack(tokenPrefix, c.String()+"\n"+s.String()) }

// ParseToken reads what Token wrote.
func ParseToken(token string) (Config, Schedule, error) {
	fail := func(why string, args ...any) (Config, Schedule, error) {
		return Config{}, nil, lang.Errorf("replay token: %w", Briefly{lang.Errorf(why, args...)})
	}
	text, err := Unpack(tokenPrefix, token)
	if err != nil {
		return Config{}, nil, err
	}
	config, schedule, _ := strings.Cut(text, "\n")
	c, err := ParseConfig(config)
	if err != nil {
		return fail("its configuration: %w", err)
	}
	s, err := ParseSchedule(schedule)
	if err != nil {
		return fail("its schedule: %w", err)
	}
	return c, s, nil
}

// Pack writes a text as a token: a version, then base64url of a checksum and the
// deflated text.
func Pack(prefix, text string) string {
	var b bytes.Buffer
	b.Write(binaryChecksum(text))
	w, _ := flate.NewWriter(&b, flate.BestCompression) // the level is valid
	_, _ = io.WriteString(w, text)                     // a Buffer takes everything
	_ = w.Close()
	return prefix + base64.RawURLEncoding.EncodeToString(b.Bytes())
}

// Unpack reads what Pack wrote, within bounds. It does not mind @ and a step behind it, as
// an address of the walkthrough has.
func Unpack(prefix, token string) (string, error) {
	fail := func(why string, args ...any) (string, error) {
		return "", lang.Errorf("replay token: %w", Briefly{lang.Errorf(why, args...)})
	}
	token, _, _ = strings.Cut(strings.TrimSpace(token), "@")
	body, ok := strings.CutPrefix(token, prefix)
	switch {
	case len(token) > maxToken:
		return fail("%d characters are too many; at most %d fit", len(token), maxToken)
	case !ok && strings.HasPrefix(token, "ls"):
		version, _, _ := strings.Cut(token, ".")
		return fail("version %q is not of this program, which reads %q", version, strings.TrimSuffix(prefix, "."))
	case !ok:
		return fail("it does not begin with %q", prefix)
	}
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil || len(raw) < 4 {
		return fail("damaged: it is cut short, or has a character that no token has")
	}
	packed := bytes.NewReader(raw[4:])
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(packed), maxTokenText+1))
	switch {
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return fail("damaged: its contents do not unpack")
	case err != nil:
		return fail("damaged: it is cut short")
	case len(text) > maxTokenText:
		return fail("its contents are longer than %d bytes", maxTokenText)
	case packed.Len() > 0:
		return fail("damaged: something was added to it")
	case !bytes.Equal(raw[:4], binaryChecksum(string(text))):
		return fail("damaged: its checksum does not fit its contents")
	}
	return string(text), nil
}

func binaryChecksum(text string) []byte {
	n := crc32.ChecksumIEEE([]byte(text))
	return []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
}

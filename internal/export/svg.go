package export

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// An svg is a picture that is being written.
type svg struct{ strings.Builder }

func (s *svg) put(format string, args ...any) { fmt.Fprintf(&s.Builder, format, args...) }

// escape makes a text fit for an element or an attribute of XML: what XML cannot
// hold becomes U+FFFD.
func escape(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a builder takes everything
	return out.String()
}

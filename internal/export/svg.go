package export

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// An svg builds a picture.
type svg struct{ strings.Builder }

func (s *svg) put(format string, args ...any) { fmt.Fprintf(&s.Builder, format, args...) }

// escape escapes a text for XML; characters that XML cannot hold become U+FFFD.
func escape(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // writing to a builder cannot fail
	return out.String()
}

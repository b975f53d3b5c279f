package workshop

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"net/http"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// quiet is the white border of a code, in modules (ISO/IEC 18004).
const quiet = 4

// modules is how many modules the QR code of a text has in a row, and which are dark. Around
// it none is.
func modules(text string) (size int, dark func(x, y int) bool, err error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return 0, nil, err
	}
	return code.Bounds().Dx(), func(x, y int) bool {
		return image.Pt(x, y).In(code.Bounds()) && code.At(x, y) == color.Black
	}, nil
}

// svg draws a QR code, black on white whatever the page's colours.
func svg(text string) ([]byte, error) {
	size, dark, err := modules(text)
	if err != nil {
		return nil, err
	}
	var path strings.Builder
	for y := range size {
		for x := range size {
			if dark(x, y) {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+quiet, y+quiet)
			}
		}
	}
	size += 2 * quiet
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" shape-rendering="crispEdges"><rect width="100%%" height="100%%" fill="#fff"/><path d="%s" fill="#000"/></svg>`, size, size, path.String()), nil
}

// QR draws the QR code of a text for a terminal, two modules in a character: the light
// modules on a dark background, the dark ones on a light one. Not every reader takes a code
// the other way round.
func QR(text string, onLight bool) (string, error) {
	size, dark, err := modules(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for y := -2; y < size+2; y += 2 {
		for x := -2; x < size+2; x++ {
			b.WriteString(halves[[2]bool{dark(x, y) == onLight, dark(x, y+1) == onLight}])
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// halves are the characters with the upper and the lower half drawn.
var halves = map[[2]bool]string{{true, true}: "█", {true, false}: "▀", {false, true}: "▄", {}: " "}

// qr serves the code of the join link.
func (s *Server) qr(w http.ResponseWriter, r *http.Request) {
	picture, err := svg(cmp.Or(s.Join, "http://"+r.Host+"/"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(picture) // nobody reads it any more where the client has gone
}

func tagOf(text []byte) string {
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

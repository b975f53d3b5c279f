package cli

import (
	"strconv"
	"strings"
)

// themes are what --theme may say.
var themes = []string{"auto", "dark", "light"}

// background is what a terminal paints behind text, as a flag or else the
// terminal itself says; "" if nobody does. Many terminals name in COLORFGBG the
// colours, of 16, of text and of what is behind it. To ask one by an escape
// sequence would mean to wait for an answer that may not come.
func background(theme, colours string) string {
	if theme != themes[0] {
		return theme
	}
	behind, err := strconv.Atoi(colours[strings.LastIndexByte(colours, ';')+1:])
	switch {
	case err != nil || behind < 0 || behind > 15:
		return ""
	case behind < 7 || behind == 8:
		return "dark"
	}
	return "light"
}

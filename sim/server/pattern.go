package server

// matches reports whether a text matches a pattern of PSUBSCRIBE, as Redis's
// stringmatchlen does: * ? [a-z] [^a] and \ before a character. No pattern but the empty one matches the empty
// text.
func matches(pattern, text string) bool {
	for pattern != "" && text != "" {
		switch pattern[0] {
		case '*':
			for len(pattern) > 1 && pattern[1] == '*' {
				pattern = pattern[1:]
			}
			if len(pattern) == 1 {
				return true
			}
			for ; text != ""; text = text[1:] {
				if matches(pattern[1:], text) {
					return true
				}
			}
			return false
		case '?':
		case '[':
			in, rest := class(pattern[1:], text[0])
			if !in {
				return false
			}
			pattern = rest
		case '\\':
			if len(pattern) > 1 {
				pattern = pattern[1:]
			}
			fallthrough
		default:
			if pattern[0] != text[0] {
				return false
			}
		}
		pattern, text = pattern[1:], text[1:]
		for text == "" && pattern != "" && pattern[0] == '*' {
			pattern = pattern[1:]
		}
	}
	return pattern == "" && text == ""
}

// class reports whether a character is in a class whose bracket has been read,
// and returns the pattern from the class's last character on.
func class(pattern string, c byte) (in bool, rest string) {
	not := pattern != "" && pattern[0] == '^'
	if not {
		pattern = pattern[1:]
	}
	for {
		switch {
		case len(pattern) >= 2 && pattern[0] == '\\':
			pattern = pattern[1:]
			in = in || pattern[0] == c
		case pattern == "":
			return in != not, " " // a class without an end ends here
		case pattern[0] == ']':
			return in != not, pattern
		case len(pattern) >= 3 && pattern[1] == '-':
			from, to := pattern[0], pattern[2]
			in = in || min(from, to) <= c && c <= max(from, to)
			pattern = pattern[2:]
		default:
			in = in || pattern[0] == c
		}
		pattern = pattern[1:]
	}
}

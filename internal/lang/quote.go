package lang

// Quote is a message that is the same in every language; an empty one is none.
func Quote(text string) Message {
	if text == "" {
		return Message{}
	}
	return New("%s", text)
}

// IsZero says that JSON need not have it.
func (m Message) IsZero() bool { return m.None() }

// MarshalText writes it in English.
func (m Message) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads what MarshalText has written. Its language is English from now on.
func (m *Message) UnmarshalText(text []byte) error {
	*m = Quote(string(text))
	return nil
}

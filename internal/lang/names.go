package lang

// Names is a list of what is the same in every language, such as ids: each
// language has its own mark between them.
func Names(names []string) Message {
	if len(names) == 0 {
		return Message{}
	}
	all := Quote(names[0])
	for _, name := range names[1:] {
		all = New("%s, %s", all, name)
	}
	return all
}

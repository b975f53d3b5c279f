package message

// OfSystem is what an operating system says that a person may meet. A language
// knows it by its English text: see In.
var OfSystem = []Message{
	New("no such file or directory"), New("permission denied"), New("file exists"), New("is a directory"), New("not a directory"),
	New("no space left on device"), New("read-only file system"), New("broken pipe"), New("file already closed"),
}

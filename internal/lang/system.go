package lang

// OfSystem is what an operating system says that a person may meet. A language
// knows it by its English text: see In.
var OfSystem = []Word{
	"no such file or directory", "permission denied", "file exists", "is a directory", "not a directory",
	"no space left on device", "read-only file system", "broken pipe", "file already closed",
}

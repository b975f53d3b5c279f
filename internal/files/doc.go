// Package files reads and writes files safely: Read within a bound, Write as a
// whole or not at all, ReadTOML with the place of each value, so that an error
// about one names its line and column.
//
//	f, err := files.ReadTOML("course.toml", text, &data)
//	...
//	return f.At("chapter[2].lock", lang.Errorf("%q is not a lock", data.Chapter[2].Lock))
package files

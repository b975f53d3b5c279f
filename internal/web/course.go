package web

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"io/fs"

	"lockstep/internal/course"
)

// TakeCourse puts a course into the site: a folder, a zip, or a built-in one by
// name. It reads the course once, to find errors.
func (s Site) TakeCourse(where string) error {
	files, closes, err := course.Files(where)
	if err != nil {
		return err
	}
	defer closes()
	if _, err := course.Read(files, where); err != nil {
		return err
	}
	packed, err := pack(files)
	if err == nil {
		s["course.js"] = courseScript(packed)
	}
	return err
}

// courseScript hands a course to the page; without one it has the default.
func courseScript(packed []byte) []byte {
	return []byte(`globalThis.lockstepCourse="` + base64.StdEncoding.EncodeToString(packed) + "\";\n")
}

// pack makes a deterministic zip of files.
func pack(files fs.FS) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
	err = errors.Join(err, z.Close())
	return out.Bytes(), err
}

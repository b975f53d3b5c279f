package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"path"
	"time"
)

// A file of an archive, or of a release.
type file struct {
	name string
	data []byte
	mode fs.FileMode
}

// pack makes an archive of files in one folder: a zip for Windows, where
// nothing else is needed to open it, else a tar.gz. Equal files at an equal
// time make equal bytes.
func pack(system, folder string, files []file, when time.Time) (file, error) {
	if system == "windows" {
		data, err := zipped(folder, files, when.UTC())
		return file{folder + ".zip", data, 0o644}, err
	}
	data, err := tarred(folder, files, when.UTC())
	return file{folder + ".tar.gz", data, 0o644}, err
}

func zipped(folder string, files []file, when time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		head := &zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: when}
		head.SetMode(f.mode)
		part, err := w.CreateHeader(head)
		if err == nil {
			_, err = part.Write(f.data)
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

func tarred(folder string, files []file, when time.Time) ([]byte, error) {
	var out bytes.Buffer
	packed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(packed)
	for _, f := range files {
		head := &tar.Header{Name: path.Join(folder, f.name), Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: when}
		if err := w.WriteHeader(head); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err = errors.Join(w.Close(), packed.Close())
	return out.Bytes(), err
}

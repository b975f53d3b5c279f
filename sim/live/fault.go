package live

import (
	"errors"
	"os"
	"path/filepath"

	"lockstep/internal/lang"
)

// Kill kills the server's process like kill -9.
func (s *Server) Kill() error {
	if !s.Own() {
		return refused("%s is not a server of Lockstep's own, to be killed", s)
	}
	s.hangUp()
	s.process.kill()
	return nil
}

// Revive restarts a killed server at the same address, with or without its
// data.
func (s *Server) Revive(wipe bool) error {
	p := s.process
	if wipe {
		if err := p.wipe(); err != nil {
			return err
		}
	}
	if err := p.run(s.ctx); err != nil {
		return lang.Errorf("start redis-server again: %w", err)
	}
	return nil
}

// log is the file to which a server of Lockstep's own appends each write before its
// reply.
func (s *Server) log() string {
	return filepath.Join(s.process.dir, "appendonlydir", "appendonly.aof.1.incr.aof")
}

// Written returns how much the server has written, in bytes of its log.
func (s *Server) Written() (int64, error) {
	info, err := os.Stat(s.log())
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Forget lets a killed server know only its first writes, as a replica that takes
// over does.
func (s *Server) Forget(written int64) error { return os.Truncate(s.log(), written) }

func (p *process) wipe() error {
	entries, err := os.ReadDir(p.dir)
	for _, e := range entries {
		if name := filepath.Join(p.dir, e.Name()); name != p.file {
			err = errors.Join(err, os.RemoveAll(name))
		}
	}
	return err
}

// FlushScripts makes a server that Lockstep started forget all its scripts. It
// refuses on any other server.
func (s *Server) FlushScripts() error {
	if !s.Own() {
		return refused("SCRIPT FLUSH would forget the scripts of others too")
	}
	w, err := dial(s.ctx, s.target)
	if err != nil {
		return err
	}
	defer w.close()
	v, err := w.ask("SCRIPT", "FLUSH")
	return errors.Join(err, v.Err())
}

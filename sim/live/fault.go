package live

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/lang"
)

// Kill kills the process of the space's server like kill -9.
func (sp *Space) Kill() error {
	if !sp.server.Own() {
		return refused("%s is not a server of Lockstep's own, to be killed", sp.server)
	}
	sp.server.process.kill()
	return nil
}

// Revive restarts a killed server at the same address, with or without its
// data.
func (sp *Space) Revive(wipe bool) error {
	p := sp.server.process
	if wipe {
		if err := p.wipe(); err != nil {
			return err
		}
	}
	if err := p.run(sp.ctx); err != nil {
		return lang.Errorf("start redis-server again: %w", err)
	}
	return sp.redial()
}

func (p *process) wipe() error {
	entries, err := os.ReadDir(p.dir)
	for _, e := range entries {
		if name := filepath.Join(p.dir, e.Name()); name != p.file {
			err = errors.Join(err, os.RemoveAll(name))
		}
	}
	return err
}

// redial reopens the space's own connection.
func (sp *Space) redial() error {
	sp.admin.close()
	admin, err := dial(sp.ctx, sp.server.target)
	if err == nil {
		sp.admin = admin
	}
	return err
}

// A follower is a replica of a space's server. It replicates over a link that
// delays what it may not know yet.
type follower struct {
	server *Server
	link   *link
}

// Follow starts a replica with the server's present data. It receives later
// writes only on Promote.
func (sp *Space) Follow() error {
	if !sp.server.Own() {
		return refused("%s was not started by Lockstep, which can give only its own servers a replica", sp.server)
	}
	replica, err := Start(sp.ctx, Fleeting)
	if err != nil {
		return err
	}
	sp.follower = &follower{server: replica}
	if sp.follower.link, err = newLink(sp.server.target.address); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(sp.follower.link.address())
	if err != nil {
		return err
	}
	secret := sp.server.target.password
	for _, cmd := range [][]string{{"CONFIG", "SET", "masterauth", secret}, {"REPLICAOF", host, port}} {
		if err := sp.follower.order(sp.ctx, cmd...); err != nil {
			return err
		}
	}
	at, err := sp.Offset()
	if err != nil {
		return err
	}
	if err := sp.follower.await(sp.ctx, at); err != nil {
		return err
	}
	sp.follower.link.hold()
	return nil
}

// Offset returns the server's replication offset, in bytes.
func (sp *Space) Offset() (int64, error) {
	info, err := sp.admin.info()
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(info["master_repl_offset"], 10, 64)
}

// Promote sends the replica the writes up to an offset, ends the server, and
// replaces it by the replica.
func (sp *Space) Promote(offset int64) error {
	f := sp.follower
	if f == nil {
		return refused("a second failover: there is one replica")
	}
	f.link.reveal(offset)
	if err := f.await(sp.ctx, offset); err != nil {
		return err
	}
	sp.server.process.stop()
	if err := f.order(sp.ctx, "REPLICAOF", "NO", "ONE"); err != nil {
		return err
	}
	f.link.close()
	sp.former, sp.server, sp.follower = sp.server, f.server, nil
	return sp.redial()
}

// order sends the replica a command that must succeed.
func (f *follower) order(ctx context.Context, cmd ...string) error {
	w, err := dial(ctx, f.server.target)
	if err != nil {
		return err
	}
	defer w.close()
	v, err := w.ask(cmd...)
	if err == nil {
		err = v.Err()
	}
	if err != nil {
		return lang.Errorf("replica: %s: %w", strings.Join(cmd[:1], " "), err)
	}
	return nil
}

// await waits until the replica has reached an offset.
func (f *follower) await(ctx context.Context, offset int64) error {
	w, err := dial(ctx, f.server.target)
	if err != nil {
		return err
	}
	defer w.close()
	for end := time.Now().Add(startTimeout); ; time.Sleep(time.Millisecond) {
		info, err := w.info()
		if err != nil {
			return err
		}
		if info["master_link_status"] == "up" {
			f.link.synced(info["slave_repl_offset"])
			if at, _ := strconv.ParseInt(info["slave_repl_offset"], 10, 64); at >= offset {
				return nil
			}
		}
		if time.Now().After(end) {
			return lang.Errorf("replica: it is at %s of %d after %v", info["slave_repl_offset"], offset, startTimeout)
		}
	}
}

package server

import (
	"lockstep/sim"
	"lockstep/sim/history"
)

// This file is what a RealEnsemble knows without its server.

func (l *RealEnsemble) known() ensemble {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.book
}

// Health is Server's.
func (l *RealEnsemble) Health(sim.Ref) sim.Health { return l.known().Condition() }

// Behind is Server's.
func (l *RealEnsemble) Behind(sim.Ref) int { return 0 }

// Has is Server's.
func (l *RealEnsemble) Has(sim.Ref, string) bool { return false }

// NextExpiry is Server's.
func (l *RealEnsemble) NextExpiry(sim.Ref) (history.Millis, bool) { return l.known().Next() }

// Unread is Server's.
func (l *RealEnsemble) Unread(_ sim.Ref, conn string) (sim.Message, bool) {
	return l.known().Unread(conn)
}

// Take is Server's.
func (l *RealEnsemble) Take(_ sim.Ref, conn string) sim.Ref {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.book = l.book.Read(conn).(ensemble)
	return 0
}

// Broken is Server's.
func (l *RealEnsemble) Broken(_ sim.Ref, conn string) bool { return l.known().Broken(conn) }

// Keys returns the znodes, sorted by path.
func (l *RealEnsemble) Keys() []KeyView { return l.keys }

// Drift returns by how much real time was ahead of the world's time when a
// request executed, or late for a ping, at most.
func (l *RealEnsemble) Drift() history.Millis {
	l.mu.Lock()
	defer l.mu.Unlock()
	return history.Millis(l.drift.Milliseconds())
}

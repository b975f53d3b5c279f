// Package server is the nodes. An Embedded is a sim.Server that is a real
// miniredis, a Real one that is part of a real Redis server, and a NodeState all
// of an embedded node as a value, for explorers.
//
// Where miniredis would not do as Redis does, correct.go and transaction.go
// have it do so; TestConformance compares the two.
package server

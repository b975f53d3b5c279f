// Package server contains the nodes. An Embedded is a sim.Server on a real
// miniredis, a Real is one on a part of a real Redis server, and a NodeState is
// an embedded node as a value, for explorers.
//
// correct.go and transaction.go correct miniredis where it differs from Redis;
// TestConformance compares the two.
package server

// Package explore tries every schedule of a bounded world. It finds the
// shortest schedule that violates each invariant, or shows that within the
// bounds none does.
//
// A hazard (hazard.go) says what may go wrong and how often; it makes the
// bounds. brute.go explores by replaying real worlds, one schedule at a time:
// slow, simple, and the measure for anything faster.
package explore

package scenarios

import (
	"context"
	"strings"

	"lockstep/explain"
	"lockstep/sim/history"
)

// Causes finds what a violation of the run depends on, by playing it again: see
// explain.Find.
func (r *Result) Causes(ctx context.Context, v history.Violation) ([]explain.Cause, error) {
	return Causes(ctx, r.History, v)
}

// Causes does so for any run that a schedule alone has led to.
func Causes(ctx context.Context, h history.History, v history.Violation) ([]explain.Cause, error) {
	subject, err := SubjectOf(h.Config.Strategy)
	if err != nil {
		return nil, err
	}
	return explain.Find(ctx, h, subject, v)
}

// Line is an event of the run as a transcript tells of it: who, and what.
func (r *Result) Line(seq int) string {
	for _, l := range history.Lines(r.History.Events, r.History.Nodes) {
		if l.Seq <= seq && seq <= l.Last {
			return strings.TrimSpace(l.Who + " " + l.Text)
		}
	}
	return ""
}

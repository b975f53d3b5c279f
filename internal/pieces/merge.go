package pieces

import (
	"context"
	"reflect"
	"slices"
	"strconv"
	"time"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/sim/explore"
	"lockstep/sim/fuzz"
)

// A Whole is a job with the results of all its parts.
type Whole struct {
	Job     Job
	Parts   []Result // in order
	Missing []Piece  // in order; none unless it was put together by Some
}

// Merge puts results together that belong together: all parts of one job, by the
// program of one version. A part may be there more than once.
func Merge(version string, sources []Result) (*Whole, error) {
	if len(sources) == 0 {
		return nil, lang.Errorf("no parts to merge")
	}
	first := sources[0].Piece
	first.Version = version
	w, err := Some(first, sources)
	if err != nil || len(w.Missing) == 0 {
		return w, err
	}
	var missing []string
	for _, p := range w.Missing {
		missing = append(missing, strconv.Itoa(p.Part)+"/"+strconv.Itoa(p.Of))
	}
	return nil, lang.Errorf("%v: --part %v", lang.Count(len(w.Missing), "%d part is missing", "%d parts are missing"), lang.Few(missing, 20))
}

// Some is Merge of parts of the job of a piece, of which some may be missing: those of a
// search that was ended before they were done.
func Some(of Piece, sources []Result) (*Whole, error) {
	parts := make([]*Result, of.Of)
	for i := range sources {
		s, first := &sources[i], &sources[0]
		switch {
		case s.Version != of.Version:
			return nil, lang.Errorf("%s: %v is of another version of lockstep, or of the lock, than this one; run it again with this version", s.From, s.Name())
		case !reflect.DeepEqual(s.Job, first.Job):
			return nil, lang.Errorf("%s: %v is of another configuration than %s: %s", s.From, s.Name(), first.From, differing(&first.Job, &s.Job))
		case s.Of != first.Of:
			return nil, lang.Errorf("%s: %v overlaps with parts of %d, as %s is one", s.From, s.Name(), first.Of, first.From)
		}
		known := parts[s.Part-1]
		if known == nil || limited(known) && !limited(s) {
			parts[s.Part-1] = s
			continue
		}
		if known.Sum != s.Sum && !limited(s) {
			return nil, lang.Errorf("%s: %v differs from that of %s, which is of the same version and configuration", s.From, s.Name(), known.From)
		}
	}
	w := &Whole{Job: of.Job}
	for i, s := range parts {
		if s == nil {
			of.Part = i + 1
			w.Missing = append(w.Missing, of)
			continue
		}
		w.Parts = append(w.Parts, *s)
	}
	return w, nil
}

// differing names the first field in which two jobs differ, with both values.
func differing(a, b *Job) string { return differ("", reflect.ValueOf(*a), reflect.ValueOf(*b)) }

func differ(prefix string, a, b reflect.Value) string {
	for i := range a.NumField() {
		f, g, name := a.Field(i), b.Field(i), prefix+a.Type().Field(i).Name
		switch {
		case reflect.DeepEqual(f.Interface(), g.Interface()):
		case f.Kind() == reflect.Pointer && !f.IsNil() && !g.IsNil():
			return differ(name+".", f.Elem(), g.Elem())
		default:
			return lang.New("%s is %v, not %v", name, g.Interface(), f.Interface()).String()
		}
	}
	return ""
}

// limited reports whether a limit of the machine ended a search, so that the same part
// may have another result elsewhere.
func limited(r *Result) bool {
	return slices.ContainsFunc(r.Cells, func(c Cell) bool {
		return c.Report != nil && (c.Report.Limit == outOfMemory || c.Report.Limit == explore.RealTime)
	})
}

// Hunted returns the report of a hunt under each hazard, its counterexamples shortened,
// which happens here and once.
func (w *Whole) Hunted(ctx context.Context, lock, hazard string, m Machine) (fuzz.Report, error) {
	var parts []fuzz.Report
	o := w.Job.HuntOptions(m)
	shown := o // as fuzz.Part has it
	shown.Jobs = 0
	for i := range w.Parts {
		c, r, err := w.reportOf(ctx, &w.Parts[i], cellID{lock, hazard})
		if err != nil {
			return fuzz.Report{}, err
		}
		r.Hazard, r.Server, r.Bounds.States, r.Bounds.Memory = "", "", 0, 0 // the caller of a hunt adds the first two
		parts = append(parts, fuzz.Report{Report: r, Options: shown, Played: *c.Hunt})
	}
	subject, err := w.Job.question(cellID{lock, hazard}, 0)
	if err != nil {
		return fuzz.Report{}, err
	}
	r, err := fuzz.Merge(ctx, subject.Lock.Subject, o, parts)
	if len(w.Missing) > 0 && r.Limit == "runs" {
		r.Limit = explore.FirstViolation
	}
	return r, err
}

// Unsearched lists the runs of a hunt in the parts that are missing, as 256-511.
func (w *Whole) Unsearched() (ranges []string) {
	for i := 0; i < len(w.Missing); i++ {
		from, to := w.Missing[i].runs()
		for i+1 < len(w.Missing) && w.Missing[i+1].Part == w.Missing[i].Part+1 {
			i++
			_, to = w.Missing[i].runs()
		}
		ranges = append(ranges, strconv.Itoa(from)+"-"+strconv.Itoa(to-1))
	}
	return ranges
}

// Cells returns the cells of a matrix. The limit of those that are missing is
// explore.FirstViolation.
func (w *Whole) Cells(ctx context.Context) ([]explore.Cell, error) {
	of := len(w.Parts) + len(w.Missing)
	parts := make([]*Result, of)
	for i := range w.Parts {
		parts[w.Parts[i].Part-1] = &w.Parts[i]
	}
	var cells []explore.Cell
	for _, lock := range w.Job.Locks {
		for _, hazard := range w.Job.Hazards {
			id := cellID{lock, hazard}
			part := parts[len(cells)%of]
			if part == nil {
				q, err := w.Job.question(id, 0)
				if err != nil {
					return nil, err
				}
				cells = append(cells, explore.Cell{Lock: lock, Report: explore.Report{Hazard: hazard, Config: q.Config, Bounds: q.Hazard.Bounds, Limit: explore.FirstViolation}})
				continue
			}
			_, r, err := w.reportOf(ctx, part, id)
			if err != nil {
				return nil, err
			}
			cells = append(cells, explore.Cell{Lock: lock, Report: r})
		}
	}
	return cells, nil
}

// Checked returns the cell of a lock under a hazard, with what Machine.Try returned; nil if
// no part has it.
func (w *Whole) Checked(lock, hazard string) *Cell {
	for i := range w.Parts {
		for j := range w.Parts[i].Cells {
			if c := &w.Parts[i].Cells[j]; c.Lock == lock && c.Hazard == hazard && c.Checked != nil {
				return c
			}
		}
	}
	return nil
}

// reportOf returns a cell of a result as the report that it was. Its counterexamples
// are played again, and have to violate what they violated.
func (w *Whole) reportOf(ctx context.Context, of *Result, id cellID) (*Cell, explore.Report, error) {
	i := slices.IndexFunc(of.Cells, func(c Cell) bool { return c.Lock == id.lock && c.Hazard == id.hazard })
	c := &of.Cells[i] // Decode has checked that it is there
	q, err := w.Job.question(id, c.Memory)
	if err != nil {
		return nil, explore.Report{}, err
	}
	a, ok := c.Report.Answer(q, time.Time{})
	if ok {
		a.Trouble = c.Trouble
		ok = cache.Replay(ctx, &a.Report, false)
	}
	if err := ctx.Err(); err != nil {
		return nil, explore.Report{}, err
	}
	if !ok {
		return nil, explore.Report{}, lang.Errorf("%v: %s, %s: its counterexamples, played again, do not violate what they violated", of.Name(), id.lock, id.hazard)
	}
	return c, a.Report, nil
}

package pieces

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/sim/explore"
	"lockstep/sim/fuzz"
)

// A Whole is a job with the results of all its parts.
type Whole struct {
	version string // of all parts
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
			return nil, lang.Errorf("%s: %v is of another configuration than %s: %s", s.From, s.Name(), first.From, differ("", reflect.ValueOf(first.Job), reflect.ValueOf(s.Job)))
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
	w := &Whole{Job: of.Job, version: of.Version}
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

// differ names the first field in which two structures differ, with both values.
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
	for _, a := range r.Answers {
		if a.Limit == explore.OutOfMemory || a.Limit == explore.RealTime {
			return true
		}
	}
	return false
}

// Hunted returns the report of a hunt under a hazard, its counterexamples shortened,
// which happens here and once.
func (w *Whole) Hunted(ctx context.Context, q explore.Question, m Machine) (r explore.Report, err error) {
	var parts []explore.Report
	o := w.Job.HuntOptions(m)
	for i := range w.Parts {
		a, err := w.Parts[i].find(ctx, q)
		if err != nil {
			return r, err
		}
		parts = append(parts, a.Report)
	}
	r, err = fuzz.Merge(ctx, q.Lock.Subject, o, parts)
	if len(w.Missing) > 0 && r.Limit == explore.OutOfRuns {
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

// Lacks reports whether a cell was left out, of a whole that may be nil.
func (w *Whole) Lacks(lock, hazard string) bool {
	if w == nil {
		return false
	}
	n := slices.Index(w.Job.Locks, lock)*len(w.Job.Hazards) + slices.Index(w.Job.Hazards, hazard)
	return slices.ContainsFunc(w.Missing, func(p Piece) bool { return p.has(n) })
}

// Verdicts are the answers of all parts of a check or a matrix.
func (w *Whole) Verdicts() *cache.Verdicts {
	all := map[cache.Key]cache.Answer{}
	for _, r := range w.Parts {
		maps.Copy(all, r.Answers)
	}
	return verdicts(w.version, all)
}

// Cells returns the cells of a matrix. The limit of those that are missing is
// explore.FirstViolation.
func (w *Whole) Cells(ctx context.Context) (cells []explore.Report, err error) {
	asked, err := w.Job.Questions(0)
	v := w.Verdicts()
	for _, q := range asked {
		r, ok := v.Find(ctx, q)
		if !ok {
			r = q.Unanswered(explore.FirstViolation)
		}
		cells = append(cells, r)
	}
	return cells, err
}

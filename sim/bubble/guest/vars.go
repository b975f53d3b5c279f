package guest

// An owner is a package variable of which each run has its own.
type owner struct {
	save  func() any // a copy of the value
	load  func(any)
	fresh func() // computes the first value; nil if a copy of it will do
}

var (
	owners  []owner
	first   []any // their values before any run
	running *Vars // whose values they have
)

// Own gives each run its own value of a package variable. fresh computes the first
// value where a copy would share something with other runs, as of a map; nil if not.
// The result has no meaning.
func Own[T any](v *T, fresh func()) bool {
	owners = append(owners, owner{
		save: func() any {
			c := new(T)
			*c = *v
			return c
		},
		load:  func(c any) { *v = *c.(*T) },
		fresh: fresh,
	})
	return true
}

// Vars are a run's values of the package variables while another run has its own.
type Vars struct{ values []any }

// Enter gives the package variables the values of a run. One run at a time may run.
func (s *Vars) Enter() {
	switch {
	case len(owners) == 0 || running == s:
		return
	case running == nil:
		first = values()
	default:
		running.values = values()
	}
	begins := s.values == nil
	if begins {
		s.values = first
	}
	for i, o := range owners {
		o.load(s.values[i])
		if begins && o.fresh != nil {
			o.fresh()
		}
	}
	running = s
}

func values() (list []any) {
	for _, o := range owners {
		list = append(list, o.save())
	}
	return list
}

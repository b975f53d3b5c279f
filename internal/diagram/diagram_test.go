package diagram

import (
	"reflect"
	"slices"
	"testing"

	"lockstep/internal/lesson"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
)

// told returns a story as it is told.
func told(t *testing.T, story *scenarios.Story) *lesson.Run {
	t.Helper()
	result := testkit.Must(scenarios.Run(t.Context(), story))(t)
	return lesson.Of(result)
}

func find(t *testing.T, name string) *lesson.Run {
	t.Helper()
	story := testkit.Must(scenarios.Find(name))(t)
	return told(t, story)
}

// step counts rows from 1, as a reader does.
func step(row int) int { return row + 1 }

// TestLateDel: the picture of a_late_del, by what its story says: A's round, B's lease
// that ends by its time, C's lock that B's late DEL removes, D's that C's removes.
func TestLateDel(t *testing.T) {
	d := Of(find(t, "a_late_del"))
	const a, b, c, dd = 1, 2, 3, 4
	var leases []Bar
	for _, bar := range d.Bars {
		if bar.Kind == Lease {
			bar.From, bar.To = step(bar.From), step(bar.To)
			leases = append(leases, bar)
		}
	}
	want := []Bar{
		{Lane: 4, Client: a, From: 2, To: 8, End: Done, By: a},
		{Lane: 4, Client: b, From: 10, To: 21, End: Expired},
		{Lane: 4, Client: c, From: 22, To: 27, End: Removed, By: b},
		{Lane: 4, Client: dd, From: 28, To: 34, End: Removed, By: c},
	}
	same := func(x, y Bar) bool {
		return x.Lane == y.Lane && x.Client == y.Client && x.From == y.From && x.To == y.To && x.End == y.End && (x.End == Done || x.By == y.By)
	}
	if !slices.EqualFunc(leases, want, same) {
		t.Errorf("leases:\n%+v, want\n%+v", leases, want)
	}
	var slow []Arrow
	for _, arrow := range d.Arrows {
		if arrow.From != arrow.To {
			slow = append(slow, arrow)
		}
	}
	if late := (Arrow{Client: b, Start: 1, Goal: 4, From: 15, To: 26, Fate: Arrived}); !slices.Equal(slow, []Arrow{late}) {
		t.Errorf("arrows that take time: %+v, want %+v", slow, late)
	}
	if crowds := []Crowd{{29, 32, []int{2, 3}}}; !reflect.DeepEqual(d.Crowds, crowds) { // D enters, C leaves
		t.Errorf("two inside at %+v, want %+v", d.Crowds, crowds)
	}
	if gaps := []Gap{{16, 1000}, {19, 4001}}; !slices.Equal(d.Gaps, gaps) {
		t.Errorf("time passes at %+v, want %+v", d.Gaps, gaps)
	}
}

// TestBarsAgreeWithTheBands: after each row of each story, a node's lane has a lease of
// whoever owns the key there, and a client's lane a bar if it believes that it holds the
// lock. The bands come from the same monitor, but row by row and from nothing before.
func TestBarsAgreeWithTheBands(t *testing.T) {
	stories := scenarios.Stories()
	for _, story := range stories {
		r := told(t, story)
		d := Of(r)
		for row := range r.Rows {
			for lane, l := range r.Lanes {
				band := r.Rows[row].Now
				want := map[Kind]int{}
				switch {
				case l.Client == 0:
					want[Lease] = int(band.Owners[slices.Index(r.Nodes, l.Name)]) + 1
				case l.Main():
					if hold := band.Clients[l.Client-1].Hold; hold != lesson.NotHeld && hold != lesson.Dead {
						want[Belief] = l.Client
					}
					if hold := band.Clients[l.Client-1].Hold; hold == lesson.AtWork {
						want[Work] = l.Client
					} else if hold == lesson.Wrongly {
						want[Bare] = l.Client
					}
				}
				got := map[Kind]int{}
				for _, b := range d.At(lane, row) {
					if row < b.To || b.End == Open {
						got[b.Kind] = b.Client
					}
				}
				for kind, client := range want {
					if got[kind] != client {
						t.Fatalf("%s, step %d, lane %s: bars of %v, want %v", story.Name, row+1, l.Name, got, want)
					}
				}
			}
		}
	}
}

// TestUntil: what comes after a row is not in the diagram at that row.
func TestUntil(t *testing.T) {
	whole := Of(find(t, "a_late_del"))
	for row := range whole.Rows {
		d := whole.Until(row)
		for i, b := range d.Bars {
			if b.From > row || b.To > row || b.End != Open && b.To != whole.Bars[i].To {
				t.Errorf("after step %d: %+v", row+1, b)
			}
			if b.End == Open && whole.Bars[i].End != Open && whole.Bars[i].To <= row {
				t.Errorf("after step %d still open: %+v", row+1, b)
			}
		}
		for i, a := range d.Arrows {
			if a.From > row || a.To > row || a.Fate == Arrived && whole.Arrows[i].To > row {
				t.Errorf("after step %d: %+v", row+1, a)
			}
		}
		for _, c := range d.Crowds {
			if c.To > row {
				t.Errorf("after step %d: %+v", row+1, c)
			}
		}
	}
	if whole.Until(whole.Rows-1).Rows != whole.Rows {
		t.Error("the last row shows less than all")
	}
}

func BenchmarkOf(b *testing.B) {
	story, err := scenarios.Find("a_late_del")
	if err != nil {
		b.Fatal(err)
	}
	result, err := scenarios.Run(b.Context(), story)
	if err != nil {
		b.Fatal(err)
	}
	r := lesson.Of(result)
	for b.Loop() {
		Of(r)
	}
}

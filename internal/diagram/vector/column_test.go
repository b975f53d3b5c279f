package vector

import (
	"encoding/xml"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/diagram"
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
)

// TestAlone: for every story, and at each of its steps, the picture is well-formed, has a
// place for each row, below the one before, and grows by what happens.
func TestAlone(t *testing.T) {
	stories := scenarios.Stories()
	for _, s := range stories {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			result := testkit.Must(scenarios.Run(t.Context(), s))(t)
			whole := diagram.Of(lesson.Of(result))
			all := Alone(whole, 0, Label{Title: "a < b", Says: "c & d", Book: words})
			wellFormed(t, all.Names)
			wellFormed(t, all.Lanes)
			if len(all.Legend) == 0 {
				t.Errorf("a legend of %v", all.Legend)
			}
			for _, sign := range all.Legend {
				wellFormed(t, sign.Shape)
				if strings.Count(sign.Shape, "<") < 3 {
					t.Errorf("no shape means %q", sign.Says)
				}
			}
			apart(t, all.Names)
			if len(all.Ends) != whole.Rows {
				t.Fatalf("%d rows have %d places", whole.Rows, len(all.Ends))
			}
			before := 0
			for i, end := range all.Ends {
				if high := end - before; !whole.Passes[i] && high != QuietHeight && high != RowHeight {
					t.Errorf("row %d has a height of %d, although no time passes", i, high)
				}
				if end-before < QuietHeight || end-before > RowHeight+2*mostPassed {
					t.Errorf("row %d goes from %d to %d", i, before, end)
				}
				before = end
				part := Alone(whole.Until(i), 0, Label{Book: words})
				if n := len(part.Ends); n != i+1 || part.Ends[i] != end {
					t.Errorf("after row %d there are %d rows, the last ends at %d, not %d", i, n, part.Ends[n-1], end)
				}
			}
			if all.Height < before {
				t.Errorf("rows end at %d, the picture at %d", before, all.Height)
			}
		})
	}
}

// apart: the names of lanes, as many as clients and nodes at least, do not overlap.
func apart(t *testing.T, names string) {
	t.Helper()
	end := 0.0
	for _, m := range regexp.MustCompile(`<rect x="([^"]*)" y="\d+" width="([^"]*)"`).FindAllStringSubmatch(names, -1) {
		x, _ := strconv.ParseFloat(m[1], 64)
		width, _ := strconv.ParseFloat(m[2], 64)
		if x < end || width < 9 {
			t.Errorf("a name is %v wide at %v, where the one before ends at %v", width, x, end)
		}
		end = x + width
	}
	if end == 0 {
		t.Errorf("no names in %s", names)
	}
}

// TestAloneFrom: rows before the first one take no room, whatever they show.
func TestAloneFrom(t *testing.T) {
	story := testkit.Must(scenarios.Find("a_late_del"))(t)
	result := testkit.Must(scenarios.Run(t.Context(), story))(t)
	d := diagram.Of(lesson.Of(result))
	all, late := Alone(d, 0, Label{Book: words}), Alone(d, 10, Label{Book: words})
	if len(late.Ends) != len(all.Ends)-10 || late.Ends[0] != all.Ends[10]-all.Ends[9] {
		t.Errorf("the ends from row 10 on are %v, of all %v", late.Ends, all.Ends)
	}
	wellFormed(t, late.Lanes)
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
}

var words = prose.Load("en")

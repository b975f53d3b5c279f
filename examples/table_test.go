package examples

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/lang"
	"lockstep/internal/testkit"
	"lockstep/internal/trial"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/live"
)

var update = flag.Bool("update", false, "write what was found into docs/libraries-runs.md")

const page = "../docs/libraries-runs.md"

// TestTable tries each library again, and holds the page against what comes of
// it. Those that take long have their turn where LOCKSTEP_RUNS is set.
func TestTable(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := trial.Find(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	suite, err := trial.Open(t.Context(), pkg, nil, func(lang.Message) {})
	if err != nil {
		t.Fatal(err)
	}
	defer suite.Close()
	was := string(text)
	is := was
	rows, notes := []string{head(), "|" + strings.Repeat("---|", 3+len(explore.Hazards()))}, []string(nil)
	for _, l := range libraries {
		if slices.Contains(slow, l.name) && testkit.Size(t, 1, 1) == 1 {
			rows, notes = append(rows, lines(was, l.row())...), append(notes, lines(was, l.note())...)
			continue
		}
		used := version(t, l.module)
		row := l.row() + " " + used + " | " + l.use + " |"
		var found []finding
		lock := suite.Find(trial.LockID("TestLibraries/"+l.name, 1))
		for _, r := range reports(t, lock) {
			if r.Verdict == explore.Vacuous {
				notes = append(notes, l.note()+r.Hazard+": "+r.Reason)
			}
			row += " " + cell(r) + " |"
			for _, f := range r.Found {
				if r.finds(f) {
					found = append(found, finding{l, r, f})
				}
			}
		}
		rows = append(rows, row)
		for _, f := range found {
			is = replace(t, is, f.id(), f.facts(t, used, was))
		}
		lock.Host().Close()
		for _, m := range marked.FindAllStringSubmatch(was, -1) {
			if strings.HasPrefix(m[1], l.name+" ") && !slices.ContainsFunc(found, func(f finding) bool { return f.id() == m[1] }) {
				t.Errorf("%s tells of %s, which was not found", page, m[1])
			}
		}
	}
	is = replace(t, is, "table", strings.Join(rows, "\n")+"\n")
	is = replace(t, is, "vacuous", strings.Join(notes, "\n")+"\n")
	switch {
	case is == was:
	case *update && !t.Failed():
		if err := os.WriteFile(page, []byte(is), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is to say (go test -run Table -update):\n%s", page, different(was, is))
	}
}

// TestTableOfSlowRows: the rows that a quick run leaves out are named on the page,
// and are about the versions in use.
func TestTableOfSlowRows(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range libraries {
		if !slices.Contains(slow, l.name) {
			continue
		}
		if used := version(t, l.module); !strings.Contains(string(text), "\n"+l.row()+" "+used+" |") {
			t.Errorf("the row %s of %s is not about %s, which go.mod has; LOCKSTEP_RUNS=10 tries it", l.name, page, used)
		}
		if !strings.Contains(string(text), "`"+l.name+"`") {
			t.Errorf("%s does not say that %s is left out", page, l.name)
		}
	}
}

// row and note begin what the page says of a library.
func (l library) row() string  { return "| " + l.name + " |" }
func (l library) note() string { return "- " + l.name + ", " }

// lines are those of a page that begin so.
func lines(page, with string) (list []string) {
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, with) {
			list = append(list, line)
		}
	}
	return list
}

// A report is what came of a hazard, with what was asked for.
type report struct {
	*trial.Report
	plan *trial.Plan
}

// finds says whether a violation is one that a lease does not allow by its nature.
func (r report) finds(f trial.Found) bool {
	return f.Allowed == "" || slices.ContainsFunc(r.plan.Contract, func(a trial.Allowance) bool {
		return a.Own && a.Hazard == r.Hazard && a.Invariant == f.Invariant
	})
}

// reports tries a library.
func reports(t *testing.T, l *trial.Lock) (list []report) {
	t.Helper()
	plan := l.Plan
	plan.Runs = 100
	trial := trial.New(t.Context(), plan, 20*time.Minute, l.ID, l.Subject())
	defer trial.Close()
	trial.Host, trial.Ready = l.Host(), l.Host().Ready
	for _, h := range plan.Under() {
		r := trial.Try(t.Context(), h)
		if r.Verdict == explore.Inconclusive && r.Accepted == "" {
			t.Errorf("%s under %s: %s", l.Test, h.ID, r.Reason)
		}
		list = append(list, report{r, &plan})
	}
	return list
}

// version is that of a module that go.mod requires, or puts in its place.
func version(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{with .Replace}}{{.Version}}{{else}}{{.Version}}{{end}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// short is how a table calls an invariant.
var short = map[string]string{
	history.MutualExclusion: "ME", history.ForeignRelease: "FR", history.ForeignRenewal: "FN", history.EqualTokens: "ET", history.OverwrittenLease: "OL", history.PhantomHold: "PH",
	history.LockRecovers: "LR", history.SelfDeadlock: "SD", history.StaleWrite: "SW", history.LostUpdate: "LU", history.Leak: "LK", history.Panics: "PA", history.BlockedForever: "BF",
}

func head() string {
	row := "| row | version | used |"
	for _, h := range explore.Hazards() {
		row += " " + h.ID + " |"
	}
	return row
}

// cell is what came of one hazard.
func cell(r report) string {
	var found, allowed []string
	for _, f := range r.Found {
		text := fmt.Sprintf("%s %d", short[f.Invariant], f.Steps)
		if f.Faults > 0 {
			text += fmt.Sprintf("/%d", f.Faults)
		}
		if r.finds(f) {
			found = append(found, "**"+text+"**")
		} else {
			allowed = append(allowed, text)
		}
	}
	part := ""
	if r.Sampled > 0 {
		part = ", in part"
	}
	switch {
	case len(found) > 0:
		return "✗ found " + strings.Join(append(found, allowed...), ", ") + part
	case len(allowed) > 0:
		return "○ allowed " + strings.Join(allowed, ", ") + part
	case r.Verdict == explore.Vacuous:
		return "– vacuous"
	case r.Verdict == explore.Inconclusive:
		return "~ in part"
	}
	return fmt.Sprintf("✓ holds (%d)", r.States)
}

// A finding is a violation that the contract of a lease does not allow.
type finding struct {
	library
	report
	trial.Found
}

func (f finding) id() string { return f.name + " " + f.Hazard + " " + f.Invariant }

// facts are what the page says of a finding, as it was found. Where no server is, it
// goes on saying what it says of one.
func (f finding) facts(t *testing.T, version, page string) string {
	shortest := "not proven shortest"
	if f.Shortest {
		shortest = "no schedule is shorter"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "- %s %s, %s\n", strings.TrimSuffix(f.module, "010"), version, f.use)
	fmt.Fprintf(&b, "- %s\n", f.Says)
	fmt.Fprintf(&b, "- %v; %s\n", f.Size(), shortest)
	fmt.Fprintf(&b, "- assuming `%s`\n", f.Assumptions)
	fmt.Fprintf(&b, "- `%s`\n", f.Token)
	said, err := f.onServer(t.Context())
	if err != nil {
		t.Logf("%s on a real server: %v", f.id(), err)
		said = between(page, "- on a real server: ", "\n", f.id())
	}
	fmt.Fprintf(&b, "- on a real server: %s\n", said)
	return b.String()
}

// onServer plays a finding on a server of one's own. An error says that this
// was no time or place for it.
func (f finding) onServer(ctx context.Context) (string, error) {
	config, schedule, err := history.ParseToken(f.Token)
	if err != nil {
		return "", err
	}
	story, err := scenarios.FromSchedule(ctx, "found", config, schedule)
	if err != nil {
		return "", err
	}
	r, err := scenarios.RunLive(ctx, story, config.Strategy, live.Start)
	var not *live.RefusedError
	switch {
	case errors.As(err, &not):
		return not.Why.String(), nil
	case err != nil:
		return "", err
	case r.Difference.None():
		return "the same", nil
	}
	return fmt.Sprintf("otherwise: %v", r.Difference), nil
}

// marked is where the page has what a test writes.
var marked = regexp.MustCompile(`(?m)^<!-- run: (.*) -->$`)

const end = "<!-- end of the run -->\n"

// replace puts a text between the marks of the page.
func replace(t *testing.T, page, id, text string) string {
	t.Helper()
	mark := "<!-- run: " + id + " -->\n"
	before, rest, ok := strings.Cut(page, mark)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Errorf("the page has no place for %s: %s%s", id, mark, end)
		return page
	}
	return before + mark + text + end + after
}

// between is what the page has for an id, from one mark to another.
func between(page, from, to, id string) string {
	_, rest, _ := strings.Cut(page, "<!-- run: "+id+" -->\n")
	_, rest, _ = strings.Cut(rest, from)
	text, _, _ := strings.Cut(rest, to)
	return text
}

// different lists the lines of two pages that are not the same.
func different(was, is string) string {
	var b strings.Builder
	old := strings.Split(was, "\n")
	for _, line := range strings.Split(is, "\n") {
		if !slices.Contains(old, line) {
			fmt.Fprintln(&b, line)
		}
	}
	return b.String()
}

// TestPlaybook: the code that docs/libraries.md shows is the code that runs.
func TestPlaybook(t *testing.T) {
	text, err := os.ReadFile("../docs/libraries.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("redsync_test.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(text, -1)
	if len(shown) < 2 {
		t.Errorf("it shows %d pieces of code", len(shown))
	}
	for _, m := range shown {
		if !strings.Contains(string(code), string(m[1])) {
			t.Errorf("this is not in redsync_test.go:\n%s", m[1])
		}
	}
}

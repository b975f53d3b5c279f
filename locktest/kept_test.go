package locktest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/trial"
)

// TestKept: what was found is played first while the lock is as it was, and does
// no harm when it has been mended.
func TestKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "of a[1") // as a test may be called
	tryUnder := func(m mistake, hazard Hazard) *trial.Report {
		t.Helper()
		tr := trialHere(t, withMistake(m))
		tr.Kept = dir
		return under(t, tr, hazard)
	}
	try := func(m mistake) *trial.Report { t.Helper(); return tryUnder(m, Overrun) }
	first := try(noToken)
	at := slices.IndexFunc(first.Found, func(f trial.Found) bool { return f.Invariant == "foreign-release" })
	if at < 0 {
		t.Fatalf("%+v", first)
	}
	found := first.Found[at]
	name := testkit.Must(trial.Keep(dir, "overrun", &found))(t)
	if _, err := trial.Keep(filepath.Join(name, "a-file"), "overrun", &found); err == nil {
		t.Error("it was kept below a file")
	}
	again := try(noToken)
	if again.States != 0 || !strings.Contains(again.Reason, name) || again.Found[0].Token != found.Token || len(again.Found[0].Transcript) == 0 {
		t.Errorf("%+v", again)
	}
	crashed := tryUnder(expireApart, Crash)
	if len(crashed.Found) == 0 || crashed.Found[0].Faults != 1 {
		t.Fatalf("%+v", crashed)
	}
	testkit.Must(trial.Keep(dir, "crash", &crashed.Found[0]))(t)
	if again := tryUnder(expireApart, Crash); len(again.Found) != 1 || again.Found[0].Size().String() != crashed.Found[0].Size().String() {
		t.Errorf("kept with %v and played with %+v", crashed.Found[0].Size(), again.Found)
	}
	if mended := try(none); mended.States == 0 || !mended.Passes() {
		t.Errorf("%+v", mended)
	}
	for _, text := range []string{"", "ls1.nonsense\nforeign-release\n", found.Token + "\nno-invariant\n", strings.Repeat("x", 1<<20)} {
		testkit.OK(t, os.WriteFile(name, []byte(text), 0o600))
		if r := try(noToken); r.Passes() || !strings.Contains(r.Reason, name) {
			t.Errorf("%.20q: %+v", text, r)
		}
	}
}

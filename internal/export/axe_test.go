package export

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"lockstep/internal/testkit"
)

// TestPageForEverybody: axe finds nothing in a page, played or not, that would keep
// anybody out.
func TestPageForEverybody(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join(modules(t), "axe-core", "axe.min.js"))
	if err != nil {
		t.Skip(err)
	}
	l := lessonOf(t, sample, "en")
	text := testkit.Must(l.HTML())(t)
	b := openTab(t)
	b.size(1280, 900)
	const check = `axe.run().then((r) => r.violations.map((v) => v.id + " at " + v.nodes[0].html).join("\n"))`
	for i, hash := range []string{"", fmt.Sprintf("#step-%d", l.Violations[0].Step)} {
		b.open(fmt.Sprintf("page%d.html", i), text, hash)
		eval[any](b, string(axe)+"; 0") // a debugger may what the page's own policy forbids the page
		want(b, check, "")
		b.Press(kb.Escape)
		want(b, check, "")
	}
}

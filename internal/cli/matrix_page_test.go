//go:build !race

package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestMatrixPage computes the matrix of docs/matrix.md again. It takes some
// seconds, and many more with the race detector, so that it is left out there;
// .ci/run runs it by itself.
func TestMatrixPage(t *testing.T) {
	if testing.Short() || os.Getenv("LOCKSTEP_MATRIX") == "" {
		t.Skip("LOCKSTEP_MATRIX is not set")
	}
	page := testkit.Must(os.ReadFile("../../docs/matrix.md"))(t)
	_, rest, _ := strings.Cut(string(page), "<!-- matrix -->\n")
	want, _, ok := strings.Cut(rest, "<!-- end of the matrix -->")
	if !ok {
		t.Fatal("docs/matrix.md has no matrix between its marks")
	}
	var out, talk bytes.Buffer
	run(t.Context(), []string{"matrix", "--markdown"}, strings.NewReader(""), &out, &talk)
	if out.String() != want {
		t.Errorf("the matrix in docs/matrix.md is stale; it would be\n%s\n%s", out.String(), talk.String())
	}
}

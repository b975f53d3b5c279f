package scenarios

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected output of the stories")

func TestStories(t *testing.T) {
	stories, err := Stories()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stories {
		t.Run(s.Name, func(t *testing.T) {
			result, err := Run(s)
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				file := filepath.Join("stories", s.Name+".txt")
				if err := os.WriteFile(file, []byte(s.Rewrite(result.Outputs())), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if err := result.Mismatch(s); err != nil {
				t.Error(err)
			}
		})
	}
}

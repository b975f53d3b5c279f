package pages

import (
	"os"
	"strings"
	"testing"
)

// TestTourAnswersNothing: its story is in no course.
func TestTourAnswersNothing(t *testing.T) {
	for _, dir := range []string{"locks", "locks-in-go-services", "redis-locks-in-an-hour", "three-ways-to-a-lock", "what-redlock-assumes"} {
		text, err := os.ReadFile("../../internal/course/builtin/" + dir + "/course.toml")
		if err != nil || strings.Contains(string(text), tourStory) {
			t.Errorf("%s tells the story of the tour: %v", dir, err)
		}
	}
}

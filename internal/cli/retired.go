package cli

import (
	"github.com/spf13/cobra"

	"lockstep/internal/lang"
)

// retired are the commands, flags and formats that Lockstep no longer has, each with a
// sentence that says what replaces it.
var retired = map[string]lang.Word{
	"agenda":         "A course says how long its chapters take: --present and workshop show it, and docs/teaching.md lists courses of 45 minutes to three hours. Export writes a course with its questions and answers",
	"diploma":        "It is a page of the course in the walkthrough and in a browser: D",
	"explore --cut":  "Explore searches on one machine; --states and --memory raise its limits",
	"explore --part": "Explore searches on one machine; --states and --memory raise its limits. Use --part with hunt, matrix and check",
	"export --size":  "Export an .html, which plays the run step by step",
	"export .cast":   "Export an .html, which plays the run step by step",
	"hunt --pick":    "Hunt picks by random priorities, the way that has a bound; --depth and --seed set them",
	"hunt --swarm":   "Hunt has all faults of a hazard in each run; --faults limits them",
	"workshop --ssh": "A class has its browsers; lockstep shows the walkthrough in a terminal of this machine",
}

// retirement is the error for an unknown command, flag or format that there once was;
// nil for any other.
func retirement(cmd *cobra.Command, args []string, what string) error {
	if instead := retired[cmd.Name()+" "+what]; instead != "" {
		return lang.Errorf("%s has no %s any more. %v", cmd.Name(), what, instead)
	}
	for _, word := range args {
		if instead := retired[word]; instead != "" && cmd == cmd.Root() {
			return lang.Errorf("there is no command %s any more. %v", word, instead)
		}
	}
	return nil
}

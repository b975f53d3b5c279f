package docs

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"lockstep/internal/testkit"
)

// A workflow has the fields of a GitHub workflow that docs/many-machines.md uses.
type workflow struct {
	Name, On string
	Jobs     map[string]struct {
		Needs    string
		RunsOn   string `yaml:"runs-on"`
		Strategy struct{ Matrix struct{ Part []int } }
		Steps    []struct {
			Uses, Run string
			With      map[string]any
		}
	}
}

// An indexedJob has the fields of a Kubernetes Job that the page uses, named as
// k8s.io/api/batch/v1 names them.
type indexedJob struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		CompletionMode           string `yaml:"completionMode"`
		Completions, Parallelism int
		BackoffLimitPerIndex     int `yaml:"backoffLimitPerIndex"`
		Template                 struct {
			Spec struct {
				RestartPolicy string `yaml:"restartPolicy"`
				Containers    []struct {
					Name, Image  string
					Command      []string
					Resources    struct{ Requests, Limits map[string]string }
					VolumeMounts []struct {
						Name      string
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
				}
				Volumes []struct {
					Name  string
					Claim struct {
						Name string `yaml:"claimName"`
					} `yaml:"persistentVolumeClaim"`
				}
			}
		}
	}
}

// TestMachines: the files of docs/many-machines.md parse, with no field that is not
// known, and cut the work into as many parts as they start.
func TestMachines(t *testing.T) {
	page := testkit.Must(os.ReadFile("many-machines.md"))(t)
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of YAML, not 2", len(blocks))
	}
	read := func(block []byte, into any) {
		in := yaml.NewDecoder(strings.NewReader(string(block)))
		in.KnownFields(true)
		if err := in.Decode(into); err != nil {
			t.Errorf("%v in\n%s", err, block)
		}
	}
	var w workflow
	read(blocks[0][1], &w)
	parts := w.Jobs["part"].Strategy.Matrix.Part
	for i, part := range parts {
		if part != i+1 {
			t.Errorf("the parts are %v", parts)
		}
	}
	if run := w.Jobs["part"].Steps[1].Run; !strings.Contains(run, fmt.Sprintf("--part ${{ matrix.part }}/%d ", len(parts))) {
		t.Errorf("%d parts, and the command is %q", len(parts), run)
	}
	var j indexedJob
	read(blocks[1][1], &j)
	c := j.Spec.Template.Spec.Containers[0]
	if command := c.Command[2]; !strings.Contains(command, fmt.Sprintf("--part $((JOB_COMPLETION_INDEX + 1))/%d ", j.Spec.Completions)) {
		t.Errorf("%d completions, and the command is %q", j.Spec.Completions, command)
	}
	if j.Spec.CompletionMode != "Indexed" || c.VolumeMounts[0].Name != j.Spec.Template.Spec.Volumes[0].Name {
		t.Errorf("%+v", j)
	}
}

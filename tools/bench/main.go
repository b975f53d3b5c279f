// Command bench measures what somebody waits for: the CPU time and the memory of
// whole commands of Lockstep, side by side with another build.
//
//	go run -C tools ./bench
//	go run -C tools ./bench --with /tmp/before --only run --times 5
//
// It builds the program of this working tree. The builds take turns, and of several times
// the least counts, so that a busy machine disturbs both alike. Each command has an
// empty cache. Figures that no machine changes are kept by TestFigures in sim/explore.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A task is one command of Lockstep, or several of which the median and the maximum
// are told.
type task struct {
	name     string
	commands [][]string
}

// A row is what a task took, one column for each build.
type row struct {
	Task   string    `json:"task"`
	CPU    []float64 `json:"cpu_ms"`  // user and system time
	Memory []float64 `json:"peak_mb"` // 0 where the system does not tell
	Worst  []string  `json:"worst,omitempty"`
}

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, args []string) error {
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	with := flags.String("with", "", "measure this other build of lockstep too: a `FILE`")
	only := flags.String("only", "", "measure only tasks that match this `REGEXP`, such as ^run or 'explore set-'")
	times := flags.Int("times", 3, "how often; the least counts")
	asJSON := flags.Bool("json", false, "print one JSON object")
	_ = flags.Parse(args) // it exits
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "lockstep-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	own := filepath.Join(dir, "lockstep.exe") // the ending matters to Windows only
	build := exec.Command("go", "build", "-o", own, ".")
	build.Dir = ".." // go run -C tools runs it here
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, text)
	}
	builds := []string{own}
	if *with != "" {
		if _, err := exec.LookPath(*with); err != nil {
			return fmt.Errorf("-with: %w; go build -o makes such a file", err)
		}
		builds = append(builds, *with)
	}
	all, err := tasks(own)
	if err != nil {
		return err
	}
	some := slices.DeleteFunc(slices.Clone(all), func(t task) bool { return !chosen.MatchString(t.name) })
	if len(some) == 0 {
		return fmt.Errorf("-only %s matches no task; there are such as %q, %q and %q", *only, all[0].name, all[2].name, all[len(all)-1].name)
	}
	var rows []row
	for _, t := range some {
		r, err := measure(t, builds, dir, *times)
		if err != nil {
			return err
		}
		rows = append(rows, r...)
		fmt.Fprintf(os.Stderr, "%s: %.0f ms\n", t.name, r[0].CPU[0])
	}
	if *asJSON {
		return json.NewEncoder(out).Encode(map[string]any{"schema": 1, "builds": append([]string{"this"}, builds[1:]...), "rows": rows})
	}
	return table(out, rows)
}

// tasks are the rows of the table, from the locks and stories that the program lists.
func tasks(program string) (all []task, err error) {
	text, err := exec.Command(program, "list", "--json").Output()
	if err != nil {
		return nil, err
	}
	var list struct {
		Locks   []struct{ ID string }
		Stories []struct{ Name string }
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	one := func(words ...string) task { return task{strings.Join(words, " "), [][]string{words}} }
	all = append(all, one("version"), one("list"), task{name: "run STORY --plain"})
	for _, s := range list.Stories {
		stories := &all[len(all)-1]
		stories.commands = append(stories.commands, []string{"run", s.Name, "--plain"})
	}
	for _, l := range list.Locks {
		all = append(all, one("explore", l.ID, "--first"))
	}
	for _, l := range list.Locks {
		all = append(all, one("explore", l.ID))
	}
	return append(all, one("matrix")), nil
}

// measure runs the commands of a task. Of several it returns the median and the
// maximum as two rows.
func measure(t task, builds []string, dir string, times int) ([]row, error) {
	median, most := row{Task: t.name}, row{Task: t.name + ", max"}
	type cost struct {
		command     string
		cpu, memory float64
	}
	least := make([]map[string]cost, len(builds))
	for i := range builds {
		least[i] = map[string]cost{}
	}
	for _, words := range t.commands {
		for range times {
			for i, program := range builds {
				cpu, memory, err := spend(program, words, dir)
				if err != nil {
					return nil, err
				}
				key := strings.Join(words, " ")
				if before, known := least[i][key]; !known || cpu < before.cpu {
					least[i][key] = cost{key, cpu, memory}
				}
			}
		}
	}
	for _, costs := range least {
		sorted := make([]cost, 0, len(costs))
		for _, c := range costs {
			sorted = append(sorted, c)
		}
		slices.SortFunc(sorted, func(a, b cost) int { return cmp.Compare(a.cpu, b.cpu) })
		middle, last := sorted[len(sorted)/2], sorted[len(sorted)-1]
		median.CPU, median.Memory = append(median.CPU, middle.cpu), append(median.Memory, middle.memory)
		most.CPU, most.Memory, most.Worst = append(most.CPU, last.cpu), append(most.Memory, last.memory), append(most.Worst, last.command)
	}
	if len(t.commands) == 1 {
		return []row{median}, nil
	}
	median.Task += ", median"
	return []row{median, most}, nil
}

// spend runs a command in a cache of its own.
func spend(program string, words []string, dir string) (cpu, memory float64, err error) {
	cache, err := os.MkdirTemp(dir, "cache")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(cache)
	cmd := exec.Command(program, words...)
	cmd.Env = append(os.Environ(), "LOCKSTEP_CACHE="+cache, "LOCKSTEP_PLAIN=1")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return 0, 0, fmt.Errorf("%s %s: %w\n%s", program, strings.Join(words, " "), err, said.String())
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return float64(used) / float64(time.Millisecond), peak(cmd.ProcessState.SysUsage()), nil
}

// peak is the most memory in use, in MB, where the system tells it in KB as Linux does.
func peak(usage any) float64 {
	v := reflect.Indirect(reflect.ValueOf(usage))
	if v.Kind() == reflect.Struct && v.FieldByName("Maxrss").IsValid() {
		return float64(v.FieldByName("Maxrss").Int()) / 1024
	}
	return 0
}

func table(out io.Writer, rows []row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "CPU ms\tMB\tother ms\tMB\tthis/other\t  ")
	for _, r := range rows {
		for i := range 2 {
			if i < len(r.CPU) {
				fmt.Fprintf(w, "%.1f\t%.0f\t", r.CPU[i], r.Memory[i])
			} else {
				fmt.Fprint(w, "\t\t")
			}
		}
		if len(r.CPU) > 1 {
			fmt.Fprintf(w, "%.2f", r.CPU[0]/r.CPU[1])
		}
		worst := ""
		if len(r.Worst) > 0 {
			worst = " (" + r.Worst[0] + ")"
		}
		fmt.Fprintf(w, "\t  %s%s\n", r.Task, worst)
	}
	return w.Flush()
}

package cli

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/internal/course"
	"lockstep/internal/prose"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// commandsOf calls do for the root and all commands below it.
func commandsOf(root *cobra.Command, do func(*cobra.Command)) {
	do(root)
	for _, sub := range root.Commands() {
		commandsOf(sub, do)
	}
}

// TestEveryHelpIsTranslated: each command and flag is told of in each language, and no
// other; in English but for what cobra says itself.
func TestEveryHelpIsTranslated(t *testing.T) {
	english := prose.Load("en")
	for _, lang := range prose.Languages() {
		book := prose.Load(lang)
		root := newApp(nil, &bytes.Buffer{}, &bytes.Buffer{}).rootCommand()
		root.InitDefaultHelpCmd()
		var known []string
		commandsOf(root, func(cmd *cobra.Command) {
			words := commandWords(cmd)
			known = append(known, words)
			help := book.Help(words)
			switch said := english.Help(words); {
			case lang == "en":
				help.Short += cmd.Short
			case help.Short == said.Short: // it is English
				help.Short = ""
			case help.Long == said.Long:
				help.Long = ""
			}
			long := cmd.Long+english.Help(words).Long != "" && words != "stories" && words != "courses" && (lang != "en" || cmd.Long == "")
			if help.Short == "" || long != (help.Long != "") {
				t.Errorf("help.toml of %s: %s: short %q and long %q", lang, words, help.Short, help.Long)
			}
			told := map[string]bool{}
			for _, flags := range []*pflag.FlagSet{cmd.LocalNonPersistentFlags(), cmd.PersistentFlags()} {
				flags.VisitAll(func(f *pflag.Flag) {
					told[f.Name] = f.Name != "help" && f.Name != "version" && (lang != "en" || f.Usage == "")
				})
			}
			for name := range help.Flags {
				if !told[name] {
					t.Errorf("help.toml of %s: %s has no --%s", lang, words, name)
				}
			}
			for name, is := range told {
				if is && (help.Flags[name] == "" || lang != "en" && help.Flags[name] == english.Help(words).Flags[name]) {
					t.Errorf("help.toml of %s: %s: --%s is missing", lang, words, name)
				}
			}
		})
		for _, words := range book.Helps() {
			if !slices.Contains(known, words) {
				t.Errorf("help.toml of %s: there is no command %s", lang, words)
			}
		}
	}
}

// machineWords are what is English in every language: it is typed, or looked for by
// programs, or stands in a history, or is a name.
func machineWords() map[string]bool {
	all := map[string]bool{}
	add := func(words ...string) {
		for _, w := range words {
			for _, part := range latin.FindAllString(w, -1) {
				all[part] = true
			}
		}
	}
	commandsOf(newApp(nil, &bytes.Buffer{}, &bytes.Buffer{}).rootCommand(), func(cmd *cobra.Command) {
		add(cmd.Use)
		add(cmd.Aliases...)
		cmd.InitDefaultHelpFlag()
		cmd.Flags().VisitAll(func(f *pflag.Flag) { add(f.Name) })
		cmd.PersistentFlags().VisitAll(func(f *pflag.Flag) { add(f.Name) })
	})
	for _, l := range strategies.Catalogue() {
		add(l.ID, l.File, l.Fix)
		add(l.Source...)
	}
	add(hazardIDs()...)
	add(course.Names()...)
	for _, id := range history.Invariants() {
		add(history.Short(id))
	}
	add(history.Invariants()...)
	for _, v := range history.Verbs() {
		add(string(v))
	}
	add(history.Default().String(), "strategy clients ttl wait poll work rounds nest timeout retries nodes lag resource stock store sql world")
	add("help h version v VIOLATED HOLDS VACUOUS INCONCLUSIVE x vac inc s h ok new FAIL stat server CMD MOMENT DURATION WRITES")
	add("lockstep Lockstep Redis redis ZooKeeper Debian java Lua context TTL Markdown JSON XML JUnit SARIF PEM ASCII URL TLS PATH SIGINT SIGTERM Go go miniredis unix socket host port user password db path")
	add("bash zsh fish powershell shell macOS Linux bash-completion flags command txt id en zh MiB GiB ms m")
	add("lst y ADDRESS WebAssembly index zip html svg md mmd png o ID JavaScript Mermaid")
	add("NO_COLOR LOCKSTEP_PLAIN LOCKSTEP_CACHE off LOCKSTEP_NO_ANIMATION COLORFGBG REDISCLI_AUTH dark light auto start pct os Exit cli")
	add("locktest Check REGEXP README LANG LOCK LOCKS STORY TOKEN DIR COMMAND HAZARD HAZARDS PACKAGES NAMES NAME VALUE SIZE ADDR FILE N D HOW R n k d A B r")
	add("SETNX SET NX EX PX DEL GET GETSET EXPIRE PEXPIRE EVAL EVALSHA MULTI EXEC WATCH DELEX BLPOP Redlock strategies")
	return all
}

var (
	latin = regexp.MustCompile(`[A-Za-z]+`)
	// indented lines of help are what somebody types, but for those with Han; Go code
	// has its line's number before it, and a token begins with its version.
	typed = regexp.MustCompile(`(?m)"[^"\n]*"|^[ \t]+[^\p{Han}\n]*$|^ *\d+  .*$|ls1\.\S*|sha:\S*|\S+\.(go|txt|toml)\S*|\S*/\S+|\S*_\S*`)
)

// TestNoEnglishIsLeftOver: the help and the main output of every command in Chinese
// have no English but what machines and people type.
func TestNoEnglishIsLeftOver(t *testing.T) {
	known := machineWords()
	config := history.Default()
	config.Strategy = "set-del"
	token := history.Token(config, history.Schedule{{Verb: history.Step, Client: "A"}})
	lines := [][]string{
		{"list"}, {"show", "--card", "set-lua"}, {"show", "--card", "redlock"}, {"replay", token},
		{"explore", "set-del", "--hazard", "overrun,crash,client-clock"}, {"explore", "spin-lock", "--hazard", "contention", "--stats"},
		{"explore", "setnx", "--hazard", "reentry", "--transcript"}, {"explore", "set-lua", "--hazard", "crash", "--states", "20"},
		{"hunt", "set-del", "--hazard", "overrun", "--runs", "100"}, {"hunt", "setnx", "--hazard", "crash", "--runs", "1"},
		{"matrix", "--locks", "setnx,set-del", "--hazards", "overrun,client-clock"}, {"matrix", "--locks", "setnx", "--hazards", "overrun", "--markdown"},
		{"run", "nowhere"}, {"explore", "nothing"}, {"list", "--states"}, {"list", "one", "two"}, {"explore"}, {"replay", "ls1.AAAA"}, {"replay", "x"},
		{"explore", "setnx", "--states", "x"}, {"--theme", "grey"}, {"run", crash, "--at", "99"}, {"run", crash, "--set", "ttl=x"}, {"test", "/nowhere"},
		{"run", crash, "--redis", "http://nothing"}, {"run", crash, "--plain", "--json"}, {"nothing"}, {"completion", "nothing"},
	}
	commandsOf(newApp(nil, &bytes.Buffer{}, &bytes.Buffer{}).rootCommand(), func(cmd *cobra.Command) {
		if words := commandWords(cmd); words != "stories" && words != "courses" { // pages of their own
			lines = append(lines, append(strings.Fields(strings.TrimPrefix(words, "lockstep")), "--help"))
		}
	})
	for _, line := range lines {
		var out bytes.Buffer
		run(t.Context(), append(line, "--lang", "zh"), strings.NewReader(""), &out, &out)
		left := map[string]bool{}
		for _, word := range latin.FindAllString(typed.ReplaceAllString(out.String(), ""), -1) {
			if !known[word] {
				left[word] = true
			}
		}
		if len(left) > 0 {
			t.Errorf("%s: %v in\n%s", strings.Join(line, " "), slices.Sorted(maps.Keys(left)), out.String())
		}
	}
}

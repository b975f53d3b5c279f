package course

import (
	"reflect"
	"strings"
	"testing"
)

// TestPlain: a text without styles keeps what its markup means.
func TestPlain(t *testing.T) {
	c := &Course{Chapters: []Chapter{{ID: "one"}, {ID: "two"}}}
	for text, want := range map[string]string{
		"":                       "",
		"a\nb  c\n\n\nd\n":       "a b  c\n\nd",
		"a:\n- b\n  c\n- d\n\ne": "a:\n\n- b c\n- d\n\ne",
		"锁在\n这里。\nRedis 的\nSET":  "锁在这里。Redis 的 SET",
		"SET\n，DEL":              "SET，DEL",
		"1. a\n2. b\n   - c":     "1. a\n2. b\n  - c",
		"**bold**, *so*, `DEL`":  "bold, so, `DEL`",
		"## Why\n\nSo.":          "Why\n\nSo.",
		"see [this](https://a.b/c) and [that](#two)": "see this (https://a.b/c) and that (2)",
		"<https://a.b>":        "https://a.b",
		"2 * 3 = 6, a_b_c":     "2 * 3 = 6, a_b_c",
		`\*no\* \[x\]`:         "*no* [x]",
		"> quoted":             "quoted",
		"    SET a\n    DEL a": "SET a\nDEL a",
	} {
		if got := c.plainText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestMarkup: the blocks and spans of a text.
func TestMarkup(t *testing.T) {
	got := Markup("# T\n\nA **b `c`** [d *e*](x).\n\n3. f\n4. g\n\n```\nh\n```\n")
	want := []Block{
		{Kind: Heading, Level: 1, Spans: []Span{{Text: "T"}}},
		{Spans: []Span{{Text: "A "}, {Text: "b ", Strong: true}, {Text: "c", Strong: true, Code: true}, {Text: " "}, {Text: "d e", Link: "x"}, {Text: "."}}},
		{Kind: Item, Number: 3, Spans: []Span{{Text: "f"}}},
		{Kind: Item, Number: 4, Spans: []Span{{Text: "g"}}},
		{Kind: Code, Spans: []Span{{Text: "h", Code: true}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// TestMarkupMistakes names what is not drawn, and links that lead nowhere.
func TestMarkupMistakes(t *testing.T) {
	c := &Course{Chapters: []Chapter{{ID: "one"}}}
	for text, want := range map[string][]string{
		"a **b** `c` [d](#one) [e](https://f.g)\n\n- h": nil,
		"> a\n\n---\n\n![b](#one) <i>":                  {"a quotation is not drawn", "a line across is not drawn", "an image is not drawn", "HTML is not drawn"},
		"<div>\na\n</div>":                              {"HTML is not drawn"},
		"[a](#on) [b](#on)":                             {`the link "#on" leads to no chapter; did you mean one?`},
		"[**a** b](c) [d](ftp://e.f)":                   {`the link "c" leads nowhere`, `the link "ftp://e.f" leads nowhere`},
		"[a](https://b) <https://%zz.c>":                {`the link "https://b" leads nowhere`, `the link "https://%zz.c" leads nowhere`},
	} {
		got := c.mistakes(text)
		if len(got) != len(want) {
			t.Errorf("%q: %q, want %q", text, got, want)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i].Error(), want[i]) {
				t.Errorf("%q: %q, want %q", text, got[i], want[i])
			}
		}
	}
}

// FuzzMarkup: no text makes it fail, and its words are those of the text.
func FuzzMarkup(f *testing.F) {
	for _, text := range []string{"", "a\n- b\n  1. c", "[a](#b)", "**a", "`a", "> > >", "&amp; \\*", "\x00\xff", "\f", "\v", "\u00a0", "    \f", "```\n\f\n```", "- \f", "# \v", "\u2028\n\n\u3000"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := &Course{}
		plain := c.plainText(text)
		c.mistakes(text)
		if strings.TrimSpace(text) == "" && plain != "" {
			t.Errorf("%q becomes %q", text, plain)
		}
	})
}

package workshop

import (
	"crypto/rand"
	"math/big"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The bounds of a name, in runes.
const (
	maxName  = 40
	maxTitle = 80
	maxMarks = 2 // combining marks in a row
)

// invented are the words of names for those who give none, by language.
var invented = map[string][2][]string{
	"en": {
		{"Quiet", "Bright", "Swift", "Gentle", "Brave", "Clever", "Merry", "Calm", "Curious", "Patient", "Lively", "Steady", "Kind", "Wise", "Nimble", "Sunny"},
		{"Heron", "Otter", "Badger", "Lynx", "Falcon", "Marten", "Beaver", "Stork", "Hedgehog", "Swan", "Seal", "Owl", "Hare", "Robin", "Newt", "Crane"},
	},
	"zh": {
		{"安静的", "明亮的", "敏捷的", "温和的", "勇敢的", "聪明的", "快乐的", "沉着的", "好奇的", "耐心的", "活泼的", "稳重的", "友善的", "机智的", "灵巧的", "阳光的"},
		{"苍鹭", "水獭", "獾", "猞猁", "猎鹰", "貂", "河狸", "白鹳", "刺猬", "天鹅", "海豹", "猫头鹰", "野兔", "知更鸟", "蝾螈", "白鹤"},
	},
}

// invent invents a name in a language.
func invent(lang string) string {
	words, ok := invented[lang]
	if !ok {
		words = invented["en"]
	}
	first, second := pick(words[0]), pick(words[1])
	if lang == "zh" {
		return first + second
	}
	return first + " " + second
}

func pick(from []string) string {
	n, err := rand.Int(rand.Reader, big.NewInt(int64(len(from))))
	if err != nil {
		return from[0]
	}
	return from[n.Int64()]
}

// clean is what may be shown of a text that somebody has typed: one line of at most so
// many runes, without what is invisible or changes the direction of writing.
func clean(text string, most int) string {
	var b strings.Builder
	n, marks, space := 0, 0, false
	for _, r := range norm.NFC.String(strings.ToValidUTF8(text, "")) {
		switch {
		case n >= most:
			return b.String()
		case unicode.IsSpace(r):
			space = n > 0
			continue
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; n == 0 || marks > maxMarks {
				continue
			}
		case !unicode.IsGraphic(r):
			continue
		default:
			marks = 0
		}
		if space {
			b.WriteByte(' ')
			n++
		}
		space = false
		b.WriteRune(r)
		n++
	}
	return b.String()
}

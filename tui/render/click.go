package render

import (
	"regexp"
	"strconv"
)

// A Zone is a stretch of a line that stands for a key: to click there is to press
// it so many times.
type Zone struct {
	From, To int // cells
	Key      string
	Times    int
}

// A click's mark is an operating system command that no terminal sees: Zones takes
// it out of the frame. It has no width, so that whatever lays out lines keeps it.
var clickMark = regexp.MustCompile("\x1b\\]click;([0-9]*);?([^\x07]*)\x07")

// Click makes a text that is drawn already stand for a key, pressed so many times.
func (t Theme) Click(key string, times int, text string) string {
	if !t.Clicks || key == "" || times < 1 {
		return text
	}
	return "\x1b]click;" + strconv.Itoa(times) + ";" + key + "\x07" + text + "\x1b]click;\x07"
}

// ClickBy is the same for one of two keys, by how far it is to go and where.
func (t Theme) ClickBy(back, on string, by int, text string) string {
	if by < 0 {
		return t.Click(back, -by, text)
	}
	return t.Click(on, by, text)
}

// Zones takes the marks out of a line, and says what they were about.
func Zones(line string) (plain string, zones []Zone) {
	last, open := 0, false
	for _, at := range clickMark.FindAllStringSubmatchIndex(line, -1) {
		plain += line[last:at[0]]
		last = at[1]
		x := Width(plain)
		if open {
			zones[len(zones)-1].To = x
		}
		if open = at[2] < at[3]; open {
			times, _ := strconv.Atoi(line[at[2]:at[3]])
			zones = append(zones, Zone{From: x, To: x, Key: line[at[4]:at[5]], Times: times})
		}
	}
	plain += line[last:]
	if open { // it was cut
		zones[len(zones)-1].To = Width(plain)
	}
	return plain, zones
}

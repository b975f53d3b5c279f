package zookeeper

import (
	"encoding/hex"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestUnstamp: the zxid is taken out of a reply's header, and nothing else.
func TestUnstamp(t *testing.T) {
	for _, test := range []struct {
		name        string
		op          Op
		frame, want string
		zxid        int64
	}{
		{"a reply", Create, "00000003 000000000000002a 00000000 ff", "00000003 0000000000000000 00000000 ff", 42},
		{"an error", GetData, "00000001 0000000100000002 ffffff9b", "00000001 0000000000000000 ffffff9b", 1<<32 + 2},
		{"a welcome", Connect, "00000000 00001388 0000000000000007 00000000", "00000000 00001388 0000000000000007 00000000", 0},
		{"a session that has expired", Connect, "00000000 00001388 0000000000000000 00000000", "00000000 00001388 0000000000000000 00000000", -1},
		{"no header", Create, "0000", "0000", 0},
	} {
		frame, zxid := Unstamp(&Request{Op: test.op}, bytesOf(t, test.frame))
		if hex.EncodeToString(frame) != hex.EncodeToString(bytesOf(t, test.want)) || zxid != test.zxid {
			t.Errorf("%s: %x, zxid %d", test.name, frame, zxid)
		}
	}
}

// TestRenew: the last zxid that the client has read is put where the request has it.
func TestRenew(t *testing.T) {
	for _, test := range []struct {
		name        string
		first       bool
		frame, want string
	}{
		{"connect", true, "00000000 0000000000000000 00001388", "00000000 0000000000000009 00001388"},
		{"setWatches", false, "fffffff8 00000065 0000000000000000 00000000", "fffffff8 00000065 0000000000000009 00000000"},
		{"too short", true, "00000000 00", "00000000 00"},
	} {
		if got := Renew(bytesOf(t, test.frame), test.first, 9); hex.EncodeToString(got) != hex.EncodeToString(bytesOf(t, test.want)) {
			t.Errorf("%s: %x", test.name, got)
		}
	}
}

// bytesOf returns the bytes of groups of hexadecimal digits.
func bytesOf(t *testing.T, text string) []byte {
	t.Helper()
	b := testkit.Must(hex.DecodeString(strings.ReplaceAll(text, " ", "")))(t)
	return b
}

func TestShort(t *testing.T) {
	const guid = "95ecaacfc8c257de9e31ac82f006461e"
	for path, want := range map[string]string{
		"/lock/_c_" + guid + "-n-0000000001": "/lock/_c_{95ec}-n-0000000001",
		"/lock/_c_" + guid:                   "/lock/_c_" + guid,
		"/lock/_c_" + guid[1:] + "x-n-1":     "/lock/_c_" + guid[1:] + "x-n-1",
		"/lock/n-0000000001":                 "/lock/n-0000000001",
		"":                                   "",
	} {
		if got := Short(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

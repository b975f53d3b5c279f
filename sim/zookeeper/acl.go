package zookeeper

import (
	"crypto/sha1"
	"encoding/base64"
	"slices"
	"strings"
)

// An ACL says what somebody may do to a node.
type ACL struct {
	Perms int32
	ID
}

// An ID is somebody: world:anyone, or digest:user:hash for who knows a
// password. auth stands for all that the connection has authenticated as.
type ID struct{ Scheme, Name string }

// The permissions.
const (
	PermRead   = 1
	PermWrite  = 2
	PermCreate = 4
	PermDelete = 8
	PermAdmin  = 16
	PermAll    = 31
)

var (
	anyone = ID{"world", "anyone"}
	open   = []ACL{{PermAll, anyone}}
)

// digest is who has authenticated with "user:password": the user and a hash of
// both, as DigestAuthenticationProvider makes it.
func digest(credentials []byte) ID {
	sum := sha1.Sum(credentials)
	user, _, _ := strings.Cut(string(credentials), ":")
	return ID{"digest", user + ":" + base64.StdEncoding.EncodeToString(sum[:])}
}

// resolve returns the list that a node gets: without duplicates, and with what
// auth stands for. It returns false for a list that no node can have.
func resolve(list []ACL, who []ID) ([]ACL, bool) {
	var unique, out []ACL
	for _, a := range list {
		if !slices.Contains(unique, a) {
			unique = append(unique, a)
		}
	}
	for _, a := range unique {
		switch {
		case a.ID == anyone:
			out = append(out, a)
		case a.Scheme == "auth" && len(who) > 0:
			for _, id := range who {
				out = append(out, ACL{a.Perms, id})
			}
		case a.Scheme == "digest" && validDigest(a.Name):
			out = append(out, a)
		default:
			return nil, false
		}
	}
	return out, len(out) > 0
}

// validDigest says whether the name has a user and a hash: two parts that are
// parted by a colon, of which the second is not empty.
func validDigest(name string) bool {
	parts := strings.Split(strings.TrimRight(name, ":"), ":")
	return len(parts) == 2
}

// may says whether somebody who has authenticated as who has one of the
// permissions.
func may(list []ACL, perms int32, who []ID) bool {
	return len(list) == 0 || slices.ContainsFunc(list, func(a ACL) bool {
		return a.Perms&perms != 0 && (a.ID == anyone || slices.Contains(who, a.ID))
	})
}

// masked returns the list as somebody sees it who may not change it.
func masked(list []ACL) []ACL {
	list = slices.Clone(list)
	for i := range list {
		if user, _, found := strings.Cut(list[i].Name, ":"); found && list[i].Scheme == "digest" {
			list[i].Name = user + ":x"
		}
	}
	return list
}

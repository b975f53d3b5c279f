package server

import (
	"regexp"
	"slices"
	"strings"

	"github.com/alicebob/miniredis/v2/server"

	"lockstep/internal/lang"
	"lockstep/sim"
)

// This file is what a node does not do. A command that Redis has and the node has
// not ends the run at its first use, by name: an error would be a reply that no
// Redis gives, and a verdict would be about that.

// refuse ends the unit under way.
func (n *engine) refuse(why lang.Message) {
	if n.refused == nil {
		n.refused = &sim.UnsupportedError{Why: why}
	}
}

// lacks refuses a command for a word that the node does not know. A newer Redis may, so
// that an error would be the node's own.
func (n *engine) lacks(cmd []string, word string) (reply string) {
	between := " ... "
	if word == cmd[1] {
		between = " "
	}
	n.refuse(lang.New("%s is not simulated", cmd[0]+between+word))
	return errSyntax
}

// notices refuses a subscription to what Redis tells of keys: a node tells nothing, and who waits
// for it would wait for ever.
func (n *engine) notices(cmd []string) {
	for _, channel := range cmd[1:] {
		if strings.HasPrefix(channel, "__key") {
			n.lacks(cmd, channel)
		}
	}
}

// unknowing refuses a command of which miniredis says that it does not know a word. What it
// says of known words, or of their number, and what a correction says, Redis was seen to say.
func (n *engine) unknowing(cmd []string, reply string) {
	switch {
	case strings.HasPrefix(reply, "-ERR unknown subcommand"):
		n.lacks(cmd, cmd[1])
	case reply == errSyntax:
		for _, word := range cmd[min(2, len(cmd)):] {
			if optionWord.MatchString(word) && !optionWords[strings.ToUpper(word)] {
				n.lacks(cmd, word)
			}
		}
	}
}

// optionWord matches what may be an option, and optionWords are those of miniredis.
var (
	optionWord  = regexp.MustCompile(`^[A-Za-z]{2,12}$`)
	optionWords = setOf("AFTER AND ASYNC BEFORE BIT BYLEX BYSCORE BYTE COUNT INF LIMIT MATCH MAXLEN NOT OR RANK REV SYNC TYPE WITHSCORE WITHSCORES XOR")
)

// absent are commands that miniredis has and a node has not, since they are not compared
// with Redis, or their state is not kept.
var absent = setOf(`
BZMPOP CLIENT CLUSTER COMMAND COPY DUMP GEOADD GEODIST GEOPOS GEORADIUS GEORADIUSBYMEMBER GEORADIUSBYMEMBER_RO GEORADIUS_RO GEOSEARCH
HEXPIRE HPERSIST HTTL INFO LMPOP MEMORY MOVE OBJECT PFADD PFCOUNT PFMERGE RESTORE SINTERCARD SWAPDB WAIT
XACK XADD XAUTOCLAIM XCLAIM XDEL XGROUP XINFO XLEN XPENDING XRANGE XREAD XREADGROUP XREVRANGE XTRIM ZINTER
ZINTERSTORE ZLEXCOUNT ZMPOP ZRANGEBYLEX ZREMRANGEBYLEX ZREVRANGEBYLEX ZSCAN ZUNION ZUNIONSTORE`)

func setOf(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// byChance are the commands whose reply Redis draws, with the command that says
// from how many.
var byChance = map[string]string{
	"SPOP": "SCARD", "SRANDMEMBER": "SCARD", "ZRANDMEMBER": "ZCARD", "HRANDFIELD": "HLEN", "RANDOMKEY": "DBSIZE",
}

// unsupported refuses a command that the node does not execute, or whose reply it
// would have to draw; ok is false for any other.
func (n *engine) unsupported(c *server.Peer, cmd []string) (ok bool) {
	switch count := byChance[cmd[0]]; {
	case cmd[0] == "CLIENT" && len(cmd) > 1:
		n.lacks(cmd, cmd[1])
	case absent[cmd[0]], cmd[0] == "SELECT" && !slices.Equal(cmd[1:], []string{"0"}),
		corrections[cmd[0]] == nil && !n.mini.Server().IsRegisteredCommand(cmd[0]):
		n.refuse(lang.New("%s is not simulated: use strings, hashes, lists, sets, sorted sets, channels, transactions and scripts", cmd[0]))
	case count != "" && len(cmd) < 2 && cmd[0] != "RANDOMKEY", count == "", n.askInt(c, append([]string{count}, cmd[1:min(2, len(cmd))]...)...) < 2:
		return false
	default:
		n.refuse(lang.New("%s draws one of several at random, which is not simulated: use a command that names what it wants", cmd[0]))
	}
	return true
}

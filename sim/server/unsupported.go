package server

import (
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

// absent are the commands of Redis that a node does not execute.
var absent = setOf(`
ACL ASKING BGREWRITEAOF BGSAVE BITFIELD BITFIELD_RO BLMPOP BZMPOP CLUSTER COMMAND CONFIG COPY DEBUG DUMP EVAL_RO EVALSHA_RO FAILOVER FCALL FCALL_RO
FUNCTION GEOADD GEODIST GEOHASH GEOPOS GEORADIUS GEORADIUSBYMEMBER GEORADIUSBYMEMBER_RO GEORADIUS_RO GEOSEARCH GEOSEARCHSTORE
HEXPIRE HEXPIREAT HEXPIRETIME HGETDEL HGETEX HPERSIST HPEXPIRE HPEXPIREAT HPEXPIRETIME HPTTL HSETEX HTTL
INFO LASTSAVE LATENCY LCS LMPOP LOLWUT MEMORY MIGRATE MODULE MONITOR MOVE OBJECT PFADD PFCOUNT PFDEBUG PFMERGE PFSELFTEST PSYNC READONLY READWRITE
REPLCONF REPLICAOF RESET RESTORE RESTORE-ASKING ROLE SAVE SHUTDOWN SINTERCARD SLAVEOF SLOWLOG SORT SORT_RO SPUBLISH SSUBSCRIBE SUBSTR SUNSUBSCRIBE SWAPDB SYNC
WAIT WAITAOF XACK XACKDEL XADD XAUTOCLAIM XCLAIM XDEL XDELEX XGROUP XINFO XLEN XPENDING XRANGE XREAD XREADGROUP XREVRANGE XSETID XTRIM ZDIFF ZDIFFSTORE ZINTER ZINTERCARD
ZINTERSTORE ZLEXCOUNT ZMPOP ZRANGEBYLEX ZRANGESTORE ZREMRANGEBYLEX ZREVRANGEBYLEX ZSCAN ZUNION ZUNIONSTORE`)

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
	case absent[cmd[0]], cmd[0] == "SELECT" && !slices.Equal(cmd[1:], []string{"0"}):
		n.refuse(lang.New("%s is not simulated: use strings, hashes, lists, sets, sorted sets, channels, transactions and scripts", cmd[0]))
	case count != "" && len(cmd) < 2 && cmd[0] != "RANDOMKEY", count == "", n.askInt(c, append([]string{count}, cmd[1:min(2, len(cmd))]...)...) < 2:
		return false
	default:
		n.refuse(lang.New("%s draws one of several at random, which is not simulated: use a command that names what it wants", cmd[0]))
	}
	return true
}

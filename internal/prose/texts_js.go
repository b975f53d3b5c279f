package prose

import "embed"

// A browser has no commands, and so no help on them, nor what they say.
//
//go:embed */[^h]*.toml */ha*.toml */hi*.toml
var texts embed.FS

package course

import "embed"

// A site is handed its course beside the engine; without one it has the usual one.
//
//go:embed all:builtin/locks
var embedded embed.FS

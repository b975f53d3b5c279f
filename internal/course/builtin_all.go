//go:build !js

package course

import "embed"

//go:embed all:builtin
var embedded embed.FS
